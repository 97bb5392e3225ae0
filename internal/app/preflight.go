package app

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/preflight"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// preflight finds out whether a run that is about to begin could succeed at all.
// What it found becomes part of the run; an error means that it must not begin.
// The trial lasts until endTrial.
func (a *App) preflight(ctx context.Context, s *start) error {
	limit := s.settings.Preflight
	switch {
	case limit.V == 0:
		s.started.Preflight = &core.Preflight{Skipped: "it was set to off by " + limit.From.String()}
		if limit.From.Level == config.LevelFlag {
			s.started.Preflight.Skipped = preflight.NoPreflight
		}
		return nil
	case s.req.Session != "": // a session is the agents' program, and is not kept waiting
		return nil
	}
	in, err := s.ground.preflight(ctx, s.plan.playbook, s.started.Isolation)
	if err != nil {
		return err
	}
	in.Limit, in.Tell = limit.V, s.tell
	if !s.untried {
		if s.trial, err = a.dispatch.NewTrial(ctx, s.started); err != nil {
			return err
		}
		in.Trial = tried{s.trial}
	}
	found, err := preflight.Run(ctx, in)
	if err != nil {
		return err
	}
	if s.started.Preflight = found; s.untried {
		s.started.Preflight = &core.Preflight{Skipped: s.why}
	}
	return nil
}

// endTrial removes what the trial of the checks has made, but for what a run has taken over.
func (a *App) endTrial(ctx context.Context, s *start) {
	if s.trial == nil {
		return
	}
	if err := s.trial.Close(ctx); err != nil {
		a.log.Warn("a trial of the checks left something behind", "error", err)
	}
}

// submit begins the run, which takes over what its trial has cached: before it
// begins, as its first attempt may look there at once. Where it does not begin,
// nobody would ever remove that.
func (a *App) submit(ctx context.Context, s *start, word core.Actor) (*core.Run, error) {
	if s.trial == nil {
		return a.engine.Submit(ctx, s.started.Run, word, s.started)
	}
	err := s.trial.Keep()
	if err == nil {
		var run *core.Run
		if run, err = a.engine.Submit(ctx, s.started.Run, word, s.started); err == nil {
			return run, nil
		}
	}
	if _, missing := a.store.Run(context.WithoutCancel(ctx), s.started.Run); errors.Is(missing, store.ErrNotFound) {
		if err := s.trial.Disown(); err != nil {
			a.log.Warn("what a trial of the checks has cached is left behind", "error", err)
		}
	}
	return nil, err
}

// ready refuses agents that are not on this machine or cannot get to work.
func (g *ground) ready(ctx context.Context, p *core.Playbook, isolation string) error {
	in, err := g.preflight(ctx, p, isolation)
	if err == nil {
		_, err = preflight.Run(ctx, in)
	}
	return err
}

// preflight is what there is to look at before a run with this playbook begins.
func (g *ground) preflight(ctx context.Context, p *core.Playbook, isolation string) (preflight.Input, error) {
	if err := g.checkPrices(p); err != nil {
		return preflight.Input{}, err
	}
	files, err := g.yard.Files(ctx, g.commit)
	if err != nil {
		return preflight.Input{}, err
	}
	in := g.look(p, files)
	in.Detected = g.detect(ctx, files).Setup
	in.Place.Isolated, in.Place.ReadOnly = isolation == string(sandbox.Sandbox), g.app.settings.ReadOnly.V
	if in.Place.Isolated {
		in.Place.Private = g.app.dispatch.Private()
	}
	in.Place.Settings, err = config.UserFile(os.Getenv)
	return in, err
}

// look is as much of it as costs nothing: the agents. Without a repository only
// what comes with the program can be looked at.
func (g *ground) look(p *core.Playbook, files []yard.File) preflight.Input {
	in := preflight.Input{
		Playbook: p, Agents: p.Agents, Files: map[string]string{}, Lacks: g.lacks, Handed: g.app.secretNames,
		Head: func(ctx context.Context, path string) (string, error) {
			data, err := g.yard.Show(ctx, g.commit, path, maxConfigFile)
			return string(data), err
		},
		Place: preflight.Place{Path: os.Getenv("PATH"), Getenv: os.Getenv},
	}
	for _, f := range files {
		in.Files[f.Path] = f.Mode
	}
	return in
}

// lacks says what an agent's program lacks to get to work.
func (g *ground) lacks(use string, lookup func(string) string) string {
	if g.app.settings.Credential.Set() && g.app.provider(use) != "" {
		return ""
	}
	return g.app.agentLacks(use, lookup)
}

// checkPrices reads the person's price list as the broker of the first attempt would.
func (g *ground) checkPrices(p *core.Playbook) error {
	if !slices.ContainsFunc(slices.Collect(maps.Values(p.Agents)), func(a core.Agent) bool { return g.app.provider(a.Use) != "" }) {
		return nil
	}
	file, err := config.PricesFile(os.Getenv)
	if err != nil {
		return err
	}
	if _, err := broker.ReadPrices(file); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the price list has mistakes", "correct "+file)
	}
	return nil
}

// tried tells the preflight of a trial.
type tried struct{ trial *dispatch.Trial }

// Run implements preflight.Trial.
func (t tried) Run(ctx context.Context, command string, limit time.Duration) (preflight.Outcome, error) {
	result, err := t.trial.Run(ctx, command, limit)
	var setup *dispatch.SetupFailed
	failed := errors.As(err, &setup)
	if failed {
		result, err = setup.Result, nil
	}
	return preflight.Outcome{Setup: failed, Exit: result.ExitCode, TimedOut: result.TimedOut, Output: result.Output, Refused: result.Refused}, err
}
