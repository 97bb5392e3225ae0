package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// queue is the same rule without a database: who holds slots, and who waits in
// which order.
type queue struct {
	held, line []core.Slots
	handed     []string // streams that were told, since it was last asked
}

func (q *queue) used(pool string) (n int) {
	for _, s := range q.held {
		if slices.ContainsFunc(s.Pools, func(p core.SlotPool) bool { return p.Key == pool }) {
			n++
		}
	}
	return n
}

func (q *queue) fits(s core.Slots) bool {
	return !slices.ContainsFunc(s.Pools, func(p core.SlotPool) bool { return q.used(p.Key) >= p.Limit })
}

func (q *queue) share(s core.Slots) (n int) {
	for _, h := range q.held {
		if h.Project == s.Project && h.Pools[0].Key == s.Pools[0].Key {
			n++
		}
	}
	return n
}

// serve hands out slots until nobody in line has room in all its pools.
func (q *queue) serve() {
	for {
		var first *core.Slots
		for i, s := range q.line {
			if q.fits(s) && (first == nil || q.share(s) < q.share(*first)) {
				first = &q.line[i]
			}
		}
		if first == nil {
			return
		}
		s := *first
		q.held, q.line = append(q.held, s), without(q.line, s.Holder)
		q.handed = append(q.handed, "run/"+s.Holder)
	}
}

func without(all []core.Slots, holder string) []core.Slots {
	return slices.DeleteFunc(slices.Clone(all), func(s core.Slots) bool { return s.Holder == holder })
}

func (q *queue) free(holder string) {
	q.held, q.line = without(q.held, holder), without(q.line, holder)
	q.serve()
}

// enter has somebody in the queue as it asks now, and reports that it has its
// slots already. What it had otherwise is for whoever is served next.
func (q *queue) enter(s core.Slots) (held bool) {
	keys := func(s core.Slots) (all []string) {
		for _, p := range s.Pools {
			all = append(all, p.Key)
		}
		return all
	}
	for _, of := range []*[]core.Slots{&q.held, &q.line} {
		for i, is := range *of {
			if is.Holder == s.Holder && slices.Equal(keys(is), keys(s)) {
				*of = slices.Clone(*of)
				(*of)[i] = s
				return of == &q.held
			}
		}
	}
	q.held, q.line = without(q.held, s.Holder), append(without(q.line, s.Holder), s)
	return false
}

// wait has somebody in the queue, and hands it its slots if all of them are free.
func (q *queue) wait(s core.Slots) {
	if q.enter(s) {
		return
	}
	if q.fits(s) {
		q.held, q.line = append(q.held, s), without(q.line, s.Holder)
		q.handed = append(q.handed, "run/"+s.Holder)
	}
	q.serve()
}

// take reports false, and changes nothing, if the slots are taken.
func (q *queue) take(s core.Slots) bool {
	before := *q
	if q.enter(s) {
		return true
	}
	if !q.fits(s) {
		*q = before
		return false
	}
	q.held, q.line = append(q.held, s), without(q.line, s.Holder)
	q.serve()
	return true
}

func (q *queue) String() string {
	name := func(all []core.Slots) string {
		return strings.Join(names(all, func(s core.Slots) string { return s.Holder }), " ")
	}
	held := slices.SortedFunc(slices.Values(q.held), func(a, b core.Slots) int { return cmp.Compare(a.Holder, b.Holder) })
	return name(held) + " | " + name(q.line)
}

// testSlotsProperty: whatever is taken, queued for, raised and given back, those
// whose turn it is have the slots, and only they are told.
func testSlotsProperty(t *testing.T, open Open) {
	s := open(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		q := &queue{}
		draw := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) }
		for step := range 1 + draw("steps", 40) {
			project := draw("project", 3)
			want := slots(fmt.Sprintf("%d-p%d-%d", round, project, draw("holder", 4)), fmt.Sprint("p", project), 1+draw("limit", 4), draw("own limit", 3))
			want.Pools[0].Key = fmt.Sprint("place ", draw("place", 2))
			c, refused := store.Commit{}, false
			switch draw("act", 3) {
			case 0:
				c.Free = []string{want.Holder}
				q.free(want.Holder)
			case 1:
				c.Take = []core.Slots{want}
				refused = !q.take(want)
			case 2:
				c.Queue = []core.Slots{want}
				q.wait(want)
			}
			var taken *store.SlotsTaken
			if err := about(t, s, want.Holder, c); errors.As(err, &taken) != refused || err != nil && !refused {
				t.Fatalf("step %d: %+v: %v", step, c, err)
			}
			if got := standing(t, s); got != q.String() {
				t.Fatalf("step %d: %+v: %s, want %s", step, c, got, q)
			}
			wantTold(t, s, q)
		}
		for _, h := range slices.Concat(q.held, q.line) {
			frees(t, s, h.Holder)
			q.free(h.Holder)
			wantTold(t, s, q)
		}
	})
}

// wantTold claims what is hinted at: the streams that were handed slots.
func wantTold(t *testing.T, s store.Store, q *queue) {
	t.Helper()
	var told []string
	for _, w := range claim(t, s, "e", waittest.Limit) {
		told = append(told, w.Stream)
		rest(t, s, "e", w)
	}
	slices.Sort(told)
	slices.Sort(q.handed)
	if want := slices.Compact(q.handed); !slices.Equal(told, want) {
		t.Fatalf("told %v, want %v", told, want)
	}
	q.handed = nil
}
