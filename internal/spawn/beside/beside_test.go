package beside_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/beside"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

// place notes what it is asked.
type place struct {
	can   spawn.Capabilities
	asked []spawn.ID
}

func (p *place) note(id spawn.ID) { p.asked = append(p.asked, id) }

func (p *place) Capabilities() spawn.Capabilities { return p.can }
func (p *place) Start(_ context.Context, o spawn.Order) error {
	p.note(o.ID)
	return nil
}

func (p *place) Probe(_ context.Context, id spawn.ID) (spawn.Status, error) {
	p.note(id)
	return spawn.Running, nil
}
func (p *place) Kill(_ context.Context, id spawn.ID) error { p.note(id); return nil }
func (p *place) Wait(_ context.Context, id spawn.ID) (spawn.Status, error) {
	p.note(id)
	return spawn.Exited, nil
}
func (p *place) Idle(id spawn.ID) <-chan struct{}             { p.note(id); return nil }
func (p *place) Salvage(_ context.Context, id spawn.ID) error { p.note(id); return nil }

// carrier is the exchange of a place.
type carrier struct {
	*place
	shared bool
}

func (c carrier) Shared() bool                                    { return c.shared }
func (c carrier) Offer(_ context.Context, o exchange.Offer) error { c.note(o.ID); return nil }
func (c carrier) Receive(_ context.Context, id spawn.ID) (string, error) {
	c.note(id)
	return "", nil
}
func (c carrier) Grant(_ context.Context, id spawn.ID, _ ledger.Grant) error { c.note(id); return nil }
func (c carrier) Forget(_ context.Context, id spawn.ID) error                { c.note(id); return nil }

// TestWhoseAnAttemptIs: whatever is asked about an attempt, a session's is asked for here from its offer on, and any other elsewhere.
func TestWhoseAnAttemptIs(t *testing.T) {
	dir := t.TempDir()
	folder := func(id spawn.ID) string { return filepath.Join(dir, id.Run, id.Attempt) }
	theirs, other := spawn.ID{Run: "r", Attempt: "theirs"}, spawn.ID{Run: "r", Attempt: "other"}
	here := &place{can: spawn.Capabilities{Name: "here", Sessions: true}}
	away := &place{can: spawn.Capabilities{Name: "away", Resources: true}}
	s := beside.Spawner{Folder: folder, Sessions: here, Elsewhere: away}
	x := beside.Exchange{Folder: folder, Sessions: carrier{here, true}, Elsewhere: carrier{away, false}}
	if c := s.Capabilities(); c.Name != "away" || !c.Sessions || !c.Resources || x.Shared() {
		t.Errorf("it offers %+v, shared: %v", c, x.Shared())
	}
	if _, err := s.Probe(t.Context(), theirs); err != nil || len(here.asked) > 0 || len(away.asked) != 1 {
		t.Errorf("before its offer, asked is %v here and %v elsewhere: %v", here.asked, away.asked, err)
	}
	if err := session.Make(folder(theirs), session.Offer{Attempt: theirs.Attempt}, "s"); err != nil {
		t.Fatal(err)
	}
	for what, ask := range map[string]func(spawn.ID) error{
		"start":   func(id spawn.ID) error { return s.Start(t.Context(), spawn.Order{ID: id}) },
		"probe":   func(id spawn.ID) error { _, err := s.Probe(t.Context(), id); return err },
		"kill":    func(id spawn.ID) error { return s.Kill(t.Context(), id) },
		"wait":    func(id spawn.ID) error { _, err := s.Wait(t.Context(), id); return err },
		"idle":    func(id spawn.ID) error { s.Idle(id); return nil },
		"salvage": func(id spawn.ID) error { return s.Salvage(t.Context(), id) },
		"offer":   func(id spawn.ID) error { return x.Offer(t.Context(), exchange.Offer{ID: id}) },
		"receive": func(id spawn.ID) error { _, err := x.Receive(t.Context(), id); return err },
		"grant":   func(id spawn.ID) error { return x.Grant(t.Context(), id, ledger.Grant{}) },
	} {
		here.asked, away.asked = nil, nil
		for _, id := range []spawn.ID{theirs, other} {
			if err := ask(id); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if len(here.asked) != 1 || here.asked[0] != theirs || len(away.asked) != 1 || away.asked[0] != other {
			t.Errorf("%s: asked is %v here and %v elsewhere", what, here.asked, away.asked)
		}
	}
	away.asked = nil
	if err := x.Forget(t.Context(), spawn.ID{Run: "r"}); err != nil || len(away.asked) != 1 {
		t.Errorf("forgotten elsewhere is %v: %v", away.asked, err)
	}
}
