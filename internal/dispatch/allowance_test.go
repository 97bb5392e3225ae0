package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// paid is a dispatcher with a real engine, whose run has an attempt under way,
// and that attempt's account as its supervisor keeps it.
type paid struct {
	*Dispatcher
	t       *testing.T
	store   *sqlite.Store
	engine  *engine.Engine
	account *ledger.Ledger
	folder  string
}

const payer = "a.r1.a1"

func newPaid(t *testing.T, l core.Limits) *paid {
	t.Helper()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "s.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &paid{t: t, store: s}
	p.engine = engine.New(engine.Options{
		Store: s, Journal: unwritten{}, Deciders: []core.Decider{phases.Decider{}}, Log: slog.New(slog.DiscardHandler), ID: "test",
		Look: time.Second, SnapshotEvery: 100,
	})
	p.engine.SetDispatcher(idle{})
	p.Dispatcher = New(p.engine, Options{Layout: Layout{State: dir}, Exchange: here(dir), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(p.Close)
	work := core.Phase{ID: "a", Role: "dev", Writes: core.WritesArtifacts, Gate: core.GateAuto, Attempts: 3}
	p.submit(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Base: "main", BaseCommit: "c0", Branch: "feature/x", Limits: l,
		Playbook: core.Playbook{Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}}, Phases: []core.Phase{work}},
	})
	run := p.submit(core.Engine(), core.AttemptStarted{Attempt: payer, Brokered: true})
	p.folder = p.Layout.Attempt("r", payer)
	write(t, filepath.Join(p.folder, "prompt.md"), "")
	_, _, a := run.Attempt(payer)
	if err := ledger.WriteGrant(p.folder, grantOf(run, a)); err != nil {
		t.Fatal(err)
	}
	if p.account, err = ledger.Open(p.folder, ledger.Grant{}); err != nil {
		t.Fatal(err)
	}
	p.account.Poll = time.Millisecond
	t.Cleanup(func() {
		if err := p.account.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// unwritten is a journal that nobody reads; idle does nothing of what is decided.
type (
	unwritten struct{}
	idle      struct{}
)

func (unwritten) Append(context.Context, *core.Run, []core.Event, core.Bodies) error { return nil }
func (unwritten) Seq(_ context.Context, r *core.Run) (int64, error)                  { return r.Stream.Seq, nil }
func (idle) Prepare(*core.Run, int64, []core.Action)                                 {}
func (idle) Reconcile(*core.Run, int64, []core.Action)                               {}
func (idle) Release(string)                                                          {}
func (idle) StartEpic(*core.Project, int64, *core.QueuedEpic)                        {}

func (p *paid) submit(actor core.Actor, body core.Body) *core.Run {
	p.t.Helper()
	run, err := p.engine.Submit(p.t.Context(), "r", actor, body)
	if err != nil {
		p.t.Fatal(err)
	}
	return run
}

func (p *paid) load() *core.Run {
	p.t.Helper()
	run, err := p.engine.Load(p.t.Context(), "r")
	if err != nil {
		p.t.Fatal(err)
	}
	return run
}

// watched funds the attempt until the returned function is called.
func (p *paid) watched() (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	done := make(chan struct{})
	run := p.load()
	go func() {
		defer close(done)
		p.fund(ctx, run, payer)
	}()
	return func() { cancel(); <-done }
}

type result struct {
	held ledger.Held
	err  error
}

// spend asks the account for money, as a broker does for a request.
func (p *paid) spend(usd, least float64) <-chan result {
	outcome := make(chan result, 1)
	go func() {
		held, err := p.account.Reserve(p.t.Context(), ledger.Ask{
			Model: "m", Floor: ledger.Spent{USD: least}, Least: ledger.Amount{USD: least}, Want: ledger.Amount{USD: usd},
		})
		outcome <- result{held, err}
	}()
	return outcome
}

func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-waittest.Over():
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// answers counts what was decided about wants.
func (p *paid) answers() int {
	p.t.Helper()
	events, err := p.store.Events(p.t.Context(), core.RunStream("r"), 0, 1000)
	if err != nil {
		p.t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Type == core.TypeAllowanceReserved {
			n++
		}
	}
	return n
}

func tenDollars() core.Limits {
	l := core.DefaultLimits()
	l.CostUSD = 10
	return l
}

// TestABrokerGetsWhatTheLimitLeaves from the first portion to the last cent, and then the reason.
func TestABrokerGetsWhatTheLimitLeaves(t *testing.T) {
	p := newPaid(t, tenDollars())
	defer p.watched()()
	first := await(t, p.spend(0.4, 0.1))
	if first.err != nil || !first.held.Full || p.answers() != 0 {
		t.Fatalf("of the first portion %+v was had, %v, with %d answers", first.held, first.err, p.answers())
	}
	if second := await(t, p.spend(5, 0.1)); second.err != nil || !second.held.Full || p.answers() != 1 {
		t.Fatalf("of the rest %+v was had, %v", second.held, second.err)
	}
	if err := p.account.Settle(first.held, ledger.Spent{USD: 0.25, Usage: ledger.Usage{Input: 10, Output: 5, CacheRead: 7}}); err != nil {
		t.Fatal(err)
	}
	third := await(t, p.spend(50, 0.1))
	if third.err != nil || third.held.Full || third.held.Amount.USD != 10-5-0.25 {
		t.Fatalf("of the end %+v was had, %v", third.held, third.err)
	}
	if run := p.load(); run.Status != core.StatusActive || run.Usage != (core.Usage{CostUSD: 0.25, InputTokens: 10, OutputTokens: 5, CacheTokens: 7}) {
		t.Errorf("the run is %s and has used %+v", run.Status, run.Usage)
	}
	refused := await(t, p.spend(1, 0.1))
	if !errors.Is(refused.err, ledger.ErrExhausted) || !strings.Contains(refused.err.Error(), "of its $10.00") || !strings.Contains(refused.err.Error(), "--max-cost") {
		t.Fatalf("beyond the end %+v was had, %v", refused.held, refused.err)
	}
	if run := p.load(); run.Status != core.StatusActive { // what is held may be given back
		t.Errorf("the run is %s: %+v, the broker was told %v", run.Status, run.Pause, refused.err)
	}
}

// TestAnAnswerThatWasNotTold: an engine dies between the commit and the file, or before it has seen the want. The next one
// tells the broker, and reserves nothing twice.
func TestAnAnswerThatWasNotTold(t *testing.T) {
	for name, committed := range map[string]bool{"it was committed": true, "it was not seen": false} {
		t.Run(name, func(t *testing.T) {
			p := newPaid(t, tenDollars())
			outcome := p.spend(3, 3)
			var want ledger.Want
			for over := waittest.Over(); want.Seq == 0; {
				select {
				case <-over:
					t.Fatal("nothing was asked for")
				default:
				}
				var err error
				if want, err = ledger.ReadWant(p.folder); err != nil {
					t.Fatal(err)
				}
			}
			if committed {
				p.submit(core.Engine(), core.UsageObserved{Attempt: payer, Metered: &core.Usage{}, Wants: &core.Want{Seq: want.Seq, Amount: want.Total}})
			}
			defer p.watched()()
			if got := await(t, outcome); got.err != nil || !got.held.Full || p.answers() != 1 {
				t.Errorf("%+v was had, %v, with %d answers", got.held, got.err, p.answers())
			}
		})
	}
}

// TestWhatABrokerGivesBackIsFree: the engine hears of it, and with the next want of it the broker is told anew.
func TestWhatABrokerGivesBackIsFree(t *testing.T) {
	p := newPaid(t, tenDollars())
	stop := p.watched()
	first := await(t, p.spend(6, 0.1))
	if first.err != nil || p.load().Share().HeldUSD != 6.5 {
		t.Fatalf("%+v was had, %v", first.held, first.err)
	}
	if err := p.account.Settle(first.held, ledger.Spent{USD: 0.25}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first look finds what was needed since the one before
		if err := p.account.Return(); err != nil {
			t.Fatal(err)
		}
	}
	if !waittest.Until(func() bool { return p.load().Share().HeldUSD == 0 }) {
		t.Fatalf("held is %+v", p.load().Share())
	}
	stop()
	if err := p.account.Return(); err != nil {
		t.Fatal(err)
	}
	outcome := p.spend(3, 3) // nobody has told the broker, and the next engine hears of this want
	defer p.watched()()
	if got := await(t, outcome); got.err != nil || !got.held.Full || p.load().Share().HeldUSD < 3 {
		t.Errorf("%+v was had, %v, and held is %+v", got.held, got.err, p.load().Share())
	}
}

// TestWithoutAnEngineOnlyWhatIsReservedIsSpent.
func TestWithoutAnEngineOnlyWhatIsReservedIsSpent(t *testing.T) {
	p := newPaid(t, tenDollars())
	p.account.Patience = 10 * time.Millisecond
	if got := await(t, p.spend(3, 0.1)); got.err != nil || got.held.Amount.USD != 0.5 {
		t.Errorf("%+v was had, %v", got.held, got.err)
	}
	if got := await(t, p.spend(3, 0.1)); !errors.Is(got.err, ledger.ErrExhausted) {
		t.Errorf("%+v was had, %v", got.held, got.err)
	}
}

// TestAnAttemptThatEndsAsksForNoMore: nobody waits for an answer then.
func TestAnAttemptThatEndsAsksForNoMore(t *testing.T) {
	p := newPaid(t, tenDollars())
	run, outcome := p.load(), p.spend(3, 3)
	p.submit(core.Engine(), core.AttemptExited{Attempt: payer, Kind: core.ExitLost})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); p.fund(ctx, run, payer) }()
	await(t, done)
	if err := p.account.Close(); err != nil {
		t.Fatal(err)
	}
	if got := await(t, outcome); !errors.Is(got.err, ledger.ErrClosed) || p.answers() != 0 {
		t.Errorf("%+v was had, %v, with %d answers", got.held, got.err, p.answers())
	}
}

