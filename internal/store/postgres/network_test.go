package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// impatient takes a server that says nothing for a while for lost, as an engine does after longer.
var impatient = Options{Silence: 300 * time.Millisecond}

// away is a store whose database is behind a network, and one beside it that reaches the database by itself.
func away(t *testing.T, o Options) (s, direct *Store, n *pgtest.Network) {
	t.Helper()
	direct, address := opened(t)
	n, through := pgtest.Through(t, address)
	s, err := Open(t.Context(), through, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(n.Cut) // first, or connections that lead nowhere are said goodbye to
	return s, direct, n
}

// once waits until a commit has its answer, and fails unless the event is there once.
func once(t *testing.T, direct *Store, stream string, answer <-chan error) {
	t.Helper()
	if err := <-answer; err != nil {
		t.Errorf("%s: %v", stream, err)
	}
	if events, err := direct.Events(t.Context(), stream, 0, 0); err != nil || len(events) != 1 {
		t.Errorf("%s has %d events, %v", stream, len(events), err)
	}
}

// TestPacketsThatVanish: nobody tells the engine that its connections lead nowhere. Reads fail, with words and without a deadline of
// the caller's; a write is done once; and when there is a way again, everything takes it.
func TestPacketsThatVanish(t *testing.T) {
	s, direct, network := away(t, impatient)
	c := tick(t, s, "run/a", core.Head{})
	answer := make(chan error, 1)
	network.Lose()
	go func() { answer <- s.Commit(t.Context(), c) }()
	for range 3 {
		_, err := s.Head(t.Context(), "run/a")
		if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "cannot be reached") && !strings.Contains(err.Error(), "does not answer any more") {
			t.Errorf("in the dark a read says %v", err)
		}
	}
	select {
	case err := <-answer:
		t.Fatalf("in the dark a write says %v", err)
	default:
	}
	network.Find()
	once(t, direct, "run/a", answer)
	if !waittest.Until(func() bool { head, err := s.Head(t.Context(), "run/a"); return err == nil && head.Seq == 1 }) {
		t.Error("reads do not find the way again")
	}
}

// TestAnswersThatVanish: the database hears the engine, and carries everything out.
func TestAnswersThatVanish(t *testing.T) {
	s, direct, network := away(t, impatient)
	for n := range 3 {
		stream := fmt.Sprint("run/", n)
		c, answer := tick(t, direct, stream, core.Head{}), make(chan error, 1)
		network.LoseAnswers()
		go func() { answer <- s.Commit(t.Context(), c) }()
		once(t, direct, stream, answer)
	}
}

// TestOneLostConnectionIsEnough for the others not to be tried: each would take as long, and all of them longer than a lease.
func TestOneLostConnectionIsEnough(t *testing.T) {
	for name, o := range map[string]Options{"found out": impatient, "given up by the caller": {}} {
		t.Run(name, func(t *testing.T) {
			s, _, network := away(t, o)
			all := s.pool.AcquireAllIdle(t.Context())
			for len(all) < 4 {
				c, err := s.pool.Acquire(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, c)
			}
			for _, c := range all {
				c.Release()
			}
			network.Lose()
			network.Find()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := s.Head(ctx, "run/a")
			if !waittest.Until(func() bool { return s.pool.Stat().AcquiredConns() == 0 && s.pool.Stat().IdleConns() <= 1 }) {
				t.Errorf("%d connections are kept (%v)", s.pool.Stat().IdleConns(), err)
			}
		})
	}
}

// TestListeningGoesOn after the connection was lost on which an engine hears of others.
func TestListeningGoesOn(t *testing.T) {
	s, direct, network := away(t, impatient)
	told := func() bool {
		if err := direct.Raise(t.Context(), "run/a"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.Signals():
			return true
		case <-time.After(20 * time.Millisecond):
			return false
		}
	}
	for _, when := range []string{"in the beginning", "afterwards"} {
		for range 3 { // the first two may be of the connection itself
			if !waittest.Until(told) {
				t.Fatalf("%s nothing is heard", when)
			}
		}
		network.Lose()
		network.Find()
	}
}

// TestASlowNetwork: what takes long is not lost as long as something arrives.
func TestASlowNetwork(t *testing.T) {
	s, direct, network := away(t, Options{Silence: 2 * time.Second})
	c := tick(t, s, "run/a", core.Head{})
	c.Snapshot = &store.Snapshot{Head: core.Head{Seq: 1, At: c.Events[0].At}, Format: 1, State: []byte(strings.Repeat("a state that takes long. ", 40_000))}
	if err := direct.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	network.Slow(t, "100", "300") // a megabyte takes longer than silence may last
	if !waittest.Until(func() bool {
		got, err := s.Snapshot(t.Context(), "run/a")
		return err == nil && string(got.State) == string(c.Snapshot.State)
	}) {
		t.Error("it never arrives")
	}
	answer := make(chan error, 1)
	answer <- s.Commit(t.Context(), tick(t, s, "run/b", core.Head{}))
	once(t, direct, "run/b", answer)
}

// TestTheNetworkIsCut again and again while several engines commit.
func TestTheNetworkIsCut(t *testing.T) {
	const engines, streams, cuts = 2, 2, 3
	direct, address := opened(t)
	network, through := pgtest.Through(t, address)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var committed [engines * streams]atomic.Int64
	var work sync.WaitGroup
	for e := range engines {
		s := openAt(t, through)
		for i := range streams {
			n := e*streams + i
			work.Go(func() { commitAll(ctx, t, s, fmt.Sprintf("run/%d", n), &committed[n]) })
		}
	}
	for range cuts {
		goOn(t, committed[:])
		network.Cut()
		network.Mend(t)
	}
	goOn(t, committed[:])
	cancel()
	work.Wait()
	complete(t, direct, committed[:])
}
