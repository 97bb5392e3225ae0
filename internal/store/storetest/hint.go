package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func testHintOnce(t *testing.T, open Open) {
	a, b := open(t), open(t)
	claimNone(t, a, "a")
	push(t, a, "run/x")
	push(t, a, "run/x")
	w := claimOne(t, b, "b", "run/x")
	if w.DueSeq != 0 {
		t.Error("an event is told as a time that has come")
	}
	claimNone(t, a, "a")
	rest(t, b, "b", w)
	claimNone(t, a, "a")
	claimNone(t, b, "b")
	push(t, a, "run/x")
	claimOne(t, b, "b", "run/x")
}

func testEventDuringLook(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x")
	w := claimOne(t, s, "a", "run/x")
	push(t, s, "run/x")
	rest(t, s, "a", w)
	again := claimOne(t, s, "a", "run/x")
	if again.Seq <= w.Seq {
		t.Errorf("hint went from %d to %d", w.Seq, again.Seq)
	}
	rest(t, s, "a", again)
	claimNone(t, s, "a")
}

// testOverlooked leaves a hint pending that was raised while nobody had seen the one before.
func testOverlooked(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x")
	w := claimOne(t, s, "a", "run/x")
	push(t, s, "run/x")
	push(t, s, "run/x")
	rest(t, s, "a", w)
	rest(t, s, "a", claimOne(t, s, "a", "run/x"))
	claimNone(t, s, "a")
}

// testHintsOfOwner shows each engine the hints of its own projects.
func testHintsOfOwner(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x", of("p"))
	claimOne(t, s, "a", "run/x")
	push(t, s, "run/y", of("q"))
	push(t, s, "project/q", of("q"))
	if hints := claim(t, s, "b", waittest.Limit); len(hints) != 2 || hints[0].Project != "q" || hints[1].Project != "q" {
		t.Fatalf("b sees %+v, want those of project q", hints)
	}
	if w := claimOne(t, s, "a", "run/x"); w.Project != "p" || w.Fence != 1 {
		t.Errorf("a sees %+v", w)
	}
}

// testRaise has a stream looked at once more by its owner, whoever asks for it, and also if a look is under way.
func testRaise(t *testing.T, open Open) {
	a, b := open(t), open(t)
	push(t, a, "run/x")
	w := claimOne(t, a, "a", "run/x")
	raise := func(stream string) {
		t.Helper()
		if err := b.Raise(t.Context(), stream); err != nil {
			t.Fatal(err)
		}
	}
	raise("run/x")
	rest(t, a, "a", w)
	w = claimOne(t, a, "a", "run/x")
	rest(t, a, "a", w)
	claimNone(t, a, "a")
	raise("run/x")
	rest(t, a, "a", claimOne(t, a, "a", "run/x"))
	raise("run/unknown")
	claimNone(t, a, "a")
}

func at(t *testing.T, s store.Store, d time.Duration) func(*store.Commit) {
	t.Helper()
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	due := now.Add(d)
	return func(c *store.Commit) { c.DueAt = &due }
}

func testDue(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/past", at(t, s, -time.Second))
	push(t, s, "run/future", at(t, s, time.Hour))
	for _, w := range claim(t, s, "a", time.Minute) {
		if (w.DueSeq > 0) != (w.Stream == "run/past") {
			t.Errorf("%s: due is %v", w.Stream, w.DueSeq)
		}
		rest(t, s, "a", w)
	}
	claimNone(t, s, "a")

	var due time.Time
	soon := at(t, s, 20*time.Millisecond)
	push(t, s, "run/soon", soon, func(c *store.Commit) { due = *c.DueAt })
	eventually(t, "a stream is claimed when its time has come", func() bool {
		come := false
		for _, w := range claim(t, s, "a", time.Minute) {
			if now, err := s.Now(t.Context()); err != nil || w.Stream != "run/soon" || w.DueSeq > 0 && now.Before(due) {
				t.Fatalf("claimed %+v at %v (%v), due at %v", w, now, err, due)
			}
			come = w.DueSeq > 0
			rest(t, s, "a", w)
		}
		return come
	})
	claimNone(t, s, "a")
}

