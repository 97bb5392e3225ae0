package postgres

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// kills is how often the server is killed.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("STELLWERK_DATABASE_KILLS")); err == nil {
		return n
	}
	return 4
}

// TestTheServerIsKilled again and again while several engines commit: what was acknowledged is there, each event once, and everybody
// goes on when the server is back. It is killed in the middle of a migration first.
func TestTheServerIsKilled(t *testing.T) {
	server := pgtest.New(t)
	address := server.Address("postgres")
	ended, _ := halfway(t, address, address, "")
	server.Kill()
	if err := <-ended; core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a migration whose server was killed says %v", err)
	}
	if err := server.Begin(); err != nil {
		t.Fatal(err)
	}
	sql(t, address, "UPDATE goose_lock SET lease_expires_at = now()") // which it would be in ten seconds
	const engines, streams = 2, 4
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var committed [engines * streams]atomic.Int64
	var work sync.WaitGroup
	for e := range engines {
		s := openAt(t, address)
		for i := range streams {
			n := e*streams + i
			work.Go(func() { commitAll(ctx, t, s, fmt.Sprintf("run/%d", n), &committed[n]) })
		}
	}
	for range kills() {
		goOn(t, committed[:])
		server.Kill()
		if err := server.Begin(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	work.Wait()
	s := openAt(t, address)
	complete(t, s, committed[:])
	at, err := s.Position(t.Context())
	t.Logf("%d kills, %d events, %v", kills(), at, err)
}

// goOn waits until something more was acknowledged in every stream.
func goOn(t *testing.T, committed []atomic.Int64) {
	t.Helper()
	for n := range committed {
		before := committed[n].Load()
		if !waittest.Until(func() bool { return committed[n].Load() > before }) {
			t.Fatalf("stream %d does not go on after event %d", n, before)
		}
	}
}

// complete fails unless every stream has what was acknowledged, and at most one event more, which was under way.
func complete(t *testing.T, s *Store, committed []atomic.Int64) {
	t.Helper()
	for n := range committed {
		events, err := s.Events(t.Context(), fmt.Sprintf("run/%d", n), 0, 0)
		if err != nil || int64(len(events)) < committed[n].Load() || int64(len(events)) > committed[n].Load()+1 {
			t.Errorf("stream %d has %d events, %d were acknowledged, %v", n, len(events), committed[n].Load(), err)
		}
	}
}

// commitAll commits one event after the other until ctx ends, and counts those that were acknowledged.
func commitAll(ctx context.Context, t *testing.T, s *Store, stream string, acknowledged *atomic.Int64) {
	head := core.Head{}
	for {
		now, err := s.Now(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			continue // the server is away
		}
		e, next, err := core.Seal(stream, head, now, core.Engine(), "", core.TimerFired{Timer: fmt.Sprint(head.Seq)})
		if err != nil {
			t.Error(err)
			return
		}
		c := storeCommit(stream, head.Seq, e)
		if err := s.Commit(ctx, c); err != nil {
			if ctx.Err() == nil {
				t.Errorf("%s after %d: %v", stream, head.Seq, err)
			}
			return
		}
		head = next
		acknowledged.Add(1)
	}
}
