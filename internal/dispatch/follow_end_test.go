package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// fated is a place where an attempt goes through statuses, one for each wait.
type fated struct {
	spawn.Spawner
	statuses []spawn.Status
	calls    []string
	broken   map[string]error
	idle     chan struct{} // the agent has ended
	taken    chan struct{} // what Wait waits for, once the agent has ended
}

func (f *fated) Idle(spawn.ID) <-chan struct{} { return f.idle }

func (f *fated) Wait(context.Context, spawn.ID) (spawn.Status, error) {
	if f.taken != nil {
		<-f.taken
	}
	status := f.statuses[0]
	f.statuses, f.calls = f.statuses[1:], append(f.calls, "wait")
	return status, f.broken["wait"]
}

func (f *fated) Probe(context.Context, spawn.ID) (spawn.Status, error) {
	return f.statuses[0], f.broken["probe"]
}

func (f *fated) Kill(context.Context, spawn.ID) error {
	f.calls = append(f.calls, "kill")
	return f.broken["kill"]
}

func (f *fated) Salvage(context.Context, spawn.ID) error {
	f.calls = append(f.calls, "salvage")
	return f.broken["salvage"]
}

// TestAnAttemptIsFollowedToItsEnd: what a dead shim left is salvaged and then collected, one that never began is said to
// have not, and one that is being stopped is told so once more, as after an engine that died over it.
func TestAnAttemptIsFollowedToItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		status   core.AttemptStatus
		statuses []spawn.Status
		calls    string
		want     core.ExitKind
	}{
		"ended":                 {core.AttemptRunning, []spawn.Status{spawn.Exited}, "wait", core.ExitFinished},
		"ended after a while":   {core.AttemptRunning, []spawn.Status{spawn.Running, spawn.Exited}, "wait wait", core.ExitFinished},
		"lost":                  {core.AttemptRunning, []spawn.Status{spawn.Lost, spawn.Exited}, "wait salvage wait", core.ExitFinished},
		"never begun":           {core.AttemptRunning, []spawn.Status{spawn.Absent}, "wait", core.ExitNoStart},
		"gone with its machine": {core.AttemptRunning, []spawn.Status{spawn.Absent}, "wait", core.ExitLost},
		"stopped":               {core.AttemptStopping, []spawn.Status{spawn.Exited}, "kill wait", core.ExitFinished},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, shim.Exit{Outcome: agent.Outcome{OK: true}}, nil)
			_, _, attempt := e.run.Attempt(theAttempt)
			attempt.Status, attempt.Usage.CostUSD = c.status, 0.5
			if attempt.StartedAt = time.Unix(1, 0); c.want == core.ExitNoStart {
				attempt.StartedAt = time.Time{}
			}
			f := &fated{statuses: c.statuses}
			e.Spawner = f
			if err := e.watchAttempt(t.Context(), e.run, core.WatchAttempt{Attempt: theAttempt}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(f.calls, " "); got != c.calls {
				t.Errorf("done was %q, want %q", got, c.calls)
			}
			if body := e.engine.await(t).(core.AttemptExited); body.Kind != c.want || len(e.engine.news) > 0 || c.want == core.ExitLost && body.Usage.CostUSD != 0.5 {
				t.Errorf("reported is %+v", body)
			}
		})
	}
	broken := errors.New("the disk is gone")
	for _, what := range []string{"wait", "salvage", "kill"} {
		e := newEnded(t, shim.Exit{Outcome: agent.Outcome{OK: true}}, nil)
		_, _, attempt := e.run.Attempt(theAttempt)
		attempt.Status = core.AttemptStopping
		e.Spawner = &fated{statuses: []spawn.Status{spawn.Lost, spawn.Exited}, broken: map[string]error{what: broken}}
		if err := e.watchAttempt(t.Context(), e.run, core.WatchAttempt{Attempt: theAttempt}); !errors.Is(err, broken) || len(e.engine.news) > 0 {
			t.Errorf("%s fails: %v", what, err)
		}
	}
	for _, what := range []string{"kill", "probe"} { // of one that may have begun nothing is said
		e := newEnded(t, shim.Exit{}, nil)
		e.Spawner = &fated{statuses: []spawn.Status{spawn.Absent}, broken: map[string]error{what: broken}}
		if err := e.notStarted(t.Context(), e.run, theAttempt, errors.New("no room")); !errors.Is(err, broken) || len(e.engine.news) > 0 {
			t.Errorf("%s fails: %v", what, err)
		}
	}
	e := newEnded(t, shim.Exit{}, nil)
	f := &fated{}
	e.Spawner = f
	if err := e.stopAttempt(t.Context(), e.run, core.StopAttempt{Attempt: "api.r1.a9"}); err != nil || !slices.Equal(f.calls, []string{"kill"}) {
		t.Errorf("stopped was %v, %v", f.calls, err)
	}
}

