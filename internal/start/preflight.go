package start

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
func (a *Starter) preflight(ctx context.Context, s *Prepared) error {
	limit := s.loaded.settings.Preflight
	switch {
	case limit.V == 0:
		s.Started.Preflight = &core.Preflight{Skipped: "it was set to off by " + limit.From.String()}
		if limit.From.Level == config.LevelFlag {
			s.Started.Preflight.Skipped = preflight.NoPreflight
		}
		return nil
	case s.Request.Session != "": // a session is the agents' program, and is not kept waiting
		return nil
	}
	in, err := s.ground.preflight(ctx, s.loaded.playbook, s.Started.Isolation)
	if err != nil {
		return err
	}
	in.Limit, in.Tell = limit.V, s.tell
	if !s.untried {
		if s.trial, err = a.Trials.NewTrial(ctx, s.Started); err != nil {
			return err
		}
		in.Trial = tried{s.trial}
	}
	found, err := preflight.Run(ctx, in)
	if err != nil {
		return err
	}
	if s.Started.Preflight = found; s.untried {
		s.Started.Preflight = &core.Preflight{Skipped: s.why}
	}
	return nil
}

// EndTrial removes what the trial of the checks has made, but for what a run has taken over.
func (a *Starter) EndTrial(ctx context.Context, s *Prepared) {
	if s.trial == nil {
		return
	}
	if err := s.trial.Close(ctx); err != nil {
		a.Log.Warn("a trial of the checks left something behind", "error", err)
	}
}

// Submit begins the run, which takes over what its trial has cached: before it
// begins, as its first attempt may look there at once. If it does not begin,
// nobody would ever remove that.
func (a *Starter) Submit(ctx context.Context, s *Prepared, word core.Actor) (*core.Run, error) {
	if err := a.packBase(ctx, s); err != nil {
		return nil, err
	}
	if s.trial == nil {
		return a.Engine.Submit(ctx, s.Started.Run, word, s.Started)
	}
	err := s.trial.Keep()
	if err == nil {
		var run *core.Run
		if run, err = a.Engine.Submit(ctx, s.Started.Run, word, s.Started); err == nil {
			return run, nil
		}
	}
	if _, missing := a.Store.Run(context.WithoutCancel(ctx), s.Started.Run); errors.Is(missing, store.ErrNotFound) {
		if err := s.trial.Disown(); err != nil {
			a.Log.Warn("what a trial of the checks has cached is left behind", "error", err)
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
	in.Place.Isolated, in.Place.ReadOnly = isolation == string(sandbox.Sandbox), g.starter.Settings.ReadOnly.V
	if in.Place.Isolated {
		in.Place.Private = g.starter.Trials.Private()
	}
	in.Place.Settings, err = config.UserFile(os.Getenv)
	return in, err
}

// look is as much of it as costs nothing: the agents. Without a repository only
// what comes with the program can be looked at.
func (g *ground) look(p *core.Playbook, files []yard.File) preflight.Input {
	in := preflight.Input{
		Playbook: p, Agents: p.Agents, Files: map[string]string{}, Lacks: g.lacks, Handed: g.starter.Agents.SecretNames,
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
	if g.starter.Settings.Credential.Set() && g.starter.Agents.Provider(use) != "" {
		return ""
	}
	return g.starter.Agents.Lacks(use, lookup)
}

// checkPrices reads the person's price list as the broker of the first attempt would.
func (g *ground) checkPrices(p *core.Playbook) error {
	if !slices.ContainsFunc(slices.Collect(maps.Values(p.Agents)), func(a core.Agent) bool { return g.starter.Agents.Provider(a.Use) != "" }) {
		return nil
	}
	file, err := config.PricesFile(os.Getenv)
	if err != nil {
		return err
	}
	if _, err := broker.ReadPrices(file, ""); err != nil {
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
