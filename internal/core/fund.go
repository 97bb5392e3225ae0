package core

import "fmt"

// portionShare is the part of a limit that an attempt is given unasked: at its
// start, and on top of what it wants. It is small, so that what one attempt
// holds does not starve the others, and large enough that it asks rarely.
const portionShare = 20

// fund is what can be had of money, in whole billionths of a dollar, or of
// tokens: the limits of the run and of its project, of which zero means none,
// and what is spent or held of each.
type fund struct {
	money       bool
	limit, gone [2]int64 // of the run, of its project
}

// funds are what can be had, when the run and all runs of its project have spent
// and hold this much.
func (r *Run) funds(own, total Spent) (money, tokens fund) {
	return fund{
			true, [2]int64{nanos(r.Limits.CostUSD), nanos(r.Limits.Project.CostUSD)},
			[2]int64{nanos(own.CostUSD) + nanos(own.HeldUSD), nanos(total.CostUSD) + nanos(total.HeldUSD)},
		}, fund{
			false, [2]int64{r.Limits.Tokens, r.Limits.Project.Tokens},
			[2]int64{own.Tokens + own.HeldTokens, total.Tokens + total.HeldTokens},
		}
}

func (f fund) limited() bool { return f.limit[0] > 0 || f.limit[1] > 0 }

// binding is the limit that has least left.
func (f fund) binding() int {
	if f.limit[0] == 0 || f.limit[1] > 0 && f.limit[1]-f.gone[1] < f.limit[0]-f.gone[0] {
		return 1
	}
	return 0
}

// left is what nobody has spent or holds; below zero where somebody has spent
// what was not reserved.
func (f fund) left() int64 { return f.limit[f.binding()] - f.gone[f.binding()] }

// holds reports that so much more may be reserved.
func (f fund) holds(more int64) bool { return !f.limited() || more <= 0 || more <= f.left() }

func (f fund) portion() int64 {
	if f.limit[0] > 0 && f.limit[1] > 0 {
		return min(f.limit[0], f.limit[1]) / portionShare
	}
	return max(f.limit[0], f.limit[1]) / portionShare
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
// is left. It is refused where nothing was left to add, or where what was spent
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
func (f fund) short(r *Run, want Amount) *Shortage {
	who, spent, flag, setting := "the run has", r.Share(), "--max-", "limits."
	if f.binding() == 1 {
		who, spent, flag, setting = "the runs of the project have", r.together(), "--max-project-", "limits.project."
	}
	bound := f.limit[f.binding()]
	l := limit{fmt.Sprintf("%s used %d of its %d tokens", who, spent.Tokens, bound), flag + "tokens N", setting + "tokens"}
	held := fmt.Sprintf(", and %d more are reserved for work under way", spent.HeldTokens)
	if f.money {
		l = limit{fmt.Sprintf("%s cost $%.2f of its $%.2f", who, spent.CostUSD, dollars(bound)), flag + "cost USD", setting + "cost_usd"}
		held = fmt.Sprintf(", and $%.2f more is reserved for work under way", spent.HeldUSD)
	}
	if f.money && spent.HeldUSD > 0 || !f.money && spent.HeldTokens > 0 {
		l.reason += held
	}
	return &Shortage{Amount: want, Reason: l.reason, Next: l.raise(r)}
}

// Limited reports which of them attempts of the run may spend only where it is
// reserved.
func (l Limits) Limited() (money, tokens bool) {
	return l.CostUSD > 0 || l.Project.CostUSD > 0, l.Tokens > 0 || l.Project.Tokens > 0
}