// TestSlotsAreGivenBackBeforeTheEnd: once the agent has ended, while what it left is still being handed in.
func TestSlotsAreGivenBackBeforeTheEnd(t *testing.T) {
	e := newEnded(t, shim.Exit{Outcome: agent.Outcome{OK: true}}, nil)
	_, _, attempt := e.run.Attempt(theAttempt)
	attempt.Status = core.AttemptRunning
	f := &fated{statuses: []spawn.Status{spawn.Exited}, idle: make(chan struct{}), taken: make(chan struct{})}
	e.Spawner, e.vacated = f, make(chan string)
	ended := make(chan error, 1)
	go func() {
		ended <- e.watchAttempt(owning(t.Context(), 7), e.run, core.WatchAttempt{Attempt: theAttempt})
	}()
	close(f.idle)
	select {
	case got := <-e.vacated:
		if want := e.run.ID + " 7 " + theAttempt; got != want || len(e.engine.news) > 0 {
			t.Errorf("given back is %q, want %q, after %d events", got, want, len(e.engine.news))
		}
	case <-time.After(waittest.Limit):
		t.Error("the slots were kept")
	}
	close(f.taken)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestAnAttemptIsMetered while it runs, in steps of its limit; where there is none, nobody is told.
func TestAnAttemptIsMetered(t *testing.T) {
	for name, c := range map[string]struct {
		limits  core.Limits
		already float64
		want    int
	}{"a limit": {core.Limits{CostUSD: 10}, 0, 1}, "told before": {core.Limits{CostUSD: 10}, 0.9, 0}, "no limit": {core.Limits{}, 0, 0}} {
		e := newEnded(t, shim.Exit{}, nil)
		_, _, attempt := e.run.Attempt(theAttempt)
		e.run.Limits, attempt.Usage.CostUSD = c.limits, c.already
		write(t, shim.JournalPath(e.folder), `{"n":1,"at":"2026-01-02T03:04:05Z","record":{"kind":"usage","usage":{"cost_usd":1}}}`+"\n"+
			`{"n":2,"at":"2026-01-02T03:04:05Z","record":{"kind":"usage","usage":{"cost_usd":1.1}}}`+"\n")
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*meterEvery)
			defer cancel()
			e.meter(ctx, e.run, theAttempt)
		})
		said := e.engine.taken()
		var want []core.Body
		if c.want > 0 { // what is more than its portion is reserved afterwards
			want = []core.Body{core.UsageObserved{
				Attempt: theAttempt, Usage: core.Usage{CostUSD: 1.1}, Wants: &core.Want{Seq: 1, Amount: core.Amount{USD: 1.1}},
			}}
		}
		if diff := gocmp.Diff(want, said); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// pages is a forge whose notes come page by page.
type pages struct {
	forge.Forge
	cursors []string
	ref     forge.Ref // of the last look
	more    bool
}

func (p *pages) Look(_ context.Context, ref forge.Ref) (forge.Seen, error) {
	p.cursors, p.ref = append(p.cursors, ref.Cursor), ref
	n := len(p.cursors)
	return forge.Seen{
		State: "open", Cursor: strings.Repeat("c", n), More: p.more || n < 3,
		Notes: []forge.Note{{ID: strings.Repeat("n", n), Kind: forge.NoteChanges, Member: true, Body: "again"}},
	}, nil
}

// TestALookReadsEveryPage, up to a bound: a review and its comments on lines may be on two.
func TestALookReadsEveryPage(t *testing.T) {
	w := newWatch(t, "gitea")
	for more, want := range map[bool]int{false: 3, true: maxLooks} {
		f := &pages{more: more}
		w.Forges = oneForge{f}
		pr := *w.run.PullRequest
		pr.Cursor, w.run.Project, w.run.Remote = "begin", "shop", "https://git.example.org/r.git"
		seen, err := w.look(t.Context(), w.run, &pr)
		if err != nil || len(seen.Notes) != want || len(f.cursors) != want || !slices.Equal(f.cursors[:3], []string{"begin", "c", "cc"}) || seen.Cursor != strings.Repeat("c", want) {
			t.Errorf("read are %d notes by %q, %v", len(seen.Notes), f.cursors, err)
		}
		if ref := (forge.Ref{Project: "shop", Remote: w.run.Remote, Number: pr.Number, Cursor: strings.Repeat("c", want-1)}); f.ref != ref {
			t.Errorf("looked at was %+v, want %+v", f.ref, ref)
		}
	}
}

