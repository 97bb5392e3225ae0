package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// listen opens the engine's socket. The engine holds the state folder's lock,
// so a socket that is already there belongs to nobody any more.
func (a *App) listen() (net.Listener, http.Handler, error) {
	socket, err := a.state.socket()
	if err != nil {
		return nil, nil, err
	}
	token, err := api.EnsurePersonToken(a.state.tokenFile())
	if err != nil {
		return nil, nil, err
	}
	listener, err := listenAt(socket)
	if err != nil {
		return nil, nil, err
	}
	return listener, api.Handler(a, api.NewPersonAuthenticator(token, Person()), a.opts.Version), nil
}

// listenAt opens a socket that only its owner can use.
func listenAt(socket string) (net.Listener, error) {
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove an old socket: %w", err)
	}
	listener, err := net.Listen("unix", socket) //nolint:noctx // a socket is opened at once or not at all
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}
