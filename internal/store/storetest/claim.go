package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func hold(holder string, limit int) core.Claim {
	return core.Claim{Kind: core.ClaimBranch, Key: "p:main", Holder: holder, Limit: limit}
}

func take(t *testing.T, s store.Store, stream string, c core.Claim) error {
	t.Helper()
	head, err := s.Head(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	return s.Commit(t.Context(), store.Commit{Stream: stream, After: head.Seq, Acquire: []core.Claim{c}})
}

func drop(t *testing.T, s store.Store, stream string, c core.Claim) {
	t.Helper()
	push(t, s, stream, func(commit *store.Commit) { commit.Release = []core.Claim{c} })
}

func wantHeld(t *testing.T, err error, by string) {
	t.Helper()
	var held *store.ClaimHeld
	if !errors.As(err, &held) || held.Holder != by {
		t.Fatalf("got %v, want a claim held by %s", err, by)
	}
}

func testClaimOne(t *testing.T, open Open) {
	s := open(t)
	if err := take(t, s, "run/a", hold("a", 1)); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, take(t, s, "run/b", hold("b", 1)), "a")
	other := hold("b", 1)
	other.Key = "p:other"
	if err := take(t, s, "run/b", other); err != nil {
		t.Fatalf("another key: %v", err)
	}
	other = hold("b", 1)
	other.Kind = core.ClaimSlot
	if err := take(t, s, "run/b", other); err != nil {
		t.Fatalf("another kind: %v", err)
	}
	drop(t, s, "run/b", hold("b", 1)) // not the holder: no effect
	wantHeld(t, take(t, s, "run/b", hold("b", 1)), "a")
	drop(t, s, "run/a", hold("a", 1))
	if err := take(t, s, "run/b", hold("b", 1)); err != nil {
		t.Fatalf("after its release: %v", err)
	}
}

func testClaimMany(t *testing.T, open Open) {
	s := open(t)
	for i := range 3 {
		if err := take(t, s, "run/a", hold(fmt.Sprint("h", i), 3)); err != nil {
			t.Fatalf("holder %d: %v", i, err)
		}
	}
	var held *store.ClaimHeld
	if err := take(t, s, "run/a", hold("h3", 3)); !errors.As(err, &held) {
		t.Fatalf("a fourth of three: %v", err)
	}
	if err := take(t, s, "run/a", hold("h3", 4)); err != nil {
		t.Fatalf("a fourth of four: %v", err)
	}
	claims, err := s.Claims(t.Context())
	if err != nil || len(claims) != 4 || claims[0] != hold("h0", 3) {
		t.Fatalf("claims: %+v, %v", claims, err)
	}
	elsewhere := hold("elsewhere", 1)
	elsewhere.Key += "/2"
	other := hold("other", 1)
	other.Kind = core.ClaimProject
	for _, c := range []core.Claim{elsewhere, other} {
		if err := take(t, s, "run/a", c); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		claim core.Claim
		want  []string
	}{{hold("", 0), []string{"h0", "h1", "h2", "h3"}}, {elsewhere, []string{"elsewhere"}}, {core.Claim{Kind: other.Kind, Key: elsewhere.Key}, nil}} {
		if holders, err := s.Holders(t.Context(), c.claim.Kind, c.claim.Key); err != nil || !slices.Equal(holders, c.want) {
			t.Errorf("%s is held by %v, %v, want %v", c.claim, holders, err, c.want)
		}
	}
}

func testClaimSame(t *testing.T, open Open) {
	s := open(t)
	for range 3 {
		if err := take(t, s, "run/a", hold("a", 1)); err != nil {
			t.Fatal(err)
		}
	}
	drop(t, s, "run/a", hold("a", 1))
	if claims, err := s.Claims(t.Context()); err != nil || len(claims) != 0 {
		t.Errorf("one release left %+v, %v", claims, err)
	}
}

