package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ear is a way that keeps what it is told.
type ear struct {
	name string
	mu   sync.Mutex
	fail error
	got  []Message
	at   []time.Time
	all  int // also those that failed
}

func (e *ear) send(_ context.Context, m Message) error {
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

func open(t *testing.T, file string, q Quiet, waits func(Notice) bool, ears ...*ear) *Outbox {
	t.Helper()
	var ways []Way
	for _, e := range ears {
		ways = append(ways, Way{e.name, e.send})
	}
	o := Open(Options{
		File: file, Log: slog.New(slog.DiscardHandler), Setup: func() (Setup, error) { return Setup{ways, q}, nil },
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
	file := filepath.Join(t.TempDir(), "notices.json")
	synctest.Test(t, func(t *testing.T) {
		a, b := &ear{name: "a"}, &ear{name: "b"}
		o := open(t, file, Quiet{}, nil, a, b)
		say(t, o, "one", "one")
		time.Sleep(time.Minute)
		say(t, o, "one")
		time.Sleep(time.Minute)
		o.Close()
		o = open(t, file, Quiet{}, nil, a, b) // after a restart
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
	file := filepath.Join(t.TempDir(), "notices.json")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		o := open(t, file, Quiet{}, nil, a)
		for i := range 25 {
			say(t, o, fmt.Sprint("thing-", i))
		}
		time.Sleep(time.Minute)
		o.Close()
		if a.titles() != "stellwerk: 25 things to look at" || !strings.Contains(a.got[0].Text, "thing-9") || !strings.Contains(a.got[0].Text, "and 15 more") {
			t.Errorf("heard %q: %+v", a.titles(), a.got)
		}
		if len(a.got[0].Notices) != 25 {
			t.Errorf("%d notices", len(a.got[0].Notices))
		}
	})
}

func TestQuietHoursEndWithEverythingThatStillWaits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		quiet, err := ParseQuiet("23:00-07:30", "UTC") // the bubble's clock begins at midnight UTC
		if err != nil {
			t.Fatal(err)
		}
		answered := func(n Notice) bool { return n.ID != "two" }
		o := open(t, file, quiet, answered, a)
		say(t, o, "one", "two")
		time.Sleep(3 * time.Hour)
		o.Close() // which does not break the quiet
		if a.tries() > 0 {
			t.Fatalf("heard %q at night", a.titles())
		}
		o = open(t, file, quiet, answered, a)
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
	file := filepath.Join(t.TempDir(), "notices.json")
	synctest.Test(t, func(t *testing.T) {
		well, ill, never := &ear{name: "well"}, &ear{name: "ill", fail: errors.New("busy")}, &ear{name: "never", fail: fmt.Errorf("no: %w", ErrPermanent)}
		o := open(t, file, Quiet{}, nil, well, ill, never)
		say(t, o, "one")
		time.Sleep(30 * time.Second)
		if well.tries() != 1 || ill.tries() < 2 || never.tries() != 1 {
			t.Fatalf("tries: %d, %d, %d", well.tries(), ill.tries(), never.tries())
		}
		o.Close()
		o = open(t, file, Quiet{}, nil, well, ill, never)
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
	file := filepath.Join(t.TempDir(), "notices.json")
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		o := open(t, file, Quiet{}, nil, a)
		say(t, o, "one")
		o.Close()
		if a.titles() != "stellwerk: one waits" {
			t.Errorf("heard %q", a.titles())
		}
	})
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), `"waiting":[]`) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestALedgerThatCannotBeReadIsBegunAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	if err := os.WriteFile(file, []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		a := &ear{name: "a"}
		o := open(t, file, Quiet{}, nil, a)
		say(t, o, "one")
		o.Close()
		if a.titles() != "stellwerk: one waits" {
			t.Errorf("heard %q", a.titles())
		}
	})
}

func TestTooMuchToTellLeavesTheOldestOut(t *testing.T) {
	var l ledger
	for i := range maxWaiting + 5 {
		l.add(Notice{ID: fmt.Sprint(i)})
	}
	if len(l.Waiting) != maxWaiting || l.Waiting[0].Notice.ID != "5" || !l.knows("0") || !l.knows("1000") || l.knows("x") {
		t.Errorf("%d wait, the first is %s", len(l.Waiting), l.Waiting[0].Notice.ID)
	}
}

func TestATestSaysWhatBecameOfIt(t *testing.T) {
	a, why := &ear{name: "a"}, errors.New("no secret")
	o := open(t, filepath.Join(t.TempDir(), "notices.json"), Quiet{}, nil, a, &ear{name: "webhook", fail: why})
	defer o.Close()
	told, err := o.Test(t.Context())
	if err != nil || len(told) != 2 || told[0].Err != nil || !errors.Is(told[1].Err, why) || a.titles() != "stellwerk: this is a test" {
		t.Errorf("%+v, %v, heard %q", told, err, a.titles())
	}
}
