package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// ear is a way that keeps what it is told.
type ear struct {
	name string
	mu   sync.Mutex
	fail error
	got  []Message
	at   []time.Time
	all  int // also those that failed

	hangs chan struct{} // if set, sending takes until it is closed
}

func (e *ear) send(ctx context.Context, m Message) error {
	if e.hangs != nil {
		select {
		case <-e.hangs:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all++
	if e.fail != nil {
		return e.fail
	}
	e.got, e.at = append(e.got, m), append(e.at, time.Now())
	return nil
}

func (e *ear) heals() { e.mu.Lock(); e.fail = nil; e.mu.Unlock() }

func (e *ear) tries() int { e.mu.Lock(); defer e.mu.Unlock(); return e.all }

func (e *ear) titles() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var titles []string
	for _, m := range e.got {
		titles = append(titles, m.Title)
	}
	return strings.Join(titles, "; ")
}

// open is an engine's outbox on a database, which is opened in the test's bubble.
func open(t *testing.T, path string, q Quiet, waits func(Notice) bool, ears ...*ear) *Outbox {
	t.Helper()
	return openOn(t, sqlitetest.Open(t, path), q, waits, ears...)
}

func openOn(t *testing.T, db Store, q Quiet, waits func(Notice) bool, ears ...*ear) *Outbox {
	t.Helper()
	var ways []Way
	for _, e := range ears {
		ways = append(ways, Way{e.name, e.send})
	}
	o := Open(Options{
		Store: db, Log: slog.New(slog.DiscardHandler), Setup: func() (Setup, error) { return Setup{ways, q}, nil },
		Waits: func(_ context.Context, n Notice) bool { return waits == nil || waits(n) },
	})
	o.Start()
	return o
}

func say(t *testing.T, o *Outbox, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := o.Notify(t.Context(), Notice{ID: id, Title: id + " waits", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAThingIsToldOnceAWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		a, b := &ear{name: "a"}, &ear{name: "b"}
		o := open(t, path, Quiet{}, nil, a, b)
		say(t, o, "one", "one")
		time.Sleep(time.Minute)
		say(t, o, "one")
		time.Sleep(time.Minute)
		o.Close()
		o = open(t, path, Quiet{}, nil, a, b) // after a restart
		say(t, o, "one")
		time.Sleep(time.Minute)
		o.Close()
		for _, e := range []*ear{a, b} {
			if e.titles() != "stellwerk: one waits" {
				t.Errorf("%s heard %q", e.name, e.titles())
			}
		}
	})
}

func TestManyAtOnceAreSummedUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		o := open(t, path, Quiet{}, nil, a)
		for i := range 25 {
			say(t, o, fmt.Sprintf("thing-%02d", i))
		}
		time.Sleep(time.Minute)
		o.Close()
		if a.titles() != "stellwerk: 25 things to look at" || !strings.Contains(a.got[0].Text, "thing-09") || !strings.Contains(a.got[0].Text, "and 15 more") {
			t.Errorf("heard %q: %+v", a.titles(), a.got)
		}
		if len(a.got[0].Notices) != 25 {
			t.Errorf("%d notices", len(a.got[0].Notices))
		}
	})
}

func TestQuietHoursEndWithEverythingThatStillWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		quiet, err := ParseQuiet("23:00-07:30", "UTC") // the bubble's clock begins at midnight UTC
		if err != nil {
			t.Fatal(err)
		}
		answered := func(n Notice) bool { return n.ID != "two" }
		o := open(t, path, quiet, answered, a)
		say(t, o, "one", "two")
		time.Sleep(3 * time.Hour)
		o.Close() // which does not break the quiet
		if a.tries() > 0 {
			t.Fatalf("heard %q at night", a.titles())
		}
		o = open(t, path, quiet, answered, a)
		say(t, o, "three")
		time.Sleep(6 * time.Hour)
		o.Close()
		if a.titles() != "stellwerk: 2 things to look at" {
			t.Fatalf("heard %q", a.titles())
		}
		if got := a.at[0].UTC().Format("15:04"); got != "07:30" {
			t.Errorf("heard at %s", got)
		}
	})
}

