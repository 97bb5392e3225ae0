package dispatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

// typedSessions are sessions whose program knows a role by a type.
type typedSessions struct{ changed chan string }

func (typedSessions) AgentType(core.Role) (string, bool)      { return "stellwerk:developer", true }
func (g typedSessions) Changed(_ context.Context, run string) { g.changed <- run }

func offered(t *testing.T) (*phased, core.StartAttempt) {
	t.Helper()
	p := newPhased(t)
	p.Sessions = typedSessions{make(chan string, 10)}
	a := p.action()
	a.Session = "s1"
	return p, a
}

// TestAnAttemptThatASessionTakes is worked on in the session's folder, without a secret and without the role's text twice.
func TestAnAttemptThatASessionTakes(t *testing.T) {
	p, a := offered(t)
	p.Reconcile(p.run, 1, []core.Action{a})
	shimtest.Await(t, "the offer", func() bool { _, err := session.Read(p.folder); return err == nil })
	offer, err := session.Read(p.folder)
	if err != nil || offer.Attempt != builder || offer.Role != "developer" || offer.Type != "stellwerk:developer" || offer.Model != "small" || offer.N != 2 || offer.Base != p.commit {
		t.Errorf("offered is %+v, %v", offer, err)
	}
	if orders, _ := p.workers.asked(); len(orders) > 0 {
		t.Errorf("ordered is %+v before it was taken", orders)
	}
	theirs := t.TempDir()
	write(t, filepath.Join(theirs, "work.go"), "theirs")
	if err := session.Take(p.folder, session.Taken{Session: "s1", Agent: "x", Dir: theirs}); err != nil {
		t.Fatal(err)
	}
	said, ok := p.engine.await(t).(core.AttemptStarted)
	if !ok || said.Spawner != "session" || said.Session != "s1" || said.Agent != agent.Session {
		t.Fatalf("reported is %+v", said)
	}
	spec := p.spec(t)
	if spec.Session != "s1" || len(spec.Secrets) > 0 || spec.Workspace != theirs || spec.Job.Dir != theirs || spec.Job.Options[agent.OptionTurn] != session.TurnDir(p.folder) || spec.Job.Role.SystemPrompt != "" {
		t.Errorf("it works as %+v", spec)
	}
	if orders, _ := p.workers.asked(); len(orders) != 1 || len(orders[0].Env) > 0 {
		t.Errorf("ordered is %+v", orders)
	}
	if content(t, filepath.Join(theirs, "work.go")) != "theirs" || shimtest.Exists(t, p.Layout.Workspace(p.run.ID, builder)) || shimtest.Exists(t, filepath.Join(p.folder, "role.md")) {
		t.Error("the session's folder was made anew, or its role told again")
	}
	if text := content(t, filepath.Join(p.folder, promptFile)); strings.Contains(text, "Write.") {
		t.Errorf("its prompt has the role's text: %s", text)
	}
}

