package core

import "strings"

func requested(r *Run, e Event, b AttemptRequested) {
	t := r.Task(b.Task)
	t.Status, t.Blocked = TaskRunning, nil
	t.Requested++
	r.Attempts++
	if len(t.Attempts) >= keptAttempts {
		t.Attempts = t.Attempts[1:]
	}
	t.Attempts = append(t.Attempts, &Attempt{ID: b.Attempt, N: b.N, Status: AttemptPending, Event: e.ID, Base: b.Base, Reserved: b.Reserve})
}

func started(r *Run, e Event, b AttemptStarted) {
	_, _, a := r.Attempt(b.Attempt)
	a.StartedAt, a.Agent, a.Isolation, a.Session, a.Brokered = e.At, b.Agent, b.Isolation, b.Session, b.Brokered
	a.Status, _ = AttemptNext(a.Status, e.Type)
}

func stopping(r *Run, e Event, b AttemptStopRequested) {
	_, _, a := r.Attempt(b.Attempt)
	a.Status, a.Event, a.StopReason = AttemptStopping, e.ID, b.Reason
}

func metered(r *Run, b UsageObserved) {
	_, _, a := r.Attempt(b.Attempt)
	r.account(a, b.Usage, b.Metered)
	if b.Wants != nil && b.Wants.Seq > a.Answered { // one that was answered is not answered again
		a.Wants = b.Wants
	}
}

// account takes in what an attempt has used by now. What was observed before is
// counted already, and what a broker metered stands against any later claim.
func (r *Run) account(a *Attempt, claimed Usage, metered *Usage) {
	before := a.Used()
	if a.Usage = claimed; metered != nil {
		a.Metered = metered
	}
	r.Usage = r.Usage.Add(a.Used().sub(before))
}

func exited(r *Run, e Event, b AttemptExited) {
	_, t, a := r.Attempt(b.Attempt)
	if a == nil {
		return
	}
	stopped := a.Status == AttemptStopping
	a.Status, a.Exit, a.Class, a.Message, a.Summary = AttemptEnded, b.Kind, b.Class, b.Message, b.Summary
	r.account(a, b.Usage, b.Metered)
	own := overOwn(r, a, stopped)
	if own != nil {
		a.Short, a.Exceeded = own, own.Reason
		a.Message = strings.TrimSuffix(own.Reason+": "+b.Message, ": ")
	}
	a.Duration, a.Delivery = b.Duration, b.Delivery
	a.Traffic, a.Resources = b.Traffic, b.Resources
	r.Unpriced += a.Cost().Unpriced

	t.Stuck = b.Hopeless
	infra := starved(r, a) || own == nil && b.Infrastructure()
	if infra {
		t.Infra++
		t.NotBefore = e.At.Add(backoff(t.Infra))
		if b.RetryAt != nil && b.RetryAt.After(t.NotBefore) {
			t.NotBefore = *b.RetryAt
		}
	} else {
		t.Counted++
		a.Counted = true
	}
	// Whatever was handed in is looked at, however the attempt ended: the
	// checks decide, not the exit. Only an infrastructure loss that left
	// nothing behind has nothing to look at.
	handedIn := b.Delivery != nil && (!infra || !b.Delivery.Empty || len(b.Delivery.Artifacts) > 0)
	t.Status = TaskWaiting
	if t.Kind == KindManage { // it hands nothing in: what it did, it did with its tools
		if b.Kind == ExitFinished {
			t.Status = TaskDone
		}
		return
	}
	if handedIn {
		t.Status = TaskDelivered
	}
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		CostUSD: SumUSD(u.CostUSD, v.CostUSD), InputTokens: u.InputTokens + v.InputTokens,
		OutputTokens: u.OutputTokens + v.OutputTokens, CacheTokens: u.CacheTokens + v.CacheTokens,
		Turns: u.Turns + v.Turns,
	}
}

func (u Usage) sub(v Usage) Usage {
	return u.Add(Usage{
		CostUSD: -v.CostUSD, InputTokens: -v.InputTokens, OutputTokens: -v.OutputTokens,
		CacheTokens: -v.CacheTokens, Turns: -v.Turns,
	})
}

// Tokens is what counts against a limit of tokens.
func (u Usage) Tokens() int64 { return u.InputTokens + u.OutputTokens }
