package app

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/net/netutil"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

// openTools makes what attempts reach the engine by: the folder they are shown,
// with the scripts in it, and the key of their tokens, which they are not shown.
func (a *App) openTools(ctx context.Context) (dispatch.Tools, error) {
	folder, err := a.state.ToolFolder()
	if err != nil {
		return dispatch.Tools{}, err
	}
	if err := tool.InstallScripts(folder); err != nil {
		return dispatch.Tools{}, core.Wrap(core.CodeUnavailable, err, "the tools of agents cannot be laid out", "check that "+folder+" can be written")
	}
	if a.tokens, err = api.OpenAttemptTokens(ctx, a.store); err != nil {
		return dispatch.Tools{}, err
	}
	return dispatch.Tools{Folder: folder, Socket: filepath.Join(folder, statefolder.ToolSocket), Token: a.tokens.Issue}, nil
}

// toolConnections is how many connections of attempts are served at once; who
// calls beyond that waits until somebody hangs up. Each costs a descriptor and
// memory of the engine, which agents must not use up.
const toolConnections = 256

// serveTools answers at the socket of the attempts' tools until ctx ends.
func (a *App) serveTools(ctx context.Context) (wait func() error, err error) {
	folder, err := a.state.ToolFolder()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	listener, err := a.listenAt(filepath.Join(folder, statefolder.ToolSocket))
	if err != nil {
		return nil, err
	}
	handler := api.ToolHandler(a.Service, a.tokens, a.opts.Version)
	return background(func() error { return api.Serve(ctx, netutil.LimitListener(listener, toolConnections), handler) }), nil
}

// toolPatience is how long a call of a tool waits for an engine that is being
// started anew.
const toolPatience = 30 * time.Second

// DialTools are the tools of an attempt. Each call finds the engine of its
// moment: an attempt outlives the one that started it.
func DialTools(_ context.Context, socket, token string) (api.Tools, func() error, error) {
	c := client.New(socket, token)
	return tool.Patient(c, toolPatience), c.Close, nil
}
