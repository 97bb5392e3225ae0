package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	offer "github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Lease implements api.Sessions.
func (a *Sessions) Lease(ctx context.Context, name string, req api.Lease) (api.Leased, error) {
	run, err := a.mustOwn(ctx, name)
	if err != nil {
		return api.Leased{}, err
	}
	dir, err := a.leased(run, req.Agent)
	if err != nil {
		return api.Leased{}, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return api.Leased{Dir: dir}, nil
	}
	offers := a.offers(run)
	if len(offers) == 0 {
		return api.Leased{}, core.Errorf(core.CodeConflict, "run %s has no work to offer now: it is %s", run.Alias, run.Status.InWords()).
			WithHint("end the turn; Stellwerk says what is next")
	}
	y, err := a.Yards.Yard(ctx, run.Project)
	if err != nil {
		return api.Leased{}, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return api.Leased{}, fmt.Errorf("make a workspace: %w", err)
	}
	if err := os.WriteFile(baseFile(dir), []byte(offers[0].Base), 0o600); err != nil {
		return api.Leased{}, fmt.Errorf("make a workspace: %w", err)
	}
	return api.Leased{Dir: dir}, y.Workspace(ctx, yard.WorkspaceSpec{
		Dir: dir, Commit: offers[0].Base, Branch: run.Branch, Identity: yard.Identity(run.Identity),
	})
}

// leased is the workspace of an agent.
func (a *Sessions) leased(run *core.Run, agent string) (string, error) {
	if agent == "" || len(agent) > 128 || strings.ContainsAny(agent, "/\\.") {
		return "", core.Errorf(core.CodeInvalid, "%.80q is not the name of an agent", agent)
	}
	return filepath.Join(a.layout.Work(run.ID), "agent-"+agent), nil
}

// baseFile says which commit a leased workspace was made from: git is not to be
// asked in a folder that an agent can write.
func baseFile(dir string) string { return dir + ".base" }

func (a *Sessions) mustOwn(ctx context.Context, name string) (*core.Run, error) {
	run, err := a.owned(ctx, name)
	if err == nil && run == nil {
		err = core.Errorf(core.CodeConflict, "session %s owns no run", name).WithHint("start one, or take one over").Offer(core.Choice{Verb: core.VerbTakeOver, Run: "RUN"})
	}
	return run, err
}

// Take implements api.Sessions.
func (a *Sessions) Take(ctx context.Context, name string, req api.Take) (api.Assignment, error) {
	run, err := a.mustOwn(ctx, name)
	if err != nil {
		return api.Assignment{}, err
	}
	dir, err := a.leased(run, req.Agent)
	if err != nil {
		return api.Assignment{}, err
	}
	if filepath.Clean(req.Dir) != dir {
		return api.Assignment{}, core.Errorf(core.CodeConflict, "agent %s works in %s and not in the workspace it was given", req.Agent, req.Dir).
			WithHint("the session's program must honour `isolation: worktree`: update it")
	}
	attempt, err := a.takeOffer(run, req, offer.Taken{Session: name, Agent: req.Agent, Dir: dir})
	if err != nil {
		return api.Assignment{}, err
	}
	folder := a.layout.Attempt(run.ID, attempt)
	if err := a.begun(ctx, run.ID, attempt); err != nil {
		// The agent will not hear of it, so the attempt is nobody's: lost, not failed.
		return api.Assignment{}, errors.Join(err, shim.Cancel(folder))
	}
	a.Changed(ctx, run.ID)
	_, task, _ := run.Attempt(attempt)
	return api.Assignment{
		Attempt: attempt, Role: task.Role, Prompt: filepath.Join(folder, "prompt.md"), Dir: dir,
		In: filepath.Join(folder, "in"), Out: filepath.Join(folder, "out"),
	}, nil
}

// takeOffer gives an agent the oldest offer of its type that its workspace fits.
func (a *Sessions) takeOffer(run *core.Run, req api.Take, taken offer.Taken) (string, error) {
	for _, w := range a.workers(run) {
		if w.taken == taken { // asked before
			return w.attempt.ID, nil
		}
	}
	base, err := os.ReadFile(baseFile(taken.Dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look at the agent's workspace: %w", err)
	}
	for _, o := range a.offers(run) {
		if o.Type != req.Type || o.Base != string(base) {
			continue
		}
		err := offer.Take(a.layout.Attempt(run.ID, o.Attempt), taken)
		if errors.Is(err, offer.ErrTaken) {
			continue
		}
		return o.Attempt, err
	}
	return "", core.Errorf(core.CodeConflict, "no work of run %s is offered to an agent %s", run.Alias, req.Type).
		WithHint("start exactly the agents that Stellwerk names")
}

// begun waits until an attempt that was taken is running.
func (a *Sessions) begun(ctx context.Context, run, attempt string) error {
	for {
		r, err := a.Engine.Load(ctx, run)
		if err != nil {
			return err
		}
		_, _, at := r.Attempt(attempt)
		switch {
		case at == nil || at.Status == core.AttemptEnded || at.Status == core.AttemptStopping:
			return core.Errorf(core.CodeConflict, "attempt %s ended before it began", attempt).WithHint("end the turn; Stellwerk says what is next")
		case at.Status == core.AttemptRunning:
			return nil
		}
		a.await(ctx, run)
		if err := ctx.Err(); err != nil {
			return core.Wrap(core.CodeUnavailable, err, "the attempt did not begin in time", "").Offer(r.Choices(core.VerbStatus)...)
		}
	}
}

// HandIn implements api.Sessions.
func (a *Sessions) HandIn(ctx context.Context, name string, req api.HandIn) error {
	run, err := a.owned(ctx, name)
	if err != nil || run == nil {
		return err
	}
	for _, w := range a.workers(run) {
		if w.taken.Agent != req.Agent {
			continue
		}
		if err := a.handIn(w, req); err != nil {
			return err
		}
		a.Changed(ctx, run.ID)
		return nil
	}
	return nil
}

func (a *Sessions) handIn(w worker, req api.HandIn) (err error) {
	message := a.Redactor.String(plain.Clip(req.Message, maxWord))
	if req.Transcript == "" {
		return offer.HandIn(w.folder, message, nil)
	}
	f, err := os.Open(req.Transcript)
	if errors.Is(err, fs.ErrNotExist) {
		return offer.HandIn(w.folder, message, nil)
	}
	if err != nil {
		return fmt.Errorf("read the agent's transcript: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(core.Errorf(core.CodeInvalid, "%s is not a transcript", req.Transcript), err)
	}
	return offer.HandIn(w.folder, message, f)
}
