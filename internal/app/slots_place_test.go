package app_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// slotBook notes the pools that attempts take their slots from.
type slotBook struct {
	store.Store
	mu    sync.Mutex
	pools []string
}

func (b *slotBook) Commit(ctx context.Context, c store.Commit) error {
	b.mu.Lock()
	for _, s := range c.Take {
		b.pools = append(b.pools, s.Pools[0].Key)
	}
	b.mu.Unlock()
	return b.Store.Commit(ctx, c)
}

func (b *slotBook) taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pools)
}

// TestMachinesHaveSlotsOfTheirOwn on a shared store. Their names stay with them: many keep the id of a machine secret.
func TestMachinesHaveSlotsOfTheirOwn(t *testing.T) {
	s, _, open := twoEngines(t, "", "", t.Output())
	s.cancel(s.run("Sell tea"))
	pools, states := map[string]bool{}, []string{}
	for _, machine := range []string{"machine one", "machine two"} {
		book, state := &slotBook{}, stateFolder(t)
		states = append(states, state)
		a := open(app.Options{State: state, Log: t.Output(), Machine: machine, Wrap: func(p *app.Parts) {
			book.Store = p.Store
			p.Store = book
		}})
		t.Cleanup(func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
		run, err := a.Service.StartRun(s.ctx, api.StartRun{Dir: s.dir, Goal: "Sell tea", Playbook: "gated", Trust: true})
		if err != nil {
			t.Fatal(err)
		}
		if !waittest.Until(func() bool { return len(book.taken()) > 0 }) {
			t.Fatal("no attempt began")
		}
		pool := book.taken()[0]
		if pools[pool] || pool == "attempts@local" || strings.Contains(pool, machine) || !strings.HasPrefix(pool, "attempts@") {
			t.Errorf("%s takes its slots from %s", machine, pool)
		}
		pools[pool] = true
		if _, err := a.Service.Cancel(s.ctx, run.ID, api.Cancel{}); err != nil {
			t.Fatal(err)
		}
	}
	s.until("nobody is at work", func(api.ProjectDetail) bool { return !s.busy() }) // while all engines are there
	for _, state := range states {                                                  // a worker removes its folder last
		if !waittest.Until(func() bool {
			left, err := filepath.Glob(filepath.Join(state, "workers", "*"))
			return err == nil && len(left) == 0
		}) {
			t.Error("a worker does not end")
		}
	}
}
