package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// sessions keeps the snapshots of interactive sessions, and wakes who waits for
// a change. It implements dispatch.Sessions.
type sessions struct {
	app      *App
	mu       sync.Mutex
	changed  map[string]chan struct{} // by run, closed at the next change
	writings sync.Mutex
}

func newSessions(a *App) *sessions {
	return &sessions{app: a, changed: map[string]chan struct{}{}}
}

// AgentType implements dispatch.Sessions.
func (s *sessions) AgentType(r core.Role) (name string, told bool) { return role.AgentType(r) }

// Changed implements dispatch.Sessions.
func (s *sessions) Changed(ctx context.Context, run string) {
	if err := s.refresh(ctx, run); err != nil && ctx.Err() == nil {
		s.app.log.Error("write a session's snapshot", "run", run, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, ok := s.changed[run]; ok {
		close(waiting)
		delete(s.changed, run)
	}
}

// next is closed at the run's next change.
func (s *sessions) next(run string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed[run] == nil {
		s.changed[run] = make(chan struct{})
	}
	return s.changed[run]
}

// refresh derives the snapshot of the session that owns a run anew. The state is
// read under the lock: a snapshot is never replaced by an older one.
func (s *sessions) refresh(ctx context.Context, id string) error {
	s.writings.Lock()
	defer s.writings.Unlock()
	run, err := s.app.engine.Load(ctx, id)
	if err != nil || run.Session == "" {
		return err
	}
	if run.Status.Terminal() { // it has been told, or is about to be
		if _, err := snapshot.Read(s.app.state.dir, run.Session); errors.Is(err, snapshot.ErrNone) {
			return nil
		}
	}
	return s.write(run)
}

// release says that a session owns no run any more.
func (s *sessions) release(name string) error {
	s.writings.Lock()
	defer s.writings.Unlock()
	return snapshot.Remove(s.app.state.dir, name)
}

func (s *sessions) write(run *core.Run) error {
	snap := snapshot.Snapshot{
		Session: run.Session, Run: run.ID, Alias: run.Alias, Root: filepath.Dir(run.Folder()), Branch: run.Branch,
		Agents: map[string]snapshot.Agent{},
	}
	if kind, _ := s.app.isolation(); kind == sandbox.Sandbox {
		var err error
		if snap.Shell, err = lookCommand(s.app.self, snap.Root, dispatch.Resources(run, s.app.layout)); err != nil {
			return err
		}
	}
	offers := s.app.offers(run)
	for _, o := range offers {
		snap.Offers = append(snap.Offers, snapshot.Offer{Type: o.Type, Prompt: tell(o, offers), Model: o.Model})
	}
	for _, w := range s.app.workers(run) {
		in, out := filepath.Join(w.folder, "in"), filepath.Join(w.folder, "out")
		_, task, _ := run.Attempt(w.attempt.ID)
		snap.Agents[w.taken.Agent] = snapshot.Agent{
			Attempt: w.attempt.ID, Dir: w.taken.Dir,
			Readable: []string{filepath.Join(w.folder, "prompt.md"), in}, Writable: []string{out},
			Shell: []string{s.app.self, "worker", "shell", w.folder}, Tools: run.Playbook.Roles[task.Role].Tools,
		}
	}
	return snapshot.Write(s.app.state.dir, snap)
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
	taken   session.Taken
}

// workers are the agents of the owning session that are at work.
func (a *App) workers(run *core.Run) []worker {
	var at []worker
	for _, attempt := range run.Active() {
		folder := a.layout.Attempt(run.ID, attempt.ID)
		taken, err := session.TakenBy(folder)
		if err != nil || taken.Session != run.Session || taken.Agent == "" || session.Ended(folder) || shim.Cancelled(folder) {
			continue
		}
		if attempt.Status == core.AttemptPending || attempt.Status == core.AttemptRunning {
			at = append(at, worker{attempt, folder, taken})
		}
	}
	return at
}

// offers are the attempts that the owning session may start now, oldest first.
func (a *App) offers(run *core.Run) []api.Offer {
	var offers []api.Offer
	if run.Session == "" || run.Status != core.StatusActive {
		return nil
	}
	for _, attempt := range run.Active() {
		folder := a.layout.Attempt(run.ID, attempt.ID)
		o, err := session.Read(folder)
		if err != nil || attempt.Status != core.AttemptPending {
			continue
		}
		if _, err := session.TakenBy(folder); !errors.Is(err, os.ErrNotExist) {
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
func (a *App) offering(run *core.Run) bool {
	for _, attempt := range run.Active() {
		if attempt.Status != core.AttemptPending {
			continue
		}
		if _, err := session.Read(a.layout.Attempt(run.ID, attempt.ID)); errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// owned is the run that a session owns; nil where it owns none.
func (a *App) owned(ctx context.Context, name string) (*core.Run, error) {
	snap, err := snapshot.Read(a.state.dir, name)
	if errors.Is(err, snapshot.ErrNone) {
		return nil, nil
	}
	if errors.Is(err, snapshot.ErrDamaged) {
		return a.repair(ctx, name)
	}
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "the session cannot be found", "name it as its program does")
	}
	run, err := a.engine.Load(ctx, snap.Run)
	if core.CodeOf(err) == core.CodeNotFound || err == nil && run.Session != name {
		return nil, a.sessions.release(name)
	}
	return run, err
}

// repair writes a damaged snapshot anew, from the run that it was derived from.
func (a *App) repair(ctx context.Context, name string) (*core.Run, error) {
	rows, err := a.store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		run, err := a.engine.Load(ctx, row.ID)
		if err != nil {
			return nil, err
		}
		if run.Session == name {
			return run, a.sessions.refresh(ctx, run.ID)
		}
	}
	return nil, a.sessions.release(name)
}

// abandon gives up the attempts of agents that are not at work any more. They
// are lost, not failed: nobody knows what became of the work.
func (a *App) abandon(ctx context.Context, run *core.Run, alive []string) error {
	var errs []error
	for _, w := range a.workers(run) {
		if slices.Contains(alive, w.taken.Agent) {
			continue
		}
		a.log.Info("an agent of a session has gone", "run", run.Alias, "attempt", w.attempt.ID, "agent", w.taken.Agent)
		errs = append(errs, shim.Cancel(w.folder))
	}
	if len(errs) > 0 {
		a.sessions.Changed(ctx, run.ID)
	}
	return errors.Join(errs...)
}

// patience is how long a look waits for a change that nobody announces.
const patience = 200 * time.Millisecond

// await returns at the next change of a run, or soon.
func (s *sessions) await(ctx context.Context, run string) {
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