// TestAnEndedAttemptIsSettled by its account: what was under way when its supervisor was killed counts, whatever the agent
// claims.
func TestAnEndedAttemptIsSettled(t *testing.T) {
	e := newEnded(t, shim.Exit{Reason: shim.ReasonLost}, nil)
	spec, err := shim.ReadSpec(e.folder)
	if err != nil {
		t.Fatal(err)
	}
	spec.Model = &shim.Model{Provider: "anthropic"}
	if err := shim.WriteSpec(e.folder, spec); err != nil {
		t.Fatal(err)
	}
	account, err := ledger.Open(e.folder, ledger.Grant{UnlimitedUSD: true, UnlimitedTokens: true})
	if err != nil {
		t.Fatal(err)
	}
	ask := ledger.Ask{Model: "m", Floor: ledger.Spent{USD: 1, Usage: ledger.Usage{Input: 100}}, Want: ledger.Amount{USD: 4, Tokens: 500}}
	answered, err := account.Reserve(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if err := account.Settle(answered, ledger.Spent{USD: 2, Usage: ledger.Usage{Input: 90, Output: 30, CacheWrite: 3, CacheWrite1h: 4}}); err != nil {
		t.Fatal(err)
	}
	if _, err := account.Reserve(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	if err := account.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	exit, ok := e.engine.taken()[0].(core.AttemptExited)
	if want := (core.Usage{CostUSD: 3, InputTokens: 190, OutputTokens: 30, CacheTokens: 7}); !ok || exit.Metered == nil || *exit.Metered != want {
		t.Errorf("reported is %+v, want %+v", exit, want)
	}
	write(t, filepath.Join(e.folder, "meter.jsonl"), "{\n")
	if err := e.collect(t.Context(), e.run, theAttempt); err == nil || len(e.engine.taken()) > 0 {
		t.Error("an account that cannot be read was taken for an empty one")
	}
}

// TestAnAttemptStartsWithItsPortion: its supervisor finds what it may spend before it begins, and all where nothing limits
// it. An agent without a broker finds nothing.
func TestAnAttemptStartsWithItsPortion(t *testing.T) {
	for name, c := range map[string]struct {
		limits   core.Limits
		reserved *core.Amount
		brokered bool
		want     string
	}{
		"limited":    {core.Limits{CostUSD: 10}, &core.Amount{USD: 0.5}, true, `{"seq":0,"usd":0.5,"unlimited_tokens":true}`},
		"not at all": {core.Limits{}, nil, true, `{"seq":0,"unlimited_usd":true,"unlimited_tokens":true}`},
		"unreserved": {core.Limits{Tokens: 10}, nil, true, `{"seq":0,"unlimited_usd":true}`},
		"no broker":  {core.Limits{CostUSD: 10}, &core.Amount{USD: 0.5}, false, ""},
	} {
		p := newPhased(t)
		if c.brokered {
			p.Credential, p.Provider = &Credential{Kind: broker.APIKey}, func(string) string { return "anthropic" }
		}
		p.run.Limits, p.attempt.Reserved = c.limits, c.reserved
		if said, ok := p.began(t).(core.AttemptStarted); !ok || said.Brokered != c.brokered {
			t.Errorf("%s: reported is %+v", name, said)
		}
		grant, err := os.ReadFile(filepath.Join(p.folder, "grant.json"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(grant)) != c.want {
			t.Errorf("%s: granted is %s, want %s", name, grant, c.want)
		}
	}
}
