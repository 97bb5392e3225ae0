package core

import "cmp"

// Want asks for an attempt's reservation to be raised. A broker asks before it
// lets a request pass, so that nothing is spent that is not reserved. For an
// agent without one dispatch asks, once the agent claims to have spent more than
// its reservation.
type Want struct {
	Seq    int64 `json:"seq"` // counted by who asks; each want is answered once
	Amount       // in all since the attempt's start
	// Least is the total below which more is of no use to the broker; nothing if
	// all is of use.
	Least Amount `json:"least,omitzero"`
	// Keeps is what a broker that gives something back keeps to until the want is
	// answered, whatever it was told before. It includes what is set aside for its
	// requests under way.
	Keeps *Amount `json:"keeps,omitempty"`
}

// returns reports a want that asks for nothing beyond what it keeps.
func (w Want) returns() bool {
	return w.Keeps != nil && Nanos(w.USD) <= Nanos(w.Keeps.USD) && w.Tokens <= w.Keeps.Tokens
}

// Shortage says why a want was not met in full.
type Shortage struct {
	Amount        // that was wanted
	Reason string `json:"reason"`
	Advice
	Own  bool `json:"own,omitempty"`  // it is the attempt's own limit
	Held bool `json:"held,omitempty"` // others hold enough of it, and may give it back
}

// AllowanceReserved answers a want: the attempt may spend the amount in all
// since its start. Until the attempt ends, no other attempt of the run and of
// the project can reserve the part that it has not spent.
type AllowanceReserved struct {
	Attempt  string    `json:"attempt"`
	Seq      int64     `json:"seq"` // of the want
	Amount             // never less than before, or than the want keeps
	Short    *Shortage `json:"short,omitempty"`    // where it is less than was wanted
	Refused  bool      `json:"refused,omitempty"`  // nothing was left to add, and nothing was added
	Returned bool      `json:"returned,omitempty"` // nothing was asked for but to give something back
}

func (AllowanceReserved) event() Type { return TypeAllowanceReserved }

// Used is what counts of an attempt: what its broker metered, or what its agent
// claims if no broker did.
func (a *Attempt) Used() Usage { return used(a.Usage, a.Metered) }

// Used is what counts of what was observed.
func (b UsageObserved) Used() Usage { return used(b.Usage, b.Metered) }

// Used is what counts of an attempt that ended.
func (b AttemptExited) Used() Usage { return used(b.Usage, b.Metered) }

func used(claimed Usage, metered *Usage) Usage {
	if metered != nil {
		return *metered
	}
	return claimed
}

// held is what an attempt has reserved and not spent. One that ended holds
// nothing: its end releases its reservation.
func (a *Attempt) held() Amount {
	if a.Reserved == nil || !a.Status.Active() {
		return Amount{}
	}
	u := a.Used()
	return Amount{USD: Dollars(max(Nanos(a.Reserved.USD)-Nanos(u.CostUSD), 0)), Tokens: max(a.Reserved.Tokens-u.Tokens(), 0)}
}

// committed is what of the limits an attempt has to itself: what it has reserved
// or spent, whichever is more.
func (a *Attempt) committed() Amount {
	u := a.Used()
	c := Amount{USD: u.CostUSD, Tokens: u.Tokens()}
	if a.Reserved != nil {
		c = Amount{USD: max(c.USD, a.Reserved.USD), Tokens: max(c.Tokens, a.Reserved.Tokens)}
	}
	return c
}

// base is what an attempt has to itself once its want is answered, before anything
// is added: what it is committed to, less what it gives back.
func (a *Attempt) base() Amount {
	c := a.committed()
	if a.Wants == nil || a.Wants.Keeps == nil {
		return c
	}
	u, keeps := a.Used(), a.Wants.Keeps
	return Amount{USD: max(u.CostUSD, min(c.USD, keeps.USD)), Tokens: max(u.Tokens(), min(c.Tokens, keeps.Tokens))}
}

// portion is what an attempt has reserved from its start, when the run and all
// runs of its project have spent and hold this much; nil if nothing limits
// it. The shortage is why it cannot start.
func (r *Run) portion(own, total Spent) (*Amount, *Shortage) {
	money, tokens := r.funds(stand{own, total})
	if !money.limited() && !tokens.limited() {
		return nil, nil
	}
	for _, f := range []fund{money, tokens} {
		if f.limited() && f.left() <= 0 {
			return nil, f.short(r, Amount{})
		}
	}
	return &Amount{USD: Dollars(money.first()), Tokens: tokens.first()}, nil
}

// reserve answers the wants of attempts under way, one at a time: each changes
// what is left for the next.
func reserve(r *Run) []Body {
	for _, a := range r.Active() {
		if a.Wants == nil || a.Status == AttemptStopping {
			continue
		}
		base := a.base()
		if a.Wants.returns() {
			return []Body{AllowanceReserved{Attempt: a.ID, Seq: a.Wants.Seq, Amount: base, Returned: true}}
		}
		money, tokens := r.funds(r.stand(a))
		money.least, tokens.least = Nanos(a.Wants.Least.USD), a.Wants.Least.Tokens
		usd, noMoney := money.raise(Nanos(base.USD), Nanos(a.Wants.USD))
		count, noTokens := tokens.raise(base.Tokens, a.Wants.Tokens)
		b := AllowanceReserved{Attempt: a.ID, Seq: a.Wants.Seq, Amount: Amount{USD: Dollars(usd), Tokens: count}}
		if noMoney || noTokens { // money is of no use without tokens
			b.Amount, b.Refused = base, true
		}
		switch {
		case usd < Nanos(a.Wants.USD) || noMoney:
			b.Short = money.short(r, a.Wants.Amount)
		case count < a.Wants.Tokens || noTokens:
			b.Short = tokens.short(r, a.Wants.Amount)
		}
		return []Body{b}
	}
	return nil
}

