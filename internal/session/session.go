// Package session is the engine's half of interactive sessions: which run a session
// owns, which attempts it may start, what it is told at the end of a turn, and whose
// word its hooks bring. The spawner's half is package spawn/session: an attempt as an
// offer in a folder, taken and handed in. This package must not start agents or judge
// what they hand in.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
	offer "github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Engine is what a session's run is known and changed through.
type Engine interface {
	Load(ctx context.Context, run string) (*core.Run, error)
	Submit(ctx context.Context, run string, actor core.Actor, body core.Body) (*core.Run, error)
}

// Store is what lists runs.
type Store interface {
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
}

// Options are what the sessions of an engine need.
type Options struct {
	State    string // the state folder
	Self     string // the program that runs beside agents
	Person   string // whose sessions they are
	Engine   Engine
	Store    Store
	Yards    dispatch.Yards
	Find     *find.Finder
	Folder   func(run string) string // where the readable copy of a run is
	Redactor *redact.Redactor
	// Isolation is what this machine provides, and why nothing stronger.
	Isolation func() (sandbox.Kind, string)
	Log       *slog.Logger
}

// Sessions keeps the snapshots of interactive sessions, and wakes who waits for
// a change. It implements dispatch.Sessions and api.Sessions.
type Sessions struct {
	Options
	layout dispatch.Layout

	mu       sync.Mutex
	changed  map[string]chan struct{} // by run, closed at the next change
	writings sync.Mutex
}

var (
	_ api.Sessions      = (*Sessions)(nil)
	_ dispatch.Sessions = (*Sessions)(nil)
)

// New makes the sessions of an engine.
func New(o Options) *Sessions {
	return &Sessions{Options: o, layout: dispatch.Layout{State: o.State}, changed: map[string]chan struct{}{}}
}

// AgentType implements dispatch.Sessions.
func (s *Sessions) AgentType(r core.Role) (name string, told bool) { return role.AgentType(r) }

