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

// elsewhere is an address that belongs to nobody: it is reserved for documentation.
const elsewhere = "198.51.100.7:443"

// look tries what a wall must stop: a server of this machine, a file and system calls.
func look(ctx context.Context, o order) seen {
	s := seen{Calls: tryCalls()}
	if _, err := hear(ctx, o.Server); err == nil {
		s.Reached = append(s.Reached, o.Server)
	}
	if word, err := os.ReadFile(o.File); err == nil {
		s.Word = string(word)
	}
	return s
}

// lookInside also tries another machine's address, and uses what must work inside.
func lookInside(ctx context.Context, o order) seen {
	s := look(ctx, o)
	if _, err := hear(ctx, elsewhere); err == nil {
		s.Reached = append(s.Reached, elsewhere)
	}
	if word, err := hear(ctx, bridge.Address); err != nil || word != o.Word {
		s.Way = fmt.Sprintf("the supervisor is not reached (%q, %v)", word, err)
	} else if err := ownServer(ctx); err != nil {
		s.Way = "a server inside is not reached (" + err.Error() + ")"
	}
	return s
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
