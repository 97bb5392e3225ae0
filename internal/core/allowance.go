package core

import (
	"cmp"
	"fmt"
	"time"
)

// ProjectLimits bound what all runs of a project use together, ended ones
// included. Zero means no limit. Each run is held to those it was started with.
type ProjectLimits struct {
	CostUSD  float64       `json:"cost_usd,omitempty"`
	Tokens   int64         `json:"tokens,omitempty"`
	WallTime time.Duration `json:"wall_time,omitempty"` // that they have worked, one beside another counted twice
	Attempts int           `json:"attempts,omitempty"`  // ever requested
	Parallel int           `json:"parallel,omitempty"`  // at once
}

// AttemptLimits bound what each attempt uses. Zero means no limit.
type AttemptLimits struct {
	CostUSD float64 `json:"cost_usd,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
}

// AtOnce is how many attempts a run could have at once, if it were alone.
func (l Limits) AtOnce() int {
	if l.Project.Parallel > 0 {
		return min(l.Parallel, l.Project.Parallel)
	}
	return l.Parallel
}

// Spent is what runs have used up of a project's limits.
type Spent struct {
	CostUSD  float64       `json:"cost_usd,omitempty"`
	Tokens   int64         `json:"tokens,omitempty"`
	Worked   time.Duration `json:"worked,omitempty"`
	Working  int           `json:"working,omitempty"` // how many of them work just then, and use up time
	Attempts int           `json:"attempts,omitempty"`
	Unpriced int           `json:"unpriced,omitempty"` // of the attempts, that ended without saying what they cost
	// Held is what attempts under way have reserved and not spent.
	HeldUSD    float64 `json:"held_usd,omitempty"`
	HeldTokens int64   `json:"held_tokens,omitempty"`
}

// Cost is what of it was money.
func (s Spent) Cost() Cost { return CostOf(s.CostUSD, s.Unpriced) }

// Add sums what two parts of a project have spent.
func (s Spent) Add(t Spent) Spent {
	return Spent{
		CostUSD: SumUSD(s.CostUSD, t.CostUSD), Tokens: s.Tokens + t.Tokens,
		Worked: s.Worked + t.Worked, Working: s.Working + t.Working, Attempts: s.Attempts + t.Attempts, Unpriced: s.Unpriced + t.Unpriced,
		HeldUSD: SumUSD(s.HeldUSD, t.HeldUSD), HeldTokens: s.HeldTokens + t.HeldTokens,
	}
}

// Share is what the run itself has used.
func (r *Run) Share() Spent { return r.ShareAt(r.Now()) }

// ShareAt is Share at a moment after the run's last event.
func (r *Run) ShareAt(at time.Time) Spent {
	s := Spent{CostUSD: r.Usage.CostUSD, Tokens: r.Usage.Tokens(), Worked: r.worked(at), Attempts: r.Attempts, Unpriced: r.Unpriced}
	if r.Status == StatusActive {
		s.Working = 1
	}
	for _, a := range r.Active() {
		held := a.held()
		s.HeldUSD, s.HeldTokens = SumUSD(s.HeldUSD, held.USD), s.HeldTokens+held.Tokens
	}
	return s
}

// ProjectSpent tells a run what the other runs of its project had used and held
// at a moment. It is said if that, with what the run uses and wants to
// reserve itself, reaches a limit of the project: so the decision that follows
// can be derived again from the run's own events. It is also said if the run
// would otherwise look at the project's time too late. What others hold they may
// give back at any time, so that part of it is good for one step.
type ProjectSpent struct {
	Others Spent     `json:"others"`
	At     time.Time `json:"at,omitzero"`
}

func (ProjectSpent) event() Type { return TypeProjectSpent }

// Intent is what a step of a run does that limits of its project can forbid.
type Intent struct {
	Works    bool // the run is active after it
	Starts   bool // it starts attempts: what is under way is not stopped for their number
	Reserves bool // it reserves money or tokens
}

// Allows reports that a run may take a step after which the runs of its project
// have spent and hold this much in all.
func (l ProjectLimits) Allows(total Spent, s Intent) bool {
	return l.Room(Spent{}, s).fits(total)
}

// Room is how much the other runs of a project may have spent and hold at most for a
// run to take a step. What is nil does not matter. Stores compare with it.
type Room struct {
	Nanos, Tokens, Attempts *int64 // spent; money in billionths
	Worked                  *time.Duration
	DrawnNanos, DrawnTokens *int64 // spent and held
}

// Room is what the limits leave to the others, given what the run itself has spent
// and holds after the step.
func (l ProjectLimits) Room(share Spent, s Intent) Room {
	var r Room
	most := func(when bool, n int64) *int64 {
		if !when {
			return nil
		}
		return &n
	}
	r.Nanos = most(s.Works && l.CostUSD > 0, Nanos(l.CostUSD)-Nanos(share.CostUSD)-1)
	r.Tokens = most(s.Works && l.Tokens > 0, l.Tokens-share.Tokens-1)
	if s.Works && l.WallTime > 0 {
		worked := l.WallTime - share.Worked - 1
		r.Worked = &worked
	}
	r.Attempts = most(s.Starts && l.Attempts > 0, int64(l.Attempts-share.Attempts))
	r.DrawnNanos = most(s.Reserves && l.CostUSD > 0, Nanos(l.CostUSD)-Nanos(share.CostUSD)-Nanos(share.HeldUSD))
	r.DrawnTokens = most(s.Reserves && l.Tokens > 0, l.Tokens-share.Tokens-share.HeldTokens)
	return r
}

// fits reports that the others have not used more than there is room for.
func (r Room) fits(others Spent) bool {
	within := func(most *int64, n int64) bool { return most == nil || n <= *most }
	return within(r.Nanos, Nanos(others.CostUSD)) && within(r.Tokens, others.Tokens) && (r.Worked == nil || others.Worked <= *r.Worked) &&
		within(r.Attempts, int64(others.Attempts)) && within(r.DrawnNanos, Nanos(others.CostUSD)+Nanos(others.HeldUSD)) &&
		within(r.DrawnTokens, others.Tokens+others.HeldTokens)
}

// overLimit is a limit that was reached, and how.
type overLimit struct {
	limit  Limit
	reason string
}

// reached is the limit of money, tokens or time that is used up; nil if none
// is.
func (l ProjectLimits) reached(total Spent) *overLimit {
	switch {
	case l.CostUSD > 0 && Nanos(total.CostUSD) >= Nanos(l.CostUSD):
		return &overLimit{LimitProjectCost, fmt.Sprintf("the runs of the project have cost %s of its %s", Money(total.CostUSD), Money(l.CostUSD))}
	case l.Tokens > 0 && total.Tokens >= l.Tokens:
		return &overLimit{LimitProjectTokens, fmt.Sprintf("the runs of the project have used %d of its %d tokens", total.Tokens, l.Tokens)}
	case l.WallTime > 0 && total.Worked >= l.WallTime:
		return &overLimit{LimitProjectTime, fmt.Sprintf("the runs of the project have worked %s of its %s", total.Worked.Truncate(time.Second), l.WallTime)}
	}
	return nil
}

// exhausted is the limit of attempts, if no further one may be started.
func (l ProjectLimits) exhausted(total Spent) *overLimit {
	if l.Attempts == 0 || total.Attempts < l.Attempts {
		return nil
	}
	return &overLimit{LimitProjectAttempts, fmt.Sprintf("the runs of the project have used %d of its %d attempts", total.Attempts, l.Attempts)}
}

// together is what the project has spent at least, as far as the run was told.
func (r *Run) together() Spent { return r.Others.Add(r.Share()) }

// affordable is as much of what a decider says as attempts, money and tokens are
// left for, with the first portion that each start reserves. Where nothing is
// left, the run pauses; what is under way goes on.
func affordable(r *Run, bodies []Body) []Body {
	own, total := r.Share(), r.together()
	var kept []Body
	for _, b := range bodies {
		start, starts := b.(AttemptRequested)
		if !starts {
			kept = append(kept, b)
			continue
		}
		var pause *RunPaused
		portion, short := r.portion(own, total)
		if l := r.Limits.Project.exhausted(total); l != nil {
			pause = &RunPaused{Code: PauseProjectLimit, Stage: currentID(r), Reason: l.reason, Advice: r.raise(l.limit)}
		} else if short != nil {
			if own.HeldUSD > 0 || own.HeldTokens > 0 {
				continue // it starts when what the run itself holds is released
			}
			pause = &RunPaused{Code: PauseBudget, Stage: currentID(r), Reason: short.Reason, Advice: short.Advice}
		}
		if pause != nil && len(kept) > 0 {
			return kept
		}
		if pause != nil {
			return []Body{*pause}
		}
		takes := Spent{Attempts: 1}
		if start.Reserve = portion; portion != nil {
			takes.HeldUSD, takes.HeldTokens = portion.USD, portion.Tokens
		}
		own, total = own.Add(takes), total.Add(takes)
		kept = append(kept, start)
	}
	return kept
}

// lawAllowance is law 10 of a start: it is within the limits, as far as the run
// was told, and so is what it reserves.
func lawAllowance(r *Run, b AttemptRequested) error {
	total, attempt := r.together(), b.Attempt
	for _, l := range []*overLimit{overBudget(r, r.Limits), r.Limits.Project.reached(total), r.Limits.Project.exhausted(total)} {
		if l != nil {
			return unlawful("attempt %s: %s", attempt, l.reason)
		}
	}
	if b.Reserve == nil { // it has to ask before it spends, if there are limits
		return nil
	}
	return lawLeft(r, nil, attempt, *b.Reserve)
}

// lawRaised: a run that a limit of money, tokens or its project paused goes on
// once that limit is higher.
func lawRaised(r *Run, limits Limits) error {
	l := cmp.Or(overBudget(r, limits), limits.Project.reached(r.together()))
	if l == nil && r.Pause.Code == PauseProjectLimit {
		l = limits.Project.exhausted(r.together())
	}
	if l != nil {
		return Errorf(CodeConflict, "%s", l.reason).WithHint("raise it").Offer(r.raise(l.limit).Choices...)
	}
	return nil
}
