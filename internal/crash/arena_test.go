package crash

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/balancertest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// arena is a team whose engines run at the same time. People speak to any of them, whoever owns the project.
type arena struct {
	*world
	db     *sqlite.Store // to look at, as nobody's engine
	raw    *sql.DB
	told   *listener
	fought []string // branches

	front *balancertest.Balancer // where workers find an engine

	speaking sync.RWMutex // held for reading by who speaks to an engine, for writing by who stops or ends one
	members  map[string]*fighter
}

// fighter is one of the engines.
type fighter struct {
	life    *life
	state   string
	stopped bool
}

func newArena(t *testing.T, tell func(string) story, engines int) *arena {
	t.Helper()
	w := newTeam(t, tell)
	a := &arena{world: w, members: map[string]*fighter{}, told: hear(t), front: balancertest.New(t)}
	w.workers = a.front.URL()
	w.more = []string{
		"STELLWERK_NOTIFY=webhook", "STELLWERK_NOTIFY_WEBHOOK_URL=" + a.told.url, "STELLWERK_NOTIFY_PRIVATE_HOSTS=127.0.0.1",
		"STELLWERK_NOTIFY_WEBHOOK_SECRET_ENV=HOOK", "HOOK=of-no-use-to-anybody",
	}
	w.dial = a.anyone
	for n := range engines {
		a.begin(fmt.Sprintf("host-%d", n))
	}
	a.db = w.open()
	var err error
	if a.raw, err = sql.Open("sqlite", "file:"+w.database()+"?_pragma=busy_timeout(50)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.speaking.Lock()
		defer a.speaking.Unlock()
		for _, m := range a.members {
			m.life.kill()
		}
		w.fail()
		if err := errors.Join(a.raw.Close(), a.db.Close()); err != nil {
			t.Error(err)
		}
	})
	return a
}

// begin starts an engine on a host, with what that has.
func (a *arena) begin(host string) {
	a.t.Helper()
	o := a.order()
	o.State, o.Serve = filepath.Join(a.root, host), true
	m := &fighter{life: a.live(o), state: o.State}
	if !m.life.next(m.life.up, "the start of an engine") {
		a.t.Fatal("an engine ended as it began")
	}
	a.speaking.Lock()
	defer a.speaking.Unlock()
	a.members[host] = m
	a.front.With(host, m.state)
}

// anyone connects to an engine that is there and not stopped.
func (a *arena) anyone(ctx context.Context) (api.Service, func() error, error) {
	a.speaking.RLock()
	for _, m := range a.members { // in any order
		if m.stopped {
			continue
		}
		svc, hangUp, err := app.Dial(ctx, app.Options{State: m.state})
		if err != nil {
			a.speaking.RUnlock()
			return nil, nil, err
		}
		return svc, func() error { defer a.speaking.RUnlock(); return hangUp() }, nil
	}
	a.speaking.RUnlock()
	return nil, nil, core.Errorf(core.CodeUnavailable, "nobody is there")
}

// ask asks any engine, and another if that one is gone.
func (a *arena) ask(what func(api.Service) error) {
	a.t.Helper()
	if err := (&person{world: a.world, ctx: a.t.Context()}).ask(what); err != nil {
		a.t.Fatal(err)
	}
}

// owner is the host whose engine owns the run's project.
func (a *arena) owner(run string) string {
	a.t.Helper()
	host := ""
	a.await("an owner of the project", func() bool {
		var engine string
		err := a.raw.QueryRowContext(a.t.Context(), "SELECT o.engine FROM owners o JOIN runs r ON r.project_id = o.project WHERE r.id = ?", run).Scan(&engine)
		if err != nil {
			return false
		}
		for name, m := range a.members {
			id, err := os.ReadFile(filepath.Join(m.state, "engine.id"))
			if err == nil && strings.TrimSpace(string(id)) == engine {
				host = name
			}
		}
		return host != ""
	})
	return host
}

// end has an engine end, and waits for it.
func (a *arena) end(host string, how syscall.Signal) {
	a.t.Helper()
	a.speaking.Lock()
	defer a.speaking.Unlock()
	m := a.members[host]
	delete(a.members, host)
	a.front.Without(host)
	if err := m.life.cmd.Process.Signal(how); err != nil {
		a.t.Fatal(err)
	}
	select {
	case <-m.life.ended:
	case <-waittest.Over():
		a.t.Fatalf("%s does not end", host)
	}
	m.life.check()
}

