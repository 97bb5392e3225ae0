package cli

import (
	"context"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// wire gives the command line its engine.
func wire(p *Program) {
	p.Connect = func(ctx context.Context, o ConnectOptions) (api.Service, func() error, error) {
		if o.Existing {
			return existing(ctx, o)
		}
		return app.Connect(ctx, appOptions(o))
	}
	p.Serve = func(ctx context.Context, o ConnectOptions) error { return app.Serve(ctx, appOptions(o)) }
	p.Detach = func(ctx context.Context, o ConnectOptions) error { return app.Detach(ctx, appOptions(o)) }
	p.Worker, p.Salvage, p.HandIn = app.Worker, app.Salvage, app.HandIn
	p.ScriptedAgent, p.ScriptedModel = app.ScriptedAgent, app.ScriptedModel
	p.Isolation = func(ctx context.Context) (string, string) {
		kind, reason := sandbox.Detect(ctx)
		return string(kind), reason
	}
}

func appOptions(o ConnectOptions) app.Options {
	return app.Options{State: o.State, Version: o.Version, Log: o.Log, Verbose: o.Verbose}
}

// existing connects to an engine that runs already.
func existing(ctx context.Context, o ConnectOptions) (api.Service, func() error, error) {
	token, err := api.ReadPersonToken(filepath.Join(o.State, api.PersonTokenFile))
	if err != nil {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "no engine runs on "+o.State, "stellwerk serve --detach")
	}
	c := client.New(filepath.Join(o.State, "engine.sock"), token)
	if _, err := c.Info(ctx); err != nil {
		return nil, nil, err
	}
	return c, c.Close, nil
}