func TestAWayThatFailsIsTriedAgainAndThenGivenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		well, ill, never := &ear{name: "well"}, &ear{name: "ill", fail: errors.New("busy")}, &ear{name: "never", fail: fmt.Errorf("no: %w", ErrPermanent)}
		o := open(t, path, Quiet{}, nil, well, ill, never)
		say(t, o, "one")
		time.Sleep(30 * time.Second)
		if well.tries() != 1 || ill.tries() < 2 || never.tries() != 1 {
			t.Fatalf("tries: %d, %d, %d", well.tries(), ill.tries(), never.tries())
		}
		o.Close()
		o = open(t, path, Quiet{}, nil, well, ill, never)
		time.Sleep(5 * time.Hour)
		if ill.tries() != maxTries {
			t.Errorf("%d tries, not %d", ill.tries(), maxTries)
		}
		ill.heals()
		say(t, o, "two")
		time.Sleep(time.Hour)
		o.Close()
		if well.titles() != "stellwerk: one waits; stellwerk: two waits" || ill.titles() != "stellwerk: two waits" {
			t.Errorf("heard %q and %q", well.titles(), ill.titles())
		}
	})
}

func TestWhatIsDueWhenAnEngineEndsIsToldOrKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		o := open(t, path, Quiet{}, nil, a)
		say(t, o, "one")
		o.Close()
		if a.titles() != "stellwerk: one waits" {
			t.Errorf("heard %q", a.titles())
		}
	})
	all, err := sqlitetest.Open(t, path).Documents(t.Context(), "notice", "", "", 0)
	if err != nil || len(all) != 1 || !strings.Contains(string(all[0].Data), `"told":true`) {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestEnginesTellOnce: whichever engine hears of a thing, and however many send at the
// same time, it is told once a way.
func TestEnginesTellOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		a, b := &ear{name: "a"}, &ear{name: "b"}
		var engines []*Outbox
		for range 3 {
			engines = append(engines, open(t, path, Quiet{}, nil, a, b))
		}
		for i := range 20 {
			id := fmt.Sprint("thing-", i)
			say(t, engines[i%3], id)
			say(t, engines[(i+1)%3], id)
			time.Sleep(time.Second)
		}
		time.Sleep(3 * time.Minute)
		for _, o := range engines {
			o.Close()
		}
		for _, e := range []*ear{a, b} {
			heard := map[string]int{}
			for _, m := range e.got {
				for _, n := range m.Notices {
					heard[n.ID]++
				}
			}
			for i := range 20 {
				if id := fmt.Sprint("thing-", i); heard[id] != 1 {
					t.Errorf("%s heard of %s %d times", e.name, id, heard[id])
				}
			}
		}
	})
}

// TestAnotherEngineTellsWhatOneLeft: also what that had claimed when it was killed.
func TestAnotherEngineTellsWhatOneLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		stuck := &ear{name: "a", hangs: make(chan struct{})}
		db := &mortal{documents: sqlitetest.Open(t, path)}
		killed := openOn(t, db, Quiet{}, nil, stuck)
		say(t, killed, "one")
		time.Sleep(gathering + time.Second) // it is sending
		a := &ear{name: "a"}
		other := open(t, path, Quiet{}, nil, a)
		time.Sleep(10 * time.Second)
		if a.tries() > 0 {
			t.Errorf("two engines tell at once: %q", a.titles())
		}
		db.dead.Store(true) // it notes nothing any more
		killed.stop()
		close(stuck.hangs)
		time.Sleep(claiming + 2*looking)
		if a.titles() != "stellwerk: one waits" {
			t.Errorf("heard %q", a.titles())
		}
		other.Close()
		<-killed.done
	})
}

// ahead is a store whose clock is not that of this machine.
type ahead struct{ documents }