// Changed implements dispatch.Sessions.
func (s *Sessions) Changed(ctx context.Context, run string) {
	if err := s.Refresh(ctx, run); err != nil && ctx.Err() == nil {
		s.Log.Error("write a session's snapshot", "run", run, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, ok := s.changed[run]; ok {
		close(waiting)
		delete(s.changed, run)
	}
}

// next is closed at the run's next change.
func (s *Sessions) next(run string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed[run] == nil {
		s.changed[run] = make(chan struct{})
	}
	return s.changed[run]
}

// Refresh derives the snapshot of the session that owns a run anew. The state is
// read under the lock: a snapshot is never replaced by an older one.
func (s *Sessions) Refresh(ctx context.Context, id string) error {
	s.writings.Lock()
	defer s.writings.Unlock()
	run, err := s.Engine.Load(ctx, id)
	if err != nil || run.Session == "" {
		return err
	}
	if run.Status.Terminal() { // it has been told, or is about to be
		if _, err := snapshot.Read(s.State, run.Session); errors.Is(err, snapshot.ErrNone) {
			return nil
		}
	}
	return s.write(run)
}

// release says that a session owns no run any more.
func (s *Sessions) release(name string) error {
	s.writings.Lock()
	defer s.writings.Unlock()
	return snapshot.Remove(s.State, name)
}

func (s *Sessions) write(run *core.Run) error {
	snap := snapshot.Snapshot{
		Session: run.Session, Run: run.ID, Alias: run.Alias, Root: filepath.Dir(run.Folder()), Branch: run.Branch,
		Agents: map[string]snapshot.Agent{},
	}
	if kind, _ := s.Isolation(); kind == sandbox.Sandbox {
		var err error
		if snap.Shell, err = lookCommand(s.Self, snap.Root, dispatch.Resources(run, s.layout)); err != nil {
			return err
		}
	}
	offers := s.offers(run)
	for _, o := range offers {
		snap.Offers = append(snap.Offers, snapshot.Offer{Type: o.Type, Prompt: tell(o, offers), Model: o.Model})
	}
	for _, w := range s.workers(run) {
		in, out := filepath.Join(w.folder, "in"), filepath.Join(w.folder, "out")
		_, task, _ := run.Attempt(w.attempt.ID)
		snap.Agents[w.taken.Agent] = snapshot.Agent{
			Attempt: w.attempt.ID, Dir: w.taken.Dir,
			Readable: []string{filepath.Join(w.folder, "prompt.md"), in}, Writable: []string{out},
			Shell: []string{s.Self, "worker", "shell", w.folder}, Tools: run.Playbook.Roles[task.Role].Tools,
		}
	}
	return snapshot.Write(s.State, snap)
}

// tell is what an agent of a session is told; everything else is in the file.
// Agents of one type cannot be told apart before they start: which of the
// offers is theirs they hear then.
func tell(o api.Offer, all []api.Offer) string {
	file := o.Prompt
	if len(slices.DeleteFunc(slices.Clone(all), func(other api.Offer) bool { return other.Type != o.Type })) > 1 {
		file = "the prompt file that Stellwerk named when you started"
	}
	return "Read " + file + " and do what it says. Your working directory is the workspace it speaks of."
}

// worker is an agent of a session that works on an attempt.
type worker struct {
	attempt *core.Attempt
	folder  string
	taken   offer.Taken
}

// workers are the agents of the owning session that are at work.
func (a *Sessions) workers(run *core.Run) []worker {
	var at []worker
	for _, attempt := range run.Active() {
		folder := a.layout.Attempt(run.ID, attempt.ID)
		taken, err := offer.TakenBy(folder)
		if err != nil || taken.Session != run.Session || taken.Agent == "" || offer.Ended(folder) || shim.Cancelled(folder) {
			continue
		}
		if attempt.Status == core.AttemptPending || attempt.Status == core.AttemptRunning {
			at = append(at, worker{attempt, folder, taken})
		}
	}
	return at
}

// offers are the attempts that the owning session may start now, oldest first.
func (a *Sessions) offers(run *core.Run) []api.Offer {
	var offers []api.Offer
	if run.Session == "" || run.Status != core.StatusActive {
		return nil
	}
	for _, attempt := range run.Active() {
		folder := a.layout.Attempt(run.ID, attempt.ID)
		o, err := offer.Read(folder)
		if err != nil || attempt.Status != core.AttemptPending {
			continue
		}
		if _, err := offer.TakenBy(folder); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		offers = append(offers, api.Offer{
			Attempt: o.Attempt, Role: o.Role, Type: o.Type, Model: o.Model, N: o.N,
			Prompt: filepath.Join(folder, "prompt.md"), Base: o.Base,
		})
	}
	return offers
}

// offering reports that an attempt was requested whose offer is on its way: a
// team is offered whole, so that its agents start at once.
func (a *Sessions) offering(run *core.Run) bool {
	for _, attempt := range run.Active() {
		if attempt.Status != core.AttemptPending {
			continue
		}
		if _, err := offer.Read(a.layout.Attempt(run.ID, attempt.ID)); errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// owned is the run that a session owns; nil if it owns none.
func (a *Sessions) owned(ctx context.Context, name string) (*core.Run, error) {
	snap, err := snapshot.Read(a.State, name)
	if errors.Is(err, snapshot.ErrNone) {
		return nil, nil
	}
	if errors.Is(err, snapshot.ErrDamaged) {
		return a.repair(ctx, name)
	}
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "the session cannot be found", "name it as its program does")
	}
	run, err := a.Engine.Load(ctx, snap.Run)
	if core.CodeOf(err) == core.CodeNotFound || err == nil && run.Session != name {
		return nil, a.release(name)
	}
	return run, err
}

// repair writes a damaged snapshot anew, from the run that it was derived from.
func (a *Sessions) repair(ctx context.Context, name string) (*core.Run, error) {
	rows, err := a.Store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		run, err := a.Engine.Load(ctx, row.ID)
		if errors.Is(err, core.ErrUnreadable) {
			continue // another engine's
		}
		if err != nil {
			return nil, err
		}
		if run.Session == name {
			return run, a.Refresh(ctx, run.ID)
		}
	}
	return nil, a.release(name)
}

// abandon gives up the attempts of agents that are not at work any more. They
// are lost, not failed: nobody knows what became of the work.
func (a *Sessions) abandon(ctx context.Context, run *core.Run, alive []string) error {
	var errs []error
	for _, w := range a.workers(run) {
		if slices.Contains(alive, w.taken.Agent) {
			continue
		}
		a.Log.Info("an agent of a session has gone", "run", run.Alias, "attempt", w.attempt.ID, "agent", w.taken.Agent)
		errs = append(errs, shim.Cancel(w.folder))
	}
	if len(errs) > 0 {
		a.Changed(ctx, run.ID)
	}
	return errors.Join(errs...)
}

// patience is how long a look waits for a change that nobody announces.
const patience = 200 * time.Millisecond

// await returns at the next change of a run, or soon.
func (s *Sessions) await(ctx context.Context, run string) {
	select {
	case <-ctx.Done():
	case <-s.next(run):
	case <-time.After(patience):
	}
}

// lookCommand is the command that calls worker.LookShell with the limits of the run.
func lookCommand(self, root string, bounds shim.Resources) ([]string, error) {
	limits, err := json.Marshal(bounds)
	if err != nil {
		return nil, fmt.Errorf("hand over the limits of a session's commands: %w", err)
	}
	return []string{self, "worker", "look", "--resources", string(limits), root}, nil
}
