package remote_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// outage is a store with one attempt, which was claimed, and of which nothing is heard while the store is away.
type outage struct {
	remote.Store
	heard  time.Time
	away   bool
	jumped time.Duration // by which its clock is ahead
}

var errAway = errors.New("the store is away")

func (o *outage) Document(_ context.Context, kind, _ string) (store.Document, error) {
	switch {
	case o.away:
		return store.Document{}, errAway
	case kind == "attempt-claim":
		return store.Document{At: o.heard}, nil
	}
	return store.Document{}, store.ErrNotFound
}

func (o *outage) Now(context.Context) (time.Time, error) { return time.Now().Add(o.jumped), nil }

// TestAnOutageOfTheStore is no worker's silence, whether engines ask in vain meanwhile or not at all.
func TestAnOutageOfTheStore(t *testing.T) {
	for name, asks := range map[string]bool{"asking in vain": true, "not asking": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const silence = time.Minute
				db := &outage{heard: time.Now()}
				x := remote.New(remote.Options{Store: db, Silence: silence})
				look := func(long time.Duration, want spawn.Status, wantErr error) {
					t.Helper()
					for range long / time.Second {
						time.Sleep(time.Second)
						if got, err := x.Status(t.Context(), exchangetest.First); got != want || !errors.Is(err, wantErr) {
							t.Fatalf("after %s it is %q, %v, want %q", time.Since(db.heard), got, err, want)
						}
					}
				}
				look(silence, spawn.Running, nil)
				db.heard = time.Now()
				if db.away = asks; asks {
					look(2*silence, "", errAway)
				} else {
					time.Sleep(2 * silence)
				}
				db.away = false
				look(silence, spawn.Running, nil) // its worker has as long as ever to be heard again
				time.Sleep(2 * time.Second)
				look(time.Second, spawn.Lost, nil)
			})
		})
	}
}

// TestAClockThatJumps, because the store's was set, or this machine slept, is no worker's silence: it has as long as ever to be
// heard by the new time.
func TestAClockThatJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = time.Minute
		db := &outage{heard: time.Now()}
		x := remote.New(remote.Options{Store: db, Silence: silence})
		look := func(long time.Duration, want spawn.Status) {
			t.Helper()
			for range long / time.Second {
				time.Sleep(time.Second)
				if got, err := x.Status(t.Context(), exchangetest.First); got != want || err != nil {
					t.Fatalf("%s after the start it is %q, %v, want %q", time.Since(db.heard), got, err, want)
				}
			}
		}
		look(silence, spawn.Running)
		db.heard = time.Now()
		look(silence/4, spawn.Running)
		db.jumped = time.Hour
		look(silence, spawn.Running)
		time.Sleep(2 * time.Second)
		look(time.Second, spawn.Lost)
		db.heard = time.Now().Add(db.jumped) // the next beat is by the new time
		look(silence, spawn.Running)
		time.Sleep(2 * time.Second)
		look(time.Second, spawn.Lost)
	})
}
