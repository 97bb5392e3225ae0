package app

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/webhook"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

const (
	hookTimeout     = 15 * time.Second
	hookHeader      = 64 << 10
	hookConnections = 64
	// hookMemory is how many deliveries are known again.
	hookMemory = 2048
)

// elsewhere is how other engines hear of pull requests that they watch.
func (a *App) elsewhere() *dispatch.Elsewhere {
	if !a.place.Shared() {
		return nil
	}
	return &dispatch.Elsewhere{Store: a.store, Load: a.engine.Load}
}

// hearWebhooks takes deliveries of forges at an address until ctx ends: hints to
// look at a pull request now, and nothing else of the engine.
func (a *App) hearWebhooks(ctx context.Context) (wait func() error, err error) {
	address := a.opts.Webhook
	if address == "" {
		return nothing, nil
	}
	settings, err := config.OfPerson(nil)
	if err != nil {
		return nil, err
	}
	secret, err := forge.Token(settings.Forge.SecretEnv.V, settings.Forge.SecretFile.V)
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "webhooks need a secret, or anybody could send them",
			"name it with webhook_secret_env or webhook_secret_file in your settings")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "webhooks cannot be heard at "+address, "name an address such as 127.0.0.1:8100")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port)) //nolint:noctx // a socket is opened at once or not at all
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "webhooks cannot be heard at "+address, "choose another address")
	}
	server := &http.Server{
		Handler: webhook.NewReceiver(secret, webhook.NewRecent(2*hookMemory), func(ctx context.Context, kind string, h webhook.Hint) {
			if err := a.dispatch.Hint(ctx, kind, h.Repository, h.Numbers); err != nil {
				a.log.Warn("a webhook does not reach the engine that watches the pull request, which looks later", "repository", h.Repository, "error", err)
			}
		}, a.log),
		ReadTimeout: hookTimeout, WriteTimeout: hookTimeout, IdleTimeout: hookTimeout, MaxHeaderBytes: hookHeader,
	}
	a.log.Info("webhooks are heard", "address", listener.Addr())
	// The next look makes up for a delivery that was turned away or broken off.
	return serveHTTP(ctx, server, network.Bound(listener, hookConnections)), nil
}
