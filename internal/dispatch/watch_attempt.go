package dispatch

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// watchAttempt follows a running attempt to its end.
func (d *Dispatcher) watchAttempt(ctx context.Context, run *core.Run, a core.WatchAttempt) error {
	if _, _, attempt := run.Attempt(a.Attempt); attempt != nil && attempt.Status == core.AttemptStopping {
		if err := d.Spawner.Kill(ctx, spawn.ID{Run: run.ID, Attempt: a.Attempt}); err != nil {
			return err
		}
	}
	brokered, err := d.brokered(ctx, spawn.ID{Run: run.ID, Attempt: a.Attempt})
	if err != nil {
		return err
	}
	watch, done := context.WithCancel(ctx)
	metered := make(chan struct{})
	go func() {
		defer close(metered)
		if brokered {
			d.fund(watch, run, a.Attempt)
		} else {
			d.meter(watch, run, a.Attempt)
		}
	}()
	vacated := make(chan struct{})
	go func() {
		defer close(vacated)
		d.vacate(watch, run, a.Attempt)
	}()
	err = d.follow(ctx, run, a.Attempt)
	done()
	<-metered
	<-vacated
	return err
}

// vacate gives an attempt's slots to whoever is next once its agent has ended: taking over
// what it left needs none.
func (d *Dispatcher) vacate(ctx context.Context, run *core.Run, attempt string) {
	select {
	case <-ctx.Done():
		return
	case <-d.Spawner.Idle(spawn.ID{Run: run.ID, Attempt: attempt}):
	}
	if err := d.engine.Vacate(ctx, run.ID, fenceOf(ctx), attempt); err != nil && ctx.Err() == nil {
		d.Log.Warn("an attempt keeps its slots until its end is recorded", "run", run.Alias, "attempt", attempt, "error", err)
	}
}

// follow waits until an attempt is over and reports it. What a dead shim left
// behind is salvaged first.
func (d *Dispatcher) follow(ctx context.Context, run *core.Run, attempt string) error {
	id := spawn.ID{Run: run.ID, Attempt: attempt}
	for {
		status, err := d.Spawner.Wait(ctx, id)
		if err != nil {
			return err
		}
		switch status {
		case spawn.Exited:
			return d.collect(ctx, run, attempt)
		case spawn.Lost:
			if err := d.Spawner.Salvage(ctx, id); err != nil {
				return err
			}
		case spawn.Absent:
			return d.report(ctx, run, gone(run, attempt))
		case spawn.Starting, spawn.Running:
		}
	}
}

// gone is the end of an attempt of which there is no trace. If it is on record that its agent began, it ran on a machine
// that is lost, or its folder is: what was observed of its consumption stays.
func gone(run *core.Run, attempt string) core.AttemptExited {
	if _, _, a := run.Attempt(attempt); a != nil && !a.StartedAt.IsZero() {
		return core.AttemptExited{
			Attempt: attempt, Kind: core.ExitLost, Usage: a.Usage, Message: "nothing is left of the attempt: its machine or its folder is gone",
		}
	}
	return core.AttemptExited{Attempt: attempt, Kind: core.ExitNoStart, Message: "the attempt was ended before its agent started"}
}

// meterEvery is how often a running attempt's consumption is looked at.
const meterEvery = 2 * time.Second

// meterShare is the part of a limit that one attempt may consume unreported.
const meterShare = 20

