package cli

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/agent/claude"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/logging"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

// wire gives the command line its engine.
func wire(p *shell.Program) {
	p.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		if o.Server != "" {
			return app.DialRemote(o.Server, o.Token)
		}
		if o.Existing {
			return app.Dial(ctx, appOptions(o))
		}
		return app.Connect(ctx, appOptions(o))
	}
	p.Tools = app.DialTools
	p.Serve = func(ctx context.Context, o shell.ConnectOptions) error { return served(ctx, o, app.Serve) }
	p.Detach = func(ctx context.Context, o shell.ConnectOptions) error { return served(ctx, o, app.Detach) }
	p.Stop = func(ctx context.Context, o shell.ConnectOptions) (api.Info, error) {
		return app.Stop(ctx, appOptions(o))
	}
	p.Drain = func(ctx context.Context, o shell.ConnectOptions, req api.Drain) (api.Drained, func(context.Context) error, error) {
		return app.Drain(ctx, appOptions(o), req)
	}
	p.Isolation = func(ctx context.Context) (string, string) {
		kind, reason := sandbox.Detect(ctx)
		if kind == sandbox.Sandbox {
			reason = sandbox.Weakness()
		}
		return string(kind), reason
	}
	p.Remedy = sandbox.Remedy
	p.Walls = func(ctx context.Context) ([]wall.Trial, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return wall.Try(ctx, self)
	}
	p.Bounds = resource.Bounds
	p.Credentials = claude.Agent{}.SecretEnv
	p.Proxies = func() []string { return shim.ProxiesWithPassword(os.Environ()) }
	p.SQLite, p.Database = sqliteVersion, backing.Examine
}

func sqliteVersion(ctx context.Context) (version string, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version)
	return version, err
}

// served begins an engine that logs as it was asked to.
func served(ctx context.Context, o shell.ConnectOptions, begin func(context.Context, app.Options) error) error {
	level, err := logging.Check(o.LogFormat, o.LogLevel)
	if err != nil {
		return err
	}
	opts := appOptions(o)
	opts.LogFormat, opts.LogLevel = o.LogFormat, level
	return begin(ctx, opts)
}

func appOptions(o shell.ConnectOptions) app.Options {
	return app.Options{
		State: o.State, Database: o.Store, Objects: o.Objects, Version: o.Version, Log: o.Log, Verbose: o.Verbose,
		Webhook: o.Webhook, Metrics: o.Metrics, MetricsPublic: o.MetricsPublic, Network: o.Network, Workers: app.Workers{URL: o.URL}, Lost: o.Lost,
	}
}