func (a ahead) Now(ctx context.Context) (time.Time, error) {
	now, err := a.documents.Now(ctx)
	return now.Add(time.Hour), err
}

// TestClaimsAreByTheClockOfTheStore: engines on two machines agree when one has run out.
func TestClaimsAreByTheClockOfTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		stuck := &ear{name: "a", hangs: make(chan struct{})}
		db := ahead{sqlitetest.Open(t, path)}
		o := openOn(t, db, Quiet{}, nil, stuck)
		say(t, o, "one")
		time.Sleep(gathering + time.Second) // it is sending
		claimed, err := document.Read[entry](t.Context(), db, kind, "one")
		if until := claimed.Value.Claims["a"]; err != nil || time.Until(until) < time.Hour {
			t.Errorf("it is claimed until %s, %v", until, err)
		}
		b := &ear{name: "a"}
		other := openOn(t, db, Quiet{}, nil, b)
		time.Sleep(10 * time.Second)
		if b.tries() > 0 {
			t.Error("two engines tell at once")
		}
		close(stuck.hangs)
		o.Close()
		other.Close()
	})
}

// mortal is the store of an engine that is killed.
type mortal struct {
	documents
	dead atomic.Bool
}

type documents = Store

var errKilled = errors.New("killed")

func (m *mortal) Document(ctx context.Context, kind, key string) (store.Document, error) {
	if m.dead.Load() {
		return store.Document{}, errKilled
	}
	return m.documents.Document(ctx, kind, key)
}

func (m *mortal) Documents(ctx context.Context, kind, prefix, after string, limit int) ([]store.Document, error) {
	if m.dead.Load() {
		return nil, errKilled
	}
	return m.documents.Documents(ctx, kind, prefix, after, limit)
}

func TestTooMuchToTellLeavesTheOldestOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		var all []store.Document
		for i := range maxWaiting + 5 {
			d, err := document.Make(kind, fmt.Sprintf("%04d", i), 0, entry{Notice: Notice{ID: fmt.Sprintf("%04d", i), At: time.Now().Add(time.Duration(i))}})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, d)
		}
		if _, err := sqlitetest.Open(t, path).PutDocuments(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		o := open(t, path, Quiet{}, nil, a)
		say(t, o, "0003")
		time.Sleep(time.Minute)
		o.Close()
		if len(a.got) != 1 || len(a.got[0].Notices) != maxWaiting || a.got[0].Notices[0].ID != "0005" {
			t.Errorf("heard %q", a.titles())
		}
	})
}

// TestWhatWasToldIsForgottenInTheEnd: the oldest of too much.
func TestWhatWasToldIsForgottenInTheEnd(t *testing.T) {
	db := sqlitetest.New(t)
	var all []store.Document
	for i := range maxTold + 3 {
		d, err := document.Make(kind, fmt.Sprintf("%04d", maxTold+3-i), 0, entry{Notice: Notice{ID: "x"}, Told: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	if _, err := db.PutDocuments(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	o := Open(Options{Store: db})
	if waiting, err := o.waiting(t.Context()); err != nil || len(waiting) != 0 {
		t.Errorf("%d wait, %v", len(waiting), err)
	}
	left, err := db.Documents(t.Context(), kind, "", "", 0)
	if err != nil || len(left) != maxTold || left[maxTold-1].Key != fmt.Sprint(maxTold) {
		t.Errorf("%d are left up to %s, %v", len(left), left[len(left)-1].Key, err)
	}
}

func TestATestSaysWhatBecameOfIt(t *testing.T) {
	a, why := &ear{name: "a"}, errors.New("no secret")
	o := open(t, filepath.Join(t.TempDir(), "stellwerk.db"), Quiet{}, nil, a, &ear{name: "webhook", fail: why})
	defer o.Close()
	told, err := o.Test(t.Context())
	if err != nil || len(told) != 2 || told[0].Err != nil || !errors.Is(told[1].Err, why) || a.titles() != "stellwerk: this is a test" {
		t.Errorf("%+v, %v, heard %q", told, err, a.titles())
	}
}