// stop stops an engine, but not in a transaction: those of a SQLite file would keep everybody out, those of a server would
// not.
func (a *arena) stop(host string) {
	a.t.Helper()
	a.speaking.Lock()
	defer a.speaking.Unlock()
	m := a.members[host]
	a.await("a moment between transactions", func() bool {
		if err := m.life.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			a.t.Fatal(err)
		}
		if _, err := unix.Wait4(m.life.cmd.Process.Pid, nil, unix.WUNTRACED, nil); err != nil {
			a.t.Fatal(err)
		}
		if a.hold(func(*sql.Conn) {}) == nil { // whoever else writes is done in a moment
			return true
		}
		if err := m.life.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			a.t.Fatal(err)
		}
		return false
	})
	m.stopped = true
	a.front.Without(host)
}

func (a *arena) resume(host string) {
	a.t.Helper()
	a.speaking.Lock()
	defer a.speaking.Unlock()
	if err := a.members[host].life.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		a.t.Fatal(err)
	}
	a.members[host].stopped = false
	a.front.With(host, a.members[host].state)
}

// hold keeps everybody from writing to the store while something is done.
func (a *arena) hold(during func(*sql.Conn)) error {
	conn, err := a.raw.Conn(a.t.Context())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	if _, err := conn.ExecContext(a.t.Context(), "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	during(conn)
	_, err = conn.ExecContext(a.t.Context(), "ROLLBACK")
	return err
}

// leasesEnd waits until nobody's lease lasts any more.
func (a *arena) leasesEnd(conn *sql.Conn) {
	a.await("the end of all leases", func() bool {
		var lasting int
		err := conn.QueryRowContext(a.t.Context(), "SELECT count(*) FROM engines WHERE lease_until > ?", time.Now().UnixMicro()).Scan(&lasting)
		return err == nil && lasting == 0
	})
}

// start begins a run, by any engine.
func (a *arena) start(branch string) string {
	a.t.Helper()
	run := ""
	a.ask(func(svc api.Service) error {
		known, err := svc.Runs(a.t.Context(), api.RunQuery{})
		if err != nil {
			return err
		}
		for _, r := range known {
			if r.Title == goalOn(branch) {
				run = r.ID
				return nil
			}
		}
		o := a.order()
		added, err := svc.AddProject(a.t.Context(), api.AddProject{Repository: o.URL})
		if err != nil {
			return err
		}
		started, err := svc.StartRun(a.t.Context(), api.StartRun{
			Project: added.ID, Goal: goalOn(branch), Branch: branch, Playbook: o.Playbook, Isolation: o.Isolation, Trust: true,
		})
		run = started.ID
		return err
	})
	return run
}

// see follows a run to its end, does what people do about it, and says how far it has come.
func (a *arena) see(run, branch string, come chan<- int64) error {
	defer close(come)
	for seq := int64(0); ; {
		events, err := a.db.Events(a.t.Context(), core.RunStream(run), seq, 1000)
		if err != nil {
			return err
		}
		for _, e := range events {
			seq = e.Seq
			select {
			case come <- seq:
			default:
			}
			if err := a.react(run, branch, e); err != nil {
				return fmt.Errorf("at event %d, %s: %w", e.Seq, e.Type, err)
			}
			switch e.Type {
			case core.TypeRunCompleted, core.TypeRunFailed, core.TypeRunCancelled:
				return nil
			default:
			}
		}
		select {
		case <-a.t.Context().Done():
			return a.t.Context().Err()
		case <-time.After(time.Duration(rand.Int64N(int64(20 * time.Millisecond)))): // as often as the store is asked
		}
	}
}

func (a *arena) react(run, branch string, e core.Event) error {
	if a.story.apart() {
		a.person.events <- happened{run, e.Seq, e.Type}
		return nil
	}
	switch e.Type {
	case core.TypeReviewAwaited:
		return a.takeIn(branch)
	case core.TypeApprovalRequested, core.TypeRunResumed: // a paused run takes no approval
		return (&person{world: a.world, ctx: a.t.Context()}).approve(run)
	default:
		return nil
	}
}
