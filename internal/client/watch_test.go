package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/client"
)

// mover is an engine on which things move, one after the other.
type mover struct {
	*apitest.Service

	mu    sync.Mutex
	since []string // where each who watched began
	moves int
	more  chan struct{}
}

func (m *mover) move() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moves++
	close(m.more)
	m.more = make(chan struct{})
}

// Watch implements api.Views.
func (m *mover) Watch(ctx context.Context, since string, fn func(api.Moved) error) error {
	at, err := strconv.Atoi(since)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.since = append(m.since, since)
	m.mu.Unlock()
	for {
		m.mu.Lock()
		moves, more := m.moves, m.more
		m.mu.Unlock()
		for ; at < moves; at++ {
			if err := fn(api.Moved{At: strconv.Itoa(at + 1), Runs: []string{"r"}}); err != nil {
				return err
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// severed passes connections on to a socket, and cuts each after some bytes of the
// answer.
func severed(t *testing.T, socket string, after int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "line.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer func() { _ = conn.Close() }()
				engine, err := net.Dial("unix", socket)
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = engine.Close() }()
				work.Go(func() {
					_, _ = io.Copy(engine, conn) // ends with either of them
					_ = engine.Close()
				})
				_, _ = io.CopyN(conn, engine, after)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	return path
}

// TestACutWatchMissesNothing: whoever watches over a line that breaks again and
// again, also in the middle of a word, hears of every move once and in order.
func TestACutWatchMissesNothing(t *testing.T) {
	const moves = 60
	svc := &mover{Service: &apitest.Service{}, more: make(chan struct{})}
	socket := filepath.Join(t.TempDir(), "engine.sock")
	t.Cleanup(serve(t, socket, svc))
	c := client.New(severed(t, socket, 701), token)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	enough := errors.New("enough")
	svc.move()
	var heard []string
	err := c.Watch(t.Context(), "0", func(m api.Moved) error {
		if heard = append(heard, m.At); len(heard) == moves {
			return enough
		}
		svc.move()
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("after %v: %v", heard, err)
	}
	for i, at := range heard {
		if at != strconv.Itoa(i+1) {
			t.Fatalf("heard %v", heard)
		}
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if len(svc.since) < 4 || len(slices.Compact(slices.Clone(svc.since))) != len(svc.since) {
		t.Errorf("the line was cut %d times only, or nothing came over it: watched from %v", len(svc.since)-1, svc.since)
	}
}