// testDueAgain keeps a time that was set while a look was under way, even
// where it is the one the look was told of.
func testDueAgain(t *testing.T, open Open) {
	s := open(t)
	past := at(t, s, -time.Second)
	push(t, s, "run/x", past)
	w := claimOne(t, s, "a", "run/x")
	push(t, s, "run/x", past)
	rest(t, s, "a", w)
	w = claimOne(t, s, "a", "run/x")
	if w.DueSeq == 0 {
		t.Fatal("the time set during a look is forgotten")
	}
	rest(t, s, "a", w)
	claimNone(t, s, "a")
}

func testDueWithdrawn(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/x", at(t, s, -time.Second))
	push(t, s, "run/x")
	w := claimOne(t, s, "a", "run/x")
	if w.DueSeq > 0 {
		t.Error("a withdrawn time has come")
	}
	rest(t, s, "a", w)
	claimNone(t, s, "a")
	if due, err := s.NextDue(t.Context(), time.Time{}); err != nil || due != nil {
		t.Errorf("next due: %v, %v", due, err)
	}
}

func testNextDue(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "run/late", at(t, s, 2*time.Hour))
	early := push(t, s, "run/early", at(t, s, time.Hour))
	push(t, s, "run/past", at(t, s, -time.Hour))
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A time that has come is among the hints: a timer set for it would only spin.
	due, err := s.NextDue(t.Context(), now)
	if err != nil || due == nil || due.Before(early.At.Add(50*time.Minute)) || due.After(early.At.Add(70*time.Minute)) {
		t.Fatalf("next due: %v, %v", due, err)
	}
	if late, err := s.NextDue(t.Context(), *due); err != nil || late == nil || !late.After(*due) {
		t.Fatalf("due after the next: %v, %v", late, err)
	}
}

func testOldestFirst(t *testing.T, open Open) {
	s := open(t)
	var last time.Time
	for i := range 5 {
		// Ages are told apart by the store's clock, which may tick slowly.
		eventually(t, "the clock moves on", func() bool {
			now, err := s.Now(t.Context())
			return err == nil && now.After(last)
		})
		last = push(t, s, fmt.Sprintf("run/%d", 9-i)).At
	}
	push(t, s, "run/9") // newer events do not make a hint younger
	var order string
	claim(t, s, "a", waittest.Limit)
	for range 3 {
		hints, err := s.Hints(t.Context(), "a", 2)
		if err != nil || len(hints) > 2 {
			t.Fatalf("%+v, %v", hints, err)
		}
		for _, w := range hints {
			order += w.Stream[4:]
			rest(t, s, "a", w)
		}
	}
	if order != "98765" {
		t.Errorf("claimed in order %s, want 98765", order)
	}
}

func testSignals(t *testing.T, open Open) {
	s := open(t)
	drain(s)
	for range 10 { // nobody listens: signals are lost, commits are not held up
		push(t, s, "run/x")
	}
	wantSignal(t, s, "after commits")
	w := claimOne(t, s, "a", "run/x")
	push(t, s, "run/x")
	drain(s)
	rest(t, s, "a", w)
	wantSignal(t, s, "after a look that an event overtook")
	claimOne(t, s, "a", "run/x") // claimed although the signal was lost before
}

// testAttended commits what its committer looks at unasked: the hint is there
// all the same, and a look answers for what it has seen begin.
func testAttended(t *testing.T, open Open) {
	s := open(t)
	attended := func(c *store.Commit) { c.Attended = true }
	push(t, s, "run/x", attended)
	w := claimOne(t, s, "a", "run/x")
	if w.Head != 1 {
		t.Errorf("the hint was listed when the stream stood at 1, not %d", w.Head)
	}
	push(t, s, "run/x", attended)
	if w := claimOne(t, s, "a", "run/x"); w.Head != 2 {
		t.Errorf("the hint was listed when the stream stood at 2, not %d", w.Head)
	}
	all, err := s.Events(t.Context(), "run/x", 0, 0)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	var hint int64
	for _, c := range []struct {
		after int64
		limit int
		want  []core.Event
	}{{0, 0, all}, {0, 1, all[:1]}, {1, 0, all[1:]}, {2, 0, nil}, {3, 1, nil}} {
		var news []core.Event
		hint, news, err = s.Raised(t.Context(), "run/x", c.after, c.limit)
		if err != nil || hint != w.Seq+1 || !slices.EqualFunc(news, c.want, func(a, b core.Event) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("raised to %d with %d events after %d, %v; want %d with %d", hint, len(news), c.after, err, w.Seq+1, len(c.want))
		}
	}
	w.Seq = hint
	rest(t, s, "a", w)
	claimNone(t, s, "a")
	_, _, err = s.Raised(t.Context(), "run/none", 0, 0)
	wantErr(t, err, store.ErrNotFound)
}

