package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// serveAPI answers at the engine's socket until ctx ends. The engine holds the state folder's lock,
// so a socket that is already there belongs to nobody any more.
func (a *App) serveAPI(ctx context.Context) (wait func() error, err error) {
	socket, err := a.state.Socket()
	if err != nil {
		return nil, err
	}
	token, err := api.EnsurePersonToken(a.state.TokenFile())
	if err != nil {
		return nil, err
	}
	listener, err := a.listenAt(socket)
	if err != nil {
		return nil, err
	}
	handler := http.NewServeMux()
	handler.Handle("/", api.Noticing(a.Service.Notice, api.Handler(a.Service, api.NewPersonAuthenticator(token, Person()), a.opts.Version)))
	handler.Handle(wire.Prefix, a.exchangeHandler())
	return background(func() error { return api.Serve(ctx, listener, handler) }), nil
}

// listenAt opens a socket that only its owner can use.
func (a *App) listenAt(socket string) (net.Listener, error) {
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove an old socket: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return ownSocket{listener, a.lock}, nil
}

// ownSocket takes its path away as it closes, unless the state folder was
// replaced: what is found at the path then belongs to the next engine.
type ownSocket struct {
	*net.UnixListener
	lock *statefolder.Lock
}

// Close implements net.Listener.
func (s ownSocket) Close() error {
	s.SetUnlinkOnClose(!s.lock.Lost())
	return s.UnixListener.Close()
}

// withdraw removes a file of the state folder that said where this engine is
// found, unless the folder was replaced: the file is the next engine's then.
func (a *App) withdraw(path string) error {
	if a.lock.Lost() {
		return nil
	}
	return os.Remove(path)
}