// meter reports what the agent of an attempt without a broker claims to have
// consumed, so that a limit holds while it runs and not only afterwards. It
// reports in steps and not at the limit only: attempts that run side by side use
// up one limit together, and each sees only its own part. What was consumed
// beyond the attempt's reservation is reserved after the fact.
func (d *Dispatcher) meter(ctx context.Context, run *core.Run, attempt string) {
	steps := meterSteps(run.Limits)
	if steps == (core.Spent{}) {
		return
	}
	_, _, a := run.Attempt(attempt)
	if a == nil {
		return
	}
	id := spawn.ID{Run: run.ID, Attempt: attempt}
	folder, err := d.Exchange.Receive(ctx, id)
	if err != nil {
		d.Log.Warn("cannot meter", "run", run.Alias, "attempt", attempt, "error", err)
		return
	}
	tail := shim.NewTailer(folder, 0)
	tick := time.NewTicker(meterEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		entries, err := d.news(ctx, id, tail)
		if err != nil {
			d.Log.Warn("cannot meter", "run", run.Alias, "attempt", attempt, "error", err)
			return
		}
		usage := newest(entries, a.Usage)
		if usage == nil || !noteworthy(steps, a.Usage, *usage) {
			continue
		}
		state, err := d.engine.Conclude(ctx, run.ID, fenceOf(ctx), core.UsageObserved{Attempt: attempt, Usage: *usage, Wants: overdraft(run, a, *usage)})
		if core.CodeOf(err) == core.CodeConflict {
			d.Log.Debug("an attempt that has ended is not metered", "run", run.Alias, "attempt", attempt, "reason", err)
			return
		}
		if err != nil {
			if ctx.Err() == nil {
				d.Log.Error("report consumption", "run", run.Alias, "attempt", attempt, "error", err)
			}
			continue
		}
		run = state
		if _, _, a = run.Attempt(attempt); a == nil {
			return
		}
	}
}

// news are the entries of an attempt's transcript that have come since the last look.
func (d *Dispatcher) news(ctx context.Context, id spawn.ID, tail *shim.Tailer) ([]shim.Entry, error) {
	if _, err := d.Exchange.Receive(ctx, id); err != nil {
		return nil, err
	}
	return tail.Next()
}

// overdraft asks for what an agent claims to have used beyond its reservation;
// nil if that covers it.
func overdraft(run *core.Run, a *core.Attempt, used core.Usage) *core.Want {
	total := core.Amount{USD: used.CostUSD, Tokens: used.Tokens()}
	if covers(grantOf(run, a), total) {
		return nil
	}
	return &core.Want{Seq: a.Answered + 1, Amount: total}
}

// atLeast keeps what was observed of an attempt from being taken back: what was
// counted against a limit stays so.
func atLeast(now, observed core.Usage) core.Usage {
	return core.Usage{
		CostUSD: max(now.CostUSD, observed.CostUSD), InputTokens: max(now.InputTokens, observed.InputTokens),
		OutputTokens: max(now.OutputTokens, observed.OutputTokens), CacheTokens: max(now.CacheTokens, observed.CacheTokens),
		Turns: max(now.Turns, observed.Turns),
	}
}

func newest(entries []shim.Entry, reported core.Usage) *core.Usage {
	var usage *core.Usage
	for _, e := range entries {
		if e.Record.Kind == agent.KindUsage && e.Record.Usage != nil {
			u := atLeast(usageOf(*e.Record.Usage, 0), reported)
			usage = &u
		}
	}
	return usage
}

// meterSteps are the limits that consumption is held against while an attempt
// runs: the lowest of the run's, its project's and the attempt's. Zero means none.
func meterSteps(l core.Limits) core.Spent {
	return core.Spent{
		CostUSD: lower(lower(l.CostUSD, l.Project.CostUSD), l.Attempt.CostUSD),
		Tokens:  lower(lower(l.Tokens, l.Project.Tokens), l.Attempt.Tokens),
	}
}

func lower[T int64 | float64](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// noteworthy reports that enough was consumed since the last report.
func noteworthy(l core.Spent, reported, now core.Usage) bool {
	return l.CostUSD > 0 && (now.CostUSD-reported.CostUSD)*meterShare >= l.CostUSD ||
		l.Tokens > 0 && (now.Tokens()-reported.Tokens())*meterShare >= l.Tokens
}

// usageOf is what an agent says that it has consumed, as far as that can be
// believed.
func usageOf(u agent.Usage, turns int) core.Usage {
	u = u.Bounded()
	return core.Usage{
		CostUSD: u.CostUSD, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
		CacheTokens: u.CacheReadTokens + u.CacheWriteTokens, Turns: turns,
	}
}
