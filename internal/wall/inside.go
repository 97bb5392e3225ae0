package wall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
)

// outside is an address that belongs to nobody: it is reserved for documentation.
const outside = "198.51.100.7:443"

func try(ctx context.Context, o order) Report {
	r := Report{Calls: tryCalls()}
	for _, address := range []string{o.Server, outside} {
		if _, err := hear(ctx, address); err == nil {
			r.Network = "a process inside connected to " + address
			break
		}
	}
	if word, err := hear(ctx, bridge.Address); err != nil || word != o.Word {
		r.Inside = fmt.Sprintf("the supervisor is not reached: %q, %v", word, err)
	} else if err := ownServer(ctx); err != nil {
		r.Inside = "a server inside is not reached: " + err.Error()
	}
	if _, err := os.Stat(o.File); err == nil {
		r.Files = "a process inside sees " + o.File
	}
	return r
}

// hear connects, and returns what is said there within a while.
func hear(ctx context.Context, address string) (string, error) {
	conn, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetReadDeadline(time.Now().Add(dialTime)); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil // it is connected
	}
	return string(text), err
}

func ownServer(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	go serve(listener, "own")
	_, err = hear(ctx, listener.Addr().String())
	return err
}