// TestAnOfferThatIsWithdrawn cannot be taken any more; one that another session took starts nothing.
func TestAnOfferThatIsWithdrawn(t *testing.T) {
	p, a := offered(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := p.offer(ctx, p.run, a, p.folder); done <- err }()
	if run := <-p.Sessions.(typedSessions).changed; run != p.run.ID {
		t.Errorf("told of %s", run)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if err := session.Take(p.folder, session.Taken{Session: "s1", Agent: "x"}); !errors.Is(err, session.ErrTaken) {
		t.Errorf("a withdrawn offer was taken: %v", err)
	}
	p, a = offered(t)
	go func() { _, err := p.offer(t.Context(), p.run, a, p.folder); done <- err }()
	<-p.Sessions.(typedSessions).changed
	if err := session.Take(p.folder, session.Taken{Session: "s2", Agent: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), `"s2"`) {
		t.Errorf("another session has it: %v", err)
	}
}

// TestARoomForAnotherPlaceIsMadeAgain, as long as nothing has begun: an attempt may have been prepared for the engine's
// own agent, or for a folder that a session's agent no longer has.
func TestARoomForAnotherPlaceIsMadeAgain(t *testing.T) {
	p, _ := offered(t)
	first, second := t.TempDir(), t.TempDir()
	var before string
	for _, taken := range []session.Taken{{}, {Session: "s1", Dir: first}, {Session: "s1", Dir: second}, {Session: "s1", Dir: second}, {Session: "s2", Dir: second}, {}} {
		got, err := p.prepare(t.Context(), p.run, builder, p.folder, spawn.Absent, taken)
		if err != nil {
			t.Fatal(err)
		}
		want := taken.Dir
		if want == "" {
			want = p.Layout.Workspace(p.run.ID, builder)
		}
		if spec := p.spec(t); got.spec.Session != taken.Session || spec.Session != taken.Session || spec.Job.Dir != want || got.spec.Job.Dir != want {
			t.Errorf("%+v: it is for %q in %s", taken, spec.Session, spec.Job.Dir)
		}
		info, err := os.Stat(filepath.Join(p.folder, promptFile))
		if err != nil {
			t.Fatal(err)
		}
		now := info.ModTime().String() + taken.Session + taken.Dir
		if taken.Session == "s1" && taken.Dir == second && before != "" && strings.HasSuffix(before, "s1"+second) && before != now {
			t.Error("one that is right was made again")
		}
		before = now
	}
	for _, status := range []spawn.Status{spawn.Running, spawn.Exited} { // whatever is said now, it has begun
		if got, err := p.prepare(t.Context(), p.run, builder, p.folder, status, session.Taken{Session: "s3", Dir: first}); err != nil || got.spec.Session != "" {
			t.Errorf("%s: %+v, %v", status, got.spec.Session, err)
		}
	}
	write(t, filepath.Join(p.folder, "spec.json"), "{")
	if _, err := p.prepare(t.Context(), p.run, builder, p.folder, spawn.Running, session.Taken{}); err == nil {
		t.Error("what runs was prepared again")
	}
}

// TestASessionsAttemptIsAdopted: an engine that finds it under way offers nothing, and reports whose it is and what it
// was asked.
func TestASessionsAttemptIsAdopted(t *testing.T) {
	p, a := offered(t)
	if _, err := p.prepare(t.Context(), p.run, builder, p.folder, spawn.Absent, session.Taken{Session: "s1", Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	p.workers.status = spawn.Running
	p.Reconcile(p.run, 1, []core.Action{a})
	said, ok := p.engine.await(t).(core.AttemptStarted)
	if !ok || said.Session != "s1" || said.Spawner != agent.Session || said.Agent != agent.Session {
		t.Fatalf("reported is %+v", said)
	}
	if text := stored(t, p.Objects, said.Prompt); text != content(t, filepath.Join(p.folder, promptFile)) {
		t.Errorf("it was asked %q", text)
	}
	if orders, _ := p.workers.asked(); len(orders) > 0 {
		t.Errorf("started again: %+v", orders)
	}
}

// pledges is the exchange of attempts that run elsewhere; it counts what it forgets.
type pledges struct {
	exchange.Exchange
	forgotten int
}

func (*pledges) Shared() bool                             { return false }
func (e *pledges) Forget(context.Context, spawn.ID) error { e.forgotten++; return nil }

// TestAnAttemptThatChangesSides begins on the one side only when it cannot begin on the other any more.
func TestAnAttemptThatChangesSides(t *testing.T) {
	for name, c := range map[string]struct {
		offered, shared  bool
		taken            *session.Taken
		owner            string
		stands, want     spawn.Status
		kills, forgotten int
		keepsOffer       bool
	}{
		"no session's, as before":             {want: spawn.Absent},
		"a session's, as before":              {offered: true, owner: "s1", want: spawn.Absent, keepsOffer: true},
		"all on one side":                     {offered: true, shared: true, want: spawn.Absent, keepsOffer: true},
		"never taken":                         {offered: true, want: spawn.Absent, forgotten: 1},
		"withdrawn":                           {offered: true, taken: &session.Taken{}, want: spawn.Absent, forgotten: 1},
		"taken, and nothing shows":            {offered: true, taken: &session.Taken{Session: "s1"}, stands: spawn.Absent, want: spawn.Absent, kills: 1, forgotten: 1},
		"taken, and it shows after all":       {offered: true, taken: &session.Taken{Session: "s1"}, stands: spawn.Exited, want: spawn.Exited, kills: 1, keepsOffer: true},
		"ordered elsewhere":                   {owner: "s1", stands: spawn.Absent, want: spawn.Absent, kills: 1},
		"ordered elsewhere, and it shows now": {owner: "s1", stands: spawn.Running, want: spawn.Running, kills: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := offered(t)
			x := &pledges{Exchange: p.Exchange}
			if p.workers.status = c.stands; !c.shared {
				p.Exchange = x
			}
			if c.offered {
				if err := session.Make(p.folder, session.Offer{Attempt: builder}, "s1"); err != nil {
					t.Fatal(err)
				}
			}
			if c.taken != nil {
				if err := session.Take(p.folder, *c.taken); err != nil {
					t.Fatal(err)
				}
			}
			got, err := p.side(t.Context(), spawn.ID{Run: p.run.ID, Attempt: builder}, p.folder, c.owner)
			if err != nil || got != c.want {
				t.Errorf("it stands at %q: %v", got, err)
			}
			if _, kills := p.workers.asked(); kills != c.kills || x.forgotten != c.forgotten {
				t.Errorf("killed %d times, forgotten %d times", kills, x.forgotten)
			}
			if session.Offered(p.folder) != c.keepsOffer {
				t.Errorf("it is on offer: %t", !c.keepsOffer)
			}
		})
	}
}