// unfunded pauses a run that has an attempt without the money or tokens that it
// needs. It stops no attempt that a broker holds: such a one spends only what is
// reserved, and the answers under way are paid for.
func unfunded(r *Run) *RunPaused {
	_, _, a := r.Attempt(r.Unfunded)
	if a == nil || a.Short == nil {
		return nil
	}
	short := a.Short
	if !a.Status.Active() { // since it was refused, it has spent what it had
		short = cmp.Or(r.lacks(a), short)
	}
	return &RunPaused{Code: PauseBudget, Stage: currentID(r), Reason: short.Reason, Advice: short.Advice}
}

// lawReserve is law 10 of a reservation: it answers the attempt's want, takes
// nothing back, and leaves what is spent and held within the limits, as far as
// the run was told.
func lawReserve(r *Run, b AllowanceReserved) error {
	if err := lawAttemptStep(r, TypeAttemptStopRequested, b.Attempt); err != nil {
		return err
	}
	_, _, a := r.Attempt(b.Attempt)
	if a.Wants == nil || a.Wants.Seq != b.Seq {
		return Errorf(CodeConflict, "attempt %s does not ask for this", b.Attempt)
	}
	base := a.base()
	switch {
	case Nanos(b.USD) < Nanos(base.USD) || b.Tokens < base.Tokens:
		return unlawful("attempt %s: what it may spend cannot become less", b.Attempt)
	case b.Refused && (b.Amount != base || b.Short == nil):
		return unlawful("attempt %s: a refusal adds nothing, and says why", b.Attempt)
	case b.Returned && (b.Amount != base || !a.Wants.returns()):
		return unlawful("attempt %s: giving back adds nothing", b.Attempt)
	}
	return lawLeft(r, a, b.Attempt, Amount{USD: SumUSD(b.USD, -base.USD), Tokens: b.Tokens - base.Tokens})
}

// lawLeft: only what is left can be reserved.
func lawLeft(r *Run, a *Attempt, attempt string, more Amount) error {
	money, tokens := r.funds(r.stand(a))
	if money.holds(Nanos(more.USD)) && tokens.holds(more.Tokens) {
		return nil
	}
	return unlawful("attempt %s: $%.6f and %d tokens are more than is left", attempt, more.USD, more.Tokens)
}

// starved reports an attempt that failed after it could not get what it wanted,
// which says nothing about the work. Where another would not get that either, the
// run pauses.
func starved(r *Run, a *Attempt) bool {
	if a.Short == nil || a.Short.Own || a.Exit == ExitFinished {
		return false
	}
	if r.lacks(a) != nil {
		r.Unfunded = a.ID
	}
	return true
}

// lacks says why an attempt that ended could not get now what it wanted; nil
// where it could.
func (r *Run) lacks(a *Attempt) *Shortage {
	u := a.Used()
	money, tokens := r.funds(r.stand(nil))
	money.limit[limitAttempt], tokens.limit[limitAttempt] = 0, 0 // another attempt has its own
	switch {
	case !money.holds(Nanos(a.Short.USD) - Nanos(u.CostUSD)):
		return money.short(r, a.Short.Amount)
	case !tokens.holds(a.Short.Tokens - u.Tokens()):
		return tokens.short(r, a.Short.Amount)
	}
	return nil
}

// classBudget is the class of an end for want of money.
const classBudget = "budget"

// overOwn says that an attempt which ended ran into its own limit; nil if it did
// not. A broker refused or cut an answer, the agent's program kept to the limit by
// itself, or the attempt was stopped for it.
func overOwn(r *Run, a *Attempt, stopped bool) *Shortage {
	switch own := a.Short != nil && a.Short.Own; {
	case r.Limits.Attempt == (AttemptLimits{}), a.Short != nil && !own:
		return nil
	case a.Exit == ExitFailed && a.Class == classBudget, a.Exit == ExitCancelled && stopped && own && !a.Brokered:
	default:
		return nil
	}
	s, u := r.stand(nil), a.Used()
	s[limitAttempt] = Spent{CostUSD: u.CostUSD, Tokens: u.Tokens()}
	money, tokens := r.funds(s)
	m, t := money.limit[limitAttempt], tokens.limit[limitAttempt]
	if a.Short == nil && (m == 0 || money.binding() != limitAttempt) && (t == 0 || tokens.binding() != limitAttempt) {
		return nil
	}
	// The one of which the larger part is gone.
	if t == 0 || m > 0 && float64(money.gone[limitAttempt])/float64(m) >= float64(tokens.gone[limitAttempt])/float64(t) {
		return money.shortOf(limitAttempt, r, Amount{})
	}
	return tokens.shortOf(limitAttempt, r, Amount{})
}

func reserved(r *Run, b AllowanceReserved) {
	_, _, a := r.Attempt(b.Attempt)
	amount := b.Amount
	a.Reserved, a.Answered, a.Wants = &amount, b.Seq, nil
	if b.Returned { // what it lacked before, it lacks still
		return
	}
	a.Short = b.Short
	switch {
	case b.Refused && !a.Brokered && !b.Short.Own: // a broker goes on with what it has, and others may give back what they hold
		r.Unfunded = a.ID
	case r.Unfunded == a.ID:
		r.Unfunded = ""
	}
}
