package crash

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
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
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// team is engines that run at the same time on one store. People speak to any of them, whoever owns the project.
type team struct {
	home  *world // whose folder has those of the engines
	db    *truth
	told  *listener
	front *balancertest.Balancer // where workers find an engine

	speaking sync.RWMutex // held for reading by who speaks to an engine, for writing by who stops one
	changing sync.Mutex   // held by who changes which engines there are, and by who picks one
	members  map[string]*fighter
}

// fighter is one of the engines.
type fighter struct {
	life    *life
	state   string
	stopped bool
}

// id is what the store knows the engine by.
func (f *fighter) id() string {
	return strings.TrimSpace(contentOf(filepath.Join(f.state, "engine.id")))
}

// arena is the part of a team's work that is of one kind.
type arena struct {
	*world
	*team
	fought []string // branches
}

func newArena(t *testing.T, tell func(string) story, engines int) *arena {
	t.Helper()
	w := newTeam(t, tell)
	return &arena{world: w, team: gather(t, []*world{w}, engines)}
}

// gather starts engines that work for some worlds, in the place of the first.
func gather(t *testing.T, worlds []*world, engines int) *team {
	t.Helper()
	m := &team{home: worlds[0], members: map[string]*fighter{}, told: hear(t), front: balancertest.New(t)}
	m.home.more = []string{
		"STELLWERK_NOTIFY=webhook", "STELLWERK_NOTIFY_WEBHOOK_URL=" + m.told.url, "STELLWERK_NOTIFY_PRIVATE_HOSTS=127.0.0.1",
		"STELLWERK_NOTIFY_WEBHOOK_SECRET_ENV=HOOK", "HOOK=of-no-use-to-anybody",
	}
	for _, w := range worlds {
		w.shared, w.dial, w.workers, w.log = m.home.shared, m.anyone, m.front.URL(), m.home.log
	}
	for n := range engines {
		m.begin(fmt.Sprintf("host-%d", n))
	}
	m.db = m.home.truth()
	t.Cleanup(func() {
		for _, member := range m.members {
			member.life.kill()
		}
		m.home.fail()
		if err := m.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// begin starts an engine on a host, with what that has.
func (m *team) begin(host string) {
	m.home.t.Helper()
	o := m.home.order()
	o.State, o.Serve = filepath.Join(m.home.root, host), true
	f := &fighter{life: m.home.live(o), state: o.State}
	if !f.life.next(f.life.up, "the start of an engine") {
		m.home.t.Fatal("an engine ended as it began")
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	m.members[host] = f
	m.front.With(host, f.state)
}

// anyone connects to an engine that is there and not stopped.
func (m *team) anyone(ctx context.Context) (api.Service, func() error, error) {
	m.speaking.RLock()
	f := m.going()
	if f == nil {
		m.speaking.RUnlock()
		return nil, nil, core.Errorf(core.CodeUnavailable, "nobody is there")
	}
	svc, hangUp, err := app.Dial(ctx, app.Options{State: f.state})
	if err != nil {
		m.speaking.RUnlock()
		return nil, nil, err
	}
	return svc, func() error { defer m.speaking.RUnlock(); return hangUp() }, nil
}

// going is any engine that is not stopped; nil for none.
func (m *team) going() *fighter {
	m.changing.Lock()
	defer m.changing.Unlock()
	for _, f := range m.members { // in any order
		if !f.stopped {
			return f
		}
	}
	return nil
}

// ask asks any engine, and another if that one is gone.
func (a *arena) ask(what func(api.Service) error) error {
	return (&person{world: a.world, ctx: a.t.Context()}).ask(what)
}

// owner is the host whose engine owns the run's project.
func (m *team) owner(run string) string {
	m.home.t.Helper()
	host := ""
	m.home.await("an owner of the project", func() bool {
		row, err := m.db.Run(m.home.t.Context(), run)
		if err != nil {
			return false
		}
		engines, err := m.db.Engines(m.home.t.Context())
		if err != nil {
			return false
		}
		for name, member := range m.members {
			if slices.ContainsFunc(engines, func(e store.Member) bool { return e.ID == member.id() && slices.Contains(e.Projects, row.Project) }) {
				host = name
			}
		}
		return host != ""
	})
	return host
}

// end has an engine end, and waits for it. Whoever speaks to it is cut off, and whoever speaks to others is not waited for: if
// the store is away, that may be until it is back.
func (m *team) end(host string, how syscall.Signal) {
	m.home.t.Helper()
	member := m.members[host]
	if err := member.life.cmd.Process.Signal(how); err != nil {
		m.home.t.Fatal(err)
	}
	select {
	case <-member.life.ended:
	case <-waittest.Over():
		m.home.t.Fatalf("%s does not end", host)
	}
	member.life.check()
	m.changing.Lock()
	defer m.changing.Unlock()
	delete(m.members, host)
	m.front.Without(host)
}

// stop stops an engine, but not in a transaction on a file, which would keep everybody out. A server ends those of whoever is
// silent.
func (m *team) stop(host string) {
	m.home.t.Helper()
	m.speaking.Lock()
	defer m.speaking.Unlock()
	member := m.members[host]
	m.home.await("a moment between transactions", func() bool {
		if err := member.life.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			m.home.t.Fatal(err)
		}
		if _, err := unix.Wait4(member.life.cmd.Process.Pid, nil, unix.WUNTRACED, nil); err != nil {
			m.home.t.Fatal(err)
		}
		if m.home.shared.server() || m.hold(func() {}) == nil { // whoever else writes is done in a moment
			return true
		}
		if err := member.life.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			m.home.t.Fatal(err)
		}
		return false
	})
	m.changing.Lock()
	defer m.changing.Unlock()
	member.stopped = true
	m.front.Without(host)
}

func (m *team) resume(host string) {
	m.home.t.Helper()
	m.changing.Lock()
	defer m.changing.Unlock()
	member := m.members[host]
	if err := member.life.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		m.home.t.Fatal(err)
	}
	member.stopped = false
	m.front.With(host, member.state)
}

// hold keeps everybody from writing to the store, a file, while something is done.
func (m *team) hold(during func()) (err error) {
	raw, err := sql.Open("sqlite", "file:"+m.home.shared.Store+"?_pragma=busy_timeout(50)")
	if err != nil {
		return err
	}
	raw.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, raw.Close()) }()
	if _, err := raw.ExecContext(m.home.t.Context(), "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	during()
	_, err = raw.ExecContext(m.home.t.Context(), "ROLLBACK")
	return err
}

// leasesEnd waits until nobody's lease lasts any more.
func (m *team) leasesEnd() {
	m.home.await("the end of all leases", func() bool {
		engines, err := m.db.Engines(m.home.t.Context())
		return err == nil && !slices.ContainsFunc(engines, func(e store.Member) bool { return e.Alive })
	})
}

// start begins a run, by any engine.
func (a *arena) start(branch string) (run string, err error) {
	err = a.ask(func(svc api.Service) error {
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
	return run, err
}

// see follows a run to its end, at any engine, does what people do about it, and says how far it has come.
func (a *arena) see(run, branch string, come func(seq int64)) error {
	seen := map[int64]string{}
	a.acks[run] = seen
	for seq := int64(0); ; {
		var events []core.Event
		err := a.ask(func(svc api.Service) (err error) {
			events, err = svc.Events(a.t.Context(), run, seq, 1000)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range events {
			seq = e.Seq
			if seen[seq], err = e.Hash(); err != nil {
				return err
			}
			come(seq)
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
		case <-time.After(time.Duration(rand.Int64N(int64(50 * time.Millisecond)))): // as often as an engine is asked
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