// TestARequestIsOnRecordBeforeThePlaceIs: an engine that fails between the two reads the review again.
func TestARequestIsOnRecordBeforeThePlaceIs(t *testing.T) {
	w := newWatch(t, "gitea")
	diskFull := errors.New("the disk is full")
	w.Dispatcher.engine = refusing{diskFull}
	pr := *w.run.PullRequest
	before := pr
	seen := forge.Seen{State: "open", Cursor: "later", Preview: "javascript:alert(1)", Notes: []forge.Note{{ID: "r1", Kind: forge.NoteChanges, Member: true, Body: "not " + hiddenWord}}}
	if _, err := w.tellNews(t.Context(), w.run, &pr, seen); !errors.Is(err, diskFull) || pr != before {
		t.Errorf("read up to %q: %v", pr.Cursor, err)
	}
	seen.Notes = nil
	if _, err := w.tellNews(t.Context(), w.run, &pr, seen); !errors.Is(err, diskFull) || pr != before {
		t.Errorf("read up to %q: %v", pr.Cursor, err)
	}
	w.Dispatcher.engine, w.Redactors = w.engine, func([]string) Redactor { return discreet{} }
	seen.Notes = []forge.Note{{ID: "r1", Kind: forge.NoteChanges, Member: true, Body: "not " + hiddenWord}}
	if changed, err := w.tellNews(t.Context(), w.run, &pr, seen); err != nil || !changed || pr.Cursor != "later" || pr.Preview != "" {
		t.Errorf("%+v, %v", pr, err)
	}
	said := w.engine.taken()
	if wish, ok := said[0].(core.ChangesRequested); !ok || wish.Text != "not [redacted]" {
		t.Errorf("reported is %+v", said)
	}
	if changed, err := w.tellNews(t.Context(), w.run, &pr, forge.Seen{State: "open", Cursor: "later"}); err != nil || changed || len(w.engine.taken()) > 0 {
		t.Errorf("nothing new is told: %v", err)
	}
}

// TestAHintIsForAllItNames: every pull request of a repository that a hint is about is looked at, and no other.
func TestAHintIsForAllItNames(t *testing.T) {
	for name, test := range map[string]struct {
		numbers []int
		want    map[string]bool
	}{
		"by number": {[]int{1, 3}, map[string]bool{"run-1": true, "run-3": true}},
		"all of it": {nil, map[string]bool{"run-1": true, "run-2": true, "run-3": true}},
		"none":      {[]int{7}, map[string]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Dispatcher{posts: newLookouts()}
			for n, repository := range []string{"acme/rocket", "acme/rocket", "acme/rocket", "acme/other"} {
				d.posts.post(&core.Run{ID: fmt.Sprint("run-", n+1), Forge: "github", Repository: repository, PullRequest: &core.PullRequest{Number: n + 1}})
			}
			if err := d.Hint(t.Context(), "github", "acme/rocket", test.numbers); err != nil {
				t.Fatal(err)
			}
			asked := map[string]bool{}
			for id, o := range d.posts.all {
				if len(o.now) > 0 {
					asked[id] = true
				}
			}
			if !maps.Equal(asked, test.want) {
				t.Errorf("asked for %v, want %v", asked, test.want)
			}
		})
	}
}

// TestAForgeIsLeftAloneForAsLongAsItSaid: a shorter wish of another pull request does not shorten that, and nobody's
// asking does.
func TestAForgeIsLeftAloneForAsLongAsItSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookouts()
		run := &core.Run{ID: "run-1", ForgeURL: "https://a", PullRequest: &core.PullRequest{Number: 1}}
		o := l.post(run)
		if err := l.wait(t.Context(), o, time.Millisecond); err != nil || time.Since(o.looked) != 0 {
			t.Fatal(err)
		}
		began := time.Now()
		ask(o.now)
		ask(o.now)
		if err := l.wait(t.Context(), o, time.Hour); err != nil || time.Since(began) != lookGap {
			t.Errorf("looked again after %s, %v", time.Since(began), err)
		}
		l.hush(run, time.Hour)
		l.hush(run, time.Minute)
		began = time.Now()
		ask(o.now)
		if err := l.wait(t.Context(), o, time.Second); err != nil || time.Since(began) != time.Hour {
			t.Errorf("looked again after %s, %v", time.Since(began), err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := l.wait(ended, o, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("an engine that ends looked: %v", err)
		}
		later := l.post(run)
		if l.leave(o); l.all[run.ID] != later {
			t.Error("who left took another's place away")
		}
		if l.leave(later); len(l.all) > 0 {
			t.Error("who left is still there")
		}
	})
}