func testClaimConflict(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/a")
	rest(t, s, "e", claimOne(t, s, "e", "run/a"))
	if err := take(t, s, "run/b", hold("b", 1)); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context(), "run/a")
	if err != nil {
		t.Fatal(err)
	}
	events, _ := seal(t, s, "run/a", head, tick(2))
	free := core.Claim{Kind: core.ClaimSlot, Key: "free", Holder: "a", Limit: 1}
	wantHeld(t, s.Commit(t.Context(), store.Commit{
		Stream: "run/a", After: 1, Events: events, Acquire: []core.Claim{free, hold("a", 1)},
		Run: &store.RunRow{ID: "a"}, Snapshot: &store.Snapshot{State: []byte("x")},
	}), "b")
	drop(t, s, "run/b", hold("b", 1))
	rest(t, s, "e", claimOne(t, s, "e", "run/b"))
	wantUntouched(t, s)
}

func testClaimWaiters(t *testing.T, open Open) {
	s := open(t)
	for _, stream := range []string{"run/a", "run/b", "run/c"} {
		push(t, s, stream)
	}
	for _, w := range claim(t, s, "e", waittest.Limit) {
		rest(t, s, "e", w)
	}
	if err := take(t, s, "run/a", hold("a", 1)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // waiting twice is waiting once
		if err := s.Await(t.Context(), "run/b", hold("", 0)); err != nil {
			t.Fatal(err)
		}
	}
	other, kind := hold("", 0), hold("", 0)
	other.Key, kind.Kind = "p:other", core.ClaimSlot
	for _, c := range []core.Claim{other, kind} { // these wait for something else, and go on waiting
		push(t, s, "run/elsewhere")
		rest(t, s, "e", claimOne(t, s, "e", "run/elsewhere"))
		if err := s.Await(t.Context(), "run/elsewhere", c); err != nil {
			t.Fatal(err)
		}
	}
	claimNone(t, s, "e")
	drop(t, s, "run/c", hold("c", 1)) // not a holder: nobody's waiting ends
	rest(t, s, "e", claimOne(t, s, "e", "run/c"))
	drain(s)
	drop(t, s, "run/a", hold("a", 1))
	wantSignal(t, s, "after a release")
	hinted := map[string]bool{}
	for _, w := range claim(t, s, "e", waittest.Limit) {
		hinted[w.Stream] = true
		rest(t, s, "e", w)
	}
	if fmt.Sprint(hinted) != "map[run/a:true run/b:true]" {
		t.Errorf("hinted: %v, want the waiter and the stream itself", hinted)
	}
	if err := take(t, s, "run/b", hold("b", 1)); err != nil {
		t.Fatal(err)
	}
	drop(t, s, "run/b", hold("b", 1))
	rest(t, s, "e", claimOne(t, s, "e", "run/b")) // nobody waits any more
	for _, c := range []core.Claim{other, kind} {
		c.Holder, c.Limit = "b", 1
		if err := take(t, s, "run/b", c); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), store.Commit{Stream: "run/b", After: 2, Release: []core.Claim{c}}); err != nil {
			t.Fatal(err)
		}
		rest(t, s, "e", claimOne(t, s, "e", "run/elsewhere"))
	}
}

func testClaimHandOver(t *testing.T, open Open) {
	s := open(t)
	if err := take(t, s, "run/a", hold("a.1", 1)); err != nil {
		t.Fatal(err)
	}
	push(t, s, "run/a", func(c *store.Commit) {
		c.Release = []core.Claim{hold("a.1", 1)}
		c.Acquire = []core.Claim{hold("a.2", 1)}
	})
	if claims, err := s.Claims(t.Context()); err != nil || len(claims) != 1 || claims[0].Holder != "a.2" {
		t.Errorf("claims: %+v, %v", claims, err)
	}
}

func testClaimRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	const limit = 4
	outcome := make(chan error, 24)
	for i := range cap(outcome) {
		go func() {
			stream := fmt.Sprint("run/", i)
			outcome <- stores[i%2].Commit(t.Context(), store.Commit{
				Stream: stream, Acquire: []core.Claim{hold(stream, limit)},
			})
		}()
	}
	won := 0
	for range cap(outcome) {
		var held *store.ClaimHeld
		switch err := <-outcome; {
		case err == nil:
			won++
		case !errors.As(err, &held):
			t.Errorf("got %v, want a claim held", err)
		}
	}
	if claims, err := stores[0].Claims(t.Context()); err != nil || won != limit || len(claims) != limit {
		t.Errorf("%d won, %d hold (%v), want %d", won, len(claims), err, limit)
	}
}
