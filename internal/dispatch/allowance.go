package dispatch

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// askEvery is how often dispatch looks whether an attempt's broker asks for more.
const askEvery = 100 * time.Millisecond

// brokered reports that the supervisor of an attempt has a broker, which lets it
// spend only what is reserved.
func (d *Dispatcher) brokered(ctx context.Context, id spawn.ID) (bool, error) {
	folder, err := d.Exchange.Receive(ctx, id)
	return err == nil && brokeredIn(folder), err
}

func brokeredIn(folder string) bool {
	spec, err := shim.ReadSpec(folder)
	return err == nil && spec.Model != nil
}

// fund answers what the broker of an attempt asks for, as long as the attempt
// runs. A broker is told only what is committed: if the engine ends in between,
// the next one tells it. Without limits a broker never asks.
func (d *Dispatcher) fund(ctx context.Context, run *core.Run, attempt string) {
	if money, tokens := run.Limits.Limited(); !money && !tokens {
		return
	}
	id := spawn.ID{Run: run.ID, Attempt: attempt}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	_, _, a := run.Attempt(attempt)
	tell := a != nil && a.Answered > 0 // whether an earlier engine got to it nobody knows
	for a != nil {
		if tell {
			err := d.Exchange.Grant(ctx, id, grantOf(run, a))
			if tell = err != nil; tell {
				d.Log.Error("tell a broker what may be spent", "run", run.Alias, "attempt", attempt, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		state, err := d.ask(ctx, run, a)
		switch {
		case core.CodeOf(err) == core.CodeConflict:
			d.Log.Debug("an attempt that has ended gets no more", "run", run.Alias, "attempt", attempt, "reason", err)
			return
		case err != nil && ctx.Err() == nil:
			d.Log.Error("reserve what an attempt may spend", "run", run.Alias, "attempt", attempt, "error", err)
		case state != nil:
			run, tell = state, true
			_, _, a = run.Attempt(attempt)
		}
	}
}

// ask brings what a broker wants, or gives back, to the engine, and returns the state that
// answers it; nil if nothing new is wanted.
func (d *Dispatcher) ask(ctx context.Context, run *core.Run, a *core.Attempt) (*core.Run, error) {
	folder, err := d.Exchange.Receive(ctx, spawn.ID{Run: run.ID, Attempt: a.ID})
	if err != nil {
		return nil, err
	}
	want, err := ledger.ReadWant(folder)
	returns := want.Return != nil && want.Return.Seq > a.Answered // until it is answered, no grant that it has counts
	if err != nil || want.Seq <= a.Answered || !returns && covers(grantOf(run, a), want.Total) {
		return nil, err
	}
	wants := core.Want{Seq: want.Seq, Amount: want.Total, Least: want.Least}
	if returns {
		wants.Keeps = &want.Return.Keeps
	}
	statement, err := ledger.Read(folder)
	if err != nil {
		return nil, err
	}
	metered := meteredOf(statement.Models)
	return d.engine.Conclude(ctx, run.ID, fenceOf(ctx), core.UsageObserved{
		Attempt: a.ID, Usage: a.Usage, Metered: &metered, Wants: &wants,
	})
}

// grantOf is what an attempt may spend, as its broker is told.
func grantOf(run *core.Run, a *core.Attempt) ledger.Grant {
	money, tokens := run.Limits.Limited()
	g := ledger.Grant{Seq: a.Answered, UnlimitedUSD: !money, UnlimitedTokens: !tokens}
	if a.Reserved != nil {
		g.Amount = *a.Reserved
	}
	if a.Short != nil {
		g.Refused, g.Held = a.Short.Reason+"; "+wording.Advice(core.PauseBudget, a.Short.Advice), a.Short.Held
	}
	return g
}

func covers(g ledger.Grant, total core.Amount) bool {
	return (g.UnlimitedUSD || total.USD <= g.USD) && (g.UnlimitedTokens || total.Tokens <= g.Tokens)
}

// meteredOf is what requests to models came to.
func meteredOf(models map[string]ledger.Spent) core.Usage {
	var u core.Usage
	for _, spent := range models {
		u = u.Add(core.Usage{
			CostUSD: spent.USD, InputTokens: spent.Usage.Input, OutputTokens: spent.Usage.Output,
			CacheTokens: spent.Usage.CacheRead + spent.Usage.CacheWrite + spent.Usage.CacheWrite1h,
		})
	}
	return u
}

// settle is what an attempt that is over has spent by its broker's account;
// requests that were under way when its supervisor was killed included. It is
// nil if it had no broker.
func settle(folder string) (*core.Usage, error) {
	if !brokeredIn(folder) {
		return nil, nil //nolint:nilnil // nobody metered it
	}
	statement, err := ledger.Read(folder)
	if err != nil {
		return nil, err
	}
	metered := meteredOf(statement.Closed())
	return &metered, nil
}
