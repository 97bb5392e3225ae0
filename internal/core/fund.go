package core

import "fmt"

// portionShare is the part of a limit that an attempt is given unasked: at its
// start, and on top of what it wants. It is small, so that what one attempt
// holds does not starve the others, and large enough that it asks rarely.
const portionShare = 20

// stand is what is spent and held of the limits of a run, of its project and of
// one attempt.
type stand [3]Spent

const limitRun, limitProject, limitAttempt = 0, 1, 2

// stand is what counts when an attempt asks for more. What it gives back with its
// want is not held any more.
func (r *Run) stand(a *Attempt) stand {
	s := stand{r.Share(), r.together()}
	if a == nil {
		return s
	}
	base, given, u := a.base(), a.committed(), a.Used()
	for _, of := range []int{limitRun, limitProject} {
		s[of].HeldUSD = SumUSD(s[of].HeldUSD, base.USD, -given.USD)
		s[of].HeldTokens += base.Tokens - given.Tokens
	}
	s[limitAttempt] = Spent{CostUSD: u.CostUSD, Tokens: u.Tokens(), HeldUSD: SumUSD(base.USD, -u.CostUSD), HeldTokens: base.Tokens - u.Tokens()}
	return s
}

// fund is what can be had of money, in whole billionths of a dollar, or of
// tokens: the limits, of which zero means none, and what is spent or held of each.
type fund struct {
	money       bool
	stand       stand
	limit, gone [len(stand{})]int64
	least       int64 // in all, with less than which an attempt cannot go on
}

// funds are what can be had when so much is spent and held.
func (r *Run) funds(s stand) (money, tokens fund) {
	l := r.Limits
	money = fund{money: true, stand: s, limit: [...]int64{Nanos(l.CostUSD), Nanos(l.Project.CostUSD), Nanos(l.Attempt.CostUSD)}}
	tokens = fund{stand: s, limit: [...]int64{l.Tokens, l.Project.Tokens, l.Attempt.Tokens}}
	for of, part := range s {
		money.gone[of] = Nanos(part.CostUSD) + Nanos(part.HeldUSD)
		tokens.gone[of] = part.Tokens + part.HeldTokens
	}
	return money, tokens
}

func (f fund) limited() bool { return f.limit != [len(stand{})]int64{} }

// binding is the limit that has least left.
func (f fund) binding() int {
	least := -1
	for of, limit := range f.limit {
		if limit > 0 && (least < 0 || limit-f.gone[of] < f.limit[least]-f.gone[least]) {
			least = of
		}
	}
	return max(least, limitRun)
}

// left is what nobody has spent or holds; below zero if somebody has spent
// what was not reserved.
func (f fund) left() int64 { return f.limit[f.binding()] - f.gone[f.binding()] }

// holds reports that so much more may be reserved.
func (f fund) holds(more int64) bool { return !f.limited() || more <= 0 || more <= f.left() }

func (f fund) portion() int64 {
	lowest := int64(0)
	for _, limit := range f.limit {
		if limit > 0 && (lowest == 0 || limit < lowest) {
			lowest = limit
		}
	}
	return lowest / portionShare
}

// first is what an attempt has from its start. It leaves half of what is left, so
// that starts alone never use a limit up.
func (f fund) first() int64 {
	if !f.limited() {
		return 0
	}
	return min(f.portion(), f.left()/2)
}

// raise makes what an attempt has to itself as large as it wants, as far as that
// is left. It is refused if nothing was left to add, or if what was spent
// already is too much.
func (f fund) raise(base, want int64) (raised int64, refused bool) {
	need := max(want-base, 0)
	if !f.limited() {
		return base + need, false
	}
	left := f.left()
	if left < need || left < 0 {
		return base + max(left, 0), left <= 0
	}
	return base + need + min(f.portion(), (left-need)/2), false
}

// short says why no more can be had.
func (f fund) short(r *Run, want Amount) *Shortage { return f.shortOf(f.binding(), r, want) }

func (f fund) shortOf(of int, r *Run, want Amount) *Shortage {
	who, cost, tokens := "the run has", LimitCost, LimitTokens
	switch of {
	case limitProject:
		who, cost, tokens = "the runs of the project have", LimitProjectCost, LimitProjectTokens
	case limitAttempt:
		who, cost, tokens = "the attempt has", LimitAttemptCost, LimitAttemptTokens
	}
	spent, bound := f.stand[of], f.limit[of]
	l := overLimit{tokens, fmt.Sprintf("%s used %d of its %d tokens", who, spent.Tokens, bound)}
	held := fmt.Sprintf(", and %d more are reserved for work under way", spent.HeldTokens)
	others := spent.HeldTokens - f.stand[limitAttempt].HeldTokens
	if f.money {
		l = overLimit{cost, fmt.Sprintf("%s cost %s of its %s", who, Money(spent.CostUSD), Money(Dollars(bound)))}
		held = fmt.Sprintf(", and %s more is reserved for work under way", Money(spent.HeldUSD))
		others = Nanos(spent.HeldUSD) - Nanos(f.stand[limitAttempt].HeldUSD)
	}
	if of != limitAttempt && (f.money && spent.HeldUSD > 0 || !f.money && spent.HeldTokens > 0) {
		l.reason += held
	}
	if f.money && Nanos(spent.CostUSD) < bound || !f.money && spent.Tokens < bound {
		l.reason += "; too little is left for the next request"
	}
	if of == limitAttempt {
		return &Shortage{Amount: want, Reason: l.reason, Advice: r.raise(l.limit), Own: true}
	}
	return &Shortage{Amount: want, Reason: l.reason, Advice: r.raise(l.limit), Held: others > 0 && f.least-f.gone[limitAttempt] <= bound-f.gone[of]+others}
}

// Limited reports which of them attempts of the run may spend only if it is
// reserved.
func (l Limits) Limited() (money, tokens bool) {
	return l.CostUSD > 0 || l.Project.CostUSD > 0 || l.Attempt.CostUSD > 0, l.Tokens > 0 || l.Project.Tokens > 0 || l.Attempt.Tokens > 0
}