// testHintsToOthers commits attended steps that raise the hints of streams their committer
// does not look at: those are signalled.
func testHintsToOthers(t *testing.T, open Open) {
	s := open(t)
	slot := core.Claim{Kind: core.ClaimSlot, Key: "k", Holder: "run/a", Limit: 1}
	limits := core.ProjectLimits{CostUSD: 10}
	attended := func(c *store.Commit) { c.Attended = true }
	push(t, s, "run/a", spending("a", core.Spent{}, limits), func(c *store.Commit) { c.Acquire = []core.Claim{slot} })
	push(t, s, "run/b", spending("b", core.Spent{}, limits))
	if err := s.Await(t.Context(), "run/b", slot); err != nil {
		t.Fatal(err)
	}
	for _, w := range claim(t, s, "e", waittest.Limit) {
		rest(t, s, "e", w)
	}
	drain(s)
	push(t, s, "run/a", attended, func(c *store.Commit) { c.Release = []core.Claim{slot} })
	wantSignal(t, s, "after a claim was released that another waits for")
	drain(s)
	push(t, s, "run/a", spending("a", core.Spent{CostUSD: 1}, limits), attended)
	wantSignal(t, s, "after a run of the same project has spent")
}

func drain(s store.Store) {
	for {
		select {
		case <-s.Signals():
		default:
			return
		}
	}
}

func wantSignal(t *testing.T, s store.Store, when string) {
	t.Helper()
	select {
	case <-s.Signals():
	case <-waittest.Over():
		t.Fatalf("no signal %s", when)
	}
}

// testNothingSwallowed lets engines look while others commit: whatever was
// committed has been seen by a look that came after it, and no stream is
// looked at twice at once.
func testNothingSwallowed(t *testing.T, open Open) {
	const streams, each, engines = 6, 20, 3
	p := &pursuit{seen: map[string]int64{}, busy: map[string]bool{}}
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	var looking, pushing sync.WaitGroup
	for i := range engines {
		s := open(t)
		looking.Go(func() { p.engine(ctx, t, s, fmt.Sprint("engine-", i)) })
	}
	s := open(t)
	for i := range streams {
		pushing.Go(func() {
			for range each {
				push(t, s, fmt.Sprintf("run/%d", i), of(fmt.Sprint("p", i%engines)))
			}
		})
	}
	pushing.Wait()
	eventually(t, "every event is seen", func() bool { return p.complete(streams, each) })
	cancel()
	looking.Wait()
}

type pursuit struct {
	mu   sync.Mutex
	seen map[string]int64
	busy map[string]bool
}

func (p *pursuit) complete(streams int, each int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, seq := range p.seen {
		if seq != each {
			return false
		}
	}
	return len(p.seen) == streams
}

func (p *pursuit) engine(ctx context.Context, t *testing.T, s store.Store, name string) {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.Signals():
		case <-poll.C: // the signals of other openings do not reach this one
		}
		for _, w := range claim(t, s, name, waittest.Limit) {
			if err := p.look(t.Context(), s, w); err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
		}
	}
}

func (p *pursuit) look(ctx context.Context, s store.Store, w store.Hint) error {
	p.mu.Lock()
	doubled := p.busy[w.Stream]
	p.busy[w.Stream] = true
	p.mu.Unlock()
	if doubled {
		return fmt.Errorf("%s is looked at twice at once", w.Stream)
	}
	head, err := s.Head(ctx, w.Stream)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.seen[w.Stream] = max(p.seen[w.Stream], head.Seq)
	p.busy[w.Stream] = false
	p.mu.Unlock()
	return s.Rest(ctx, w)
}
