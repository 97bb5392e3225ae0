package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Owns reports that this engine owns a project under a fence, with time enough to
// begin what others can see.
func (e *Engine) Owns(project string, fence int64) bool {
	now, mine := e.owned.fence(project)
	return mine && now == fence
}

// Fence is that under which this engine owns a project as far as it knows, however long ago it heard of its lease; 0 if it
// does not own it.
func (e *Engine) Fence(project string) int64 {
	e.owned.mu.Lock()
	defer e.owned.mu.Unlock()
	return e.owned.fences[project]
}

// Owned is how many projects this engine owns as far as it knows, and how long ago it asked for the lease that holds; 0 if it owns
// none.
func (e *Engine) Owned() (projects int, lease time.Duration) {
	e.owned.mu.Lock()
	defer e.owned.mu.Unlock()
	if len(e.owned.fences) == 0 {
		return 0, 0
	}
	return len(e.owned.fences), e.owned.since(time.Now())
}

// Begin makes this engine one that owns projects: those that it owned before it ended
// last, and those that nobody owns. What is under way in them is found again.
func (e *Engine) Begin(ctx context.Context) error {
	asked := time.Now()
	owned, err := e.store.Enlist(ctx, store.Engine{ID: e.opts.ID, Host: e.opts.Host, Place: e.opts.Place}, e.opts.Lease)
	if err != nil {
		return err
	}
	e.owned.hold(asked, owned)
	e.begun = true
	e.adopt(ctx, named(append(owned, e.takeAdrift(ctx)...)))
	return nil
}

// Leave gives back everything that this engine owns, for others to take at once.
func (e *Engine) Leave(ctx context.Context) error {
	e.owned.change.Lock()
	defer e.owned.change.Unlock()
	if !e.begun || e.owned.isRetired() {
		return nil
	}
	e.owned.mu.Lock()
	clear(e.owned.fences)
	e.owned.mu.Unlock()
	return e.store.Leave(ctx, e.opts.ID)
}

// giveUp gives back a project that this engine cannot work on, whether or not it owns it.
func (e *Engine) giveUp(ctx context.Context, project string) error {
	e.owned.change.Lock()
	defer e.owned.change.Unlock()
	e.owned.mu.Lock()
	fence := e.owned.fences[project]
	e.owned.mu.Unlock()
	return e.yield(ctx, store.Owner{Project: project, Fence: fence})
}

// yield gives one project back. e.owned.change is held.
func (e *Engine) yield(ctx context.Context, p store.Owner) error {
	if !e.owned.drop(p.Project, p.Fence) {
		return nil
	}
	e.dispatcher.Release(p.Project)
	ctx, stop := e.bounded(ctx)
	defer stop()
	return e.store.Yield(ctx, []store.Owner{p})
}

// bounded is how long the store may take to answer about owners. It leaves time to let go of projects before the
// lease ends.
func (e *Engine) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, e.opts.Lease/4)
}

// takeAtOnce is how many projects are taken in one go.
const takeAtOnce = 256

