package network

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"

	"github.com/google/renameio/v2"
)

// ListenAgain listens at an address, or, if that is empty, on loopback: at the port that file names, so that whoever knew it
// finds it again, or else at a free one. The file names the port afterwards.
func ListenAgain(ctx context.Context, address, file string) (net.Listener, error) {
	at := []string{address}
	if address == "" {
		at[0] = "127.0.0.1:0"
		if last, err := os.ReadFile(file); err == nil {
			at = []string{net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(last))), at[0]}
		}
	}
	var errs error
	for _, address := range at {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			errs = errors.Join(errs, err)
			continue
		}
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err == nil {
			err = renameio.WriteFile(file, []byte(port+"\n"), 0o600)
		}
		if err != nil {
			return nil, errors.Join(err, listener.Close())
		}
		return listener, nil
	}
	return nil, errs
}
