package core

func requested(r *Run, e Event, b AttemptRequested) {
	t := r.Task(b.Task)
	t.Status, t.Blocked = TaskRunning, nil
	t.Requested++
	r.Attempts++
	if len(t.Attempts) >= keptAttempts {
		t.Attempts = t.Attempts[1:]
	}
	t.Attempts = append(t.Attempts, &Attempt{ID: b.Attempt, N: b.N, Status: AttemptPending, Event: e.ID, Base: b.Base})
}

func started(r *Run, e Event, b AttemptStarted) {
	_, _, a := r.Attempt(b.Attempt)
	a.StartedAt, a.Agent, a.Isolation, a.Session = e.At, b.Agent, b.Isolation, b.Session
	a.Status, _ = AttemptNext(a.Status, e.Type)
}

func stopping(r *Run, e Event, b AttemptStopRequested) {
	_, _, a := r.Attempt(b.Attempt)
	a.Status, a.Event, a.StopReason = AttemptStopping, e.ID, b.Reason
}

func metered(r *Run, b UsageObserved) {
	_, _, a := r.Attempt(b.Attempt)
	r.Usage = r.Usage.Add(b.Usage.sub(a.Usage))
	a.Usage = b.Usage
}

func exited(r *Run, e Event, b AttemptExited) {
	_, t, a := r.Attempt(b.Attempt)
	if a == nil {
		return
	}
	a.Status, a.Exit, a.Class, a.Message, a.Summary = AttemptEnded, b.Kind, b.Class, b.Message, b.Summary
	a.Traffic = b.Traffic
	r.Usage = r.Usage.Add(b.Usage.sub(a.Usage)) // what was observed meanwhile is counted already
	a.Usage, a.Duration, a.Delivery, a.Resources = b.Usage, b.Duration, b.Delivery, b.Resources
	r.Unpriced += a.Cost().Unpriced

	t.Stuck = b.Hopeless
	infra := b.Infrastructure()
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
		CostUSD: u.CostUSD + v.CostUSD, InputTokens: u.InputTokens + v.InputTokens,
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