// takeAdrift takes the projects that somebody should own and nobody does, as far as this
// engine can work on them. Those that it cannot work on stay adrift, so each look goes on where the one
// before it ended: however many they are, they hide none that come after them.
func (e *Engine) takeAdrift(ctx context.Context) []store.Owner {
	if e.owned.isRetired() || e.owned.drains() {
		return nil
	}
	soon, stop := e.bounded(ctx)
	adrift, err := e.store.Adrift(soon, e.sought, takeAtOnce)
	stop()
	if err != nil {
		e.fault(ctx, "look for projects without an owner", err)
		return nil
	}
	e.sought = ""
	if len(adrift) == takeAtOnce {
		e.sought = adrift[takeAtOnce-1].Project
	}
	var wanted []string
	for _, p := range adrift {
		if e.able(ctx, p) {
			wanted = append(wanted, p.Project)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	taken := e.take(ctx, wanted)
	if len(taken) == 0 {
		return nil
	}
	if err := e.forgetUnfit(ctx, taken); err != nil {
		e.fault(ctx, "forget what engines lacked", err)
	}
	return taken
}

// take makes this engine the owner of projects, unless others are.
func (e *Engine) take(ctx context.Context, wanted []string) []store.Owner {
	e.owned.change.Lock()
	defer e.owned.change.Unlock()
	if e.owned.drains() {
		return nil
	}
	asked := time.Now()
	soon, stop := e.bounded(ctx)
	defer stop()
	taken, err := e.store.Take(soon, e.opts.ID, e.opts.Lease, wanted)
	if errors.Is(err, store.ErrFenced) {
		e.retire(err)
		return nil
	}
	if err != nil {
		e.owned.doubt()
		e.fault(ctx, "take projects", err)
		return nil
	}
	e.owned.hold(asked, taken)
	return taken
}

// askAgain is when a project is looked at again that this engine could not work on.
const askAgain = 30 * time.Second

// able reports that this engine can work on a project. What it owned last, or the one engine
// of a version without owners, it never leaves to others for what its host lacks: a person
// there is to be told.
func (e *Engine) able(ctx context.Context, p store.Owner) bool {
	e.owned.mu.Lock()
	was, known := e.owned.unfit[p.Project]
	_, mine := e.owned.fences[p.Project]
	e.owned.mu.Unlock()
	if mine || e.Left(p.Project) != nil { // its lease is to be renewed, or it is for others
		return false
	}
	if known && time.Now().Before(was.until) {
		return false
	}
	var why error
	former := p.Engine == e.opts.ID || p.Engine == "" && p.Fence > 0
	if e.opts.Able != nil && !former {
		why = e.opts.Able(ctx, p.Project)
	}
	e.owned.judge(p.Project, why)
	if why == nil {
		return true
	}
	if was.why != why.Error() {
		e.log.Warn("a project is left to other engines", "project", p.Project, "reason", why)
	}
	if err := e.tellUnfit(ctx, p.Project, why); err != nil {
		e.fault(ctx, "say why a project is left to other engines", err, "project", p.Project)
	}
	return false
}

// keep renews the lease until the context ends, well before it runs out.
func (e *Engine) keep(ctx context.Context, work *sync.WaitGroup) {
	tick := time.NewTicker(e.opts.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-e.owned.doubted:
		}
		drain(e.owned.doubted) // what is asked for now answers both
		drain(tick.C)
		if e.owned.none() && !e.expected() || planted.Is("norenew") {
			continue
		}
		if again := e.renewLease(ctx); len(again) > 0 {
			work.Go(func() { e.adopt(ctx, again) })
		}
	}
}

// expected reports that others look whether this engine is there although it owns nothing.
func (e *Engine) expected() bool { return e.opts.Shared && !e.owned.isRetired() }

// renewLease renews the lease, and lets go of what others have taken. It returns the projects
// to be taken up again, because nobody acted for them while the lease was in doubt.
func (e *Engine) renewLease(ctx context.Context) []string {
	e.owned.change.Lock()
	defer e.owned.change.Unlock()
	asked := time.Now()
	soon, stop := e.bounded(ctx)
	owned, err := e.store.Renew(soon, e.opts.ID, e.opts.Lease)
	stop()
	if errors.Is(err, store.ErrFenced) {
		e.retire(err)
		return nil
	}
	if err != nil {
		e.fault(ctx, "renew the lease", err)
		for _, project := range e.owned.suspend() {
			e.dispatcher.Release(project)
		}
		return nil
	}
	lost, again := e.owned.confirm(asked, owned)
	e.looks.keep(owned)
	for _, project := range lost {
		e.log.Warn("another engine has taken a project over", "project", project)
		e.dispatcher.Release(project)
	}
	for _, p := range owned {
		if e.owned.drains() || e.Left(p.Project) != nil || e.owned.rests(p) && !e.looks.busy(p.Project) {
			if err := e.yield(ctx, p); err != nil {
				e.fault(ctx, "give a project back", err, "project", p.Project)
			}
		}
	}
	return again
}

// retire lets go of everything, because another engine works under this one's identity. It was
// the later to begin, so the projects are its own.
func (e *Engine) retire(why error) {
	e.log.Error("another engine works under this one's identity, so this one gives up its projects: one of their state folders is a copy of the other", "error", why)
	for _, project := range e.owned.retire() {
		e.dispatcher.Release(project)
	}
}

// Retired reports that this engine has let go of everything for good: another one works under its identity.
func (e *Engine) Retired() bool { return e.owned.isRetired() }

// fenced lets go of a project, because a step for it was refused under its fence, and puts the
// refusal on record. The step's own context may have ended with the project; a store that does not answer holds nothing up
// for longer than a lease.
func (e *Engine) fenced(ctx context.Context, s *stream, in input, why error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), e.opts.Lease)
	defer stop()
	if err := e.load(ctx, s); err != nil || s.run == nil {
		e.log.Error("record a refusal", "stream", s.name, "error", err)
		return
	}
	if e.owned.pass(s.run.Project, in.fence) {
		e.log.Warn("another engine has taken a project over", "project", s.run.Project)
		e.dispatcher.Release(s.run.Project)
	}
	reason := "engine " + e.opts.ID + " on " + e.opts.Host + " no longer owns the project: " + why.Error()
	_, err := e.step(ctx, s, input{actor: core.Engine(), body: core.CommandRefused{Command: string(core.TypeOf(in.body)), Reason: reason}})
	if err != nil {
		e.log.Error("record a refusal", "stream", s.name, "error", err)
	}
}

// fault logs what went wrong, unless it did because the engine ends.
func (e *Engine) fault(ctx context.Context, what string, err error, with ...any) {
	if ctx.Err() == nil {
		e.log.Error(what, append(with, "error", err)...)
	}
}
