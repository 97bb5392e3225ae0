package dispatch

import (
	"context"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// usher is an engine that says whether an attempt may begin.
type usher struct {
	*ended
	seated bool
	fails  error
	asked  []string
}

func (u *usher) Seat(_ context.Context, _ *core.Run, fence int64, attempt string) (bool, error) {
	if fence == 7 {
		u.asked = append(u.asked, attempt)
	}
	return u.seated, u.fails
}

// TestAnAttemptWithoutASeatIsNotBegun, and nothing is said of it: it is asked for again. One that an earlier engine has begun
// needs no seat here.
func TestAnAttemptWithoutASeatIsNotBegun(t *testing.T) {
	p := newPhased(t)
	u := &usher{ended: p.ended}
	p.surf.engine = u
	try := func(when string, seated bool, fails error, asked, ordered, reported int) {
		t.Helper()
		u.seated, u.fails = seated, fails
		key := p.run.ID + " " + core.KeyOf(p.action())
		p.flight[key] = &job{cancel: func(error) {}}
		if err := p.startAttempt(owning(t.Context(), 7), p.run, p.action()); !errors.Is(err, fails) {
			t.Errorf("%s: ended with %v", when, err)
		}
		delete(p.flight, key)
		orders, kills := p.workers.asked()
		if told := p.engine.taken(); len(orders) != ordered || kills > 0 || len(told) != reported {
			t.Errorf("%s: ordered %+v, %d kills, reported %v", when, orders, kills, told)
		}
		if len(u.asked) != asked || u.asked[0] != builder {
			t.Errorf("%s: asked for seats for %v", when, u.asked)
		}
	}
	try("a full place", false, nil, 1, 0, 0)
	try("another owner", true, store.ErrFenced, 2, 0, 0)
	try("a place for it", true, nil, 3, 1, 1)
	try("begun by an earlier engine", false, nil, 3, 1, 1)
}
