// Package dispatch does what the engine decided: one file per action. It looks
// at the world before it acts, so that an action repeated after a crash has
// the effect of one, and it reports what happened as events. It must not
// decide what happens next.
package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Engine is where events go.
type Engine interface {
	// Conclude brings what happened to the engine, under the fence that the action was
	// asked for with. It fails with store.ErrFenced if another engine owns the project now.
	Conclude(ctx context.Context, run string, fence int64, body core.Body) (*core.Run, error)
	// Seat reports whether an attempt that nobody has begun may begin at this engine's place. If
	// not, the engine asks for the attempt again when its turn comes.
	Seat(ctx context.Context, run *core.Run, fence int64, attempt string) (bool, error)
	// Vacate gives back the slots of an attempt whose agent has ended, before Conclude
	// tells how. It only saves time.
	Vacate(ctx context.Context, run string, fence int64, attempt string) error
	// Poke asks for the run's effects to be handed out again.
	Poke(ctx context.Context, run string) error
	// Owns reports that this engine owns a project under a fence, with time enough to
	// begin what others can see.
	Owns(project string, fence int64) bool
}

// Yards finds the yard of a project.
type Yards interface {
	Yard(ctx context.Context, project string) (*yard.Yard, error)
}

// Notifier tells a person what of a run waits for them. It returns once that is
// sure to happen, and tells of nothing twice.
type Notifier interface {
	Tell(ctx context.Context, run *core.Run) error
}

// Folder is the readable copy of a run.
type Folder interface {
	// Artifact keeps a named document of a stage's round.
	Artifact(run, stage string, round int, name string, content []byte) error
	// Transcript keeps an attempt's transcript and the side effects seen in it.
	Transcript(run, attempt, path string, observed bool) error
	// Connections keeps what the command of a verification in folder connected to.
	Connections(run, folder string) error
}

// Redactor removes secrets from what is kept or shown.
type Redactor interface {
	String(s string) string
	Bytes(b []byte) []byte
	// Thread looks through texts that follow each other.
	Thread() *redact.Thread
}

// redactor knows the secrets that are handed to the agents of a run.
func (d *Dispatcher) redactor(run *core.Run) Redactor { return d.Redactors(run.Playbook.Secrets()) }

// harmless makes text from outside fit to be shown. It removes invisible characters first,
// because one could stand in the middle of a secret, and then secrets.
func (d *Dispatcher) harmless(run *core.Run, text string) string {
	return d.redactor(run).String(plain.Text(text))
}

// present are those of the named variables that the engine's environment has.
func (d *Dispatcher) present(names []string) []string {
	var pairs []string
	for _, name := range names {
		if value, ok := d.Environ(name); ok {
			pairs = append(pairs, name+"="+value)
		}
	}
	return pairs
}

// Memory remembers verdicts of checks.
type Memory interface {
	Recall(ctx context.Context, key string) ([]byte, error)
	Remember(ctx context.Context, key string, verdict []byte) error
}

// Drafts keeps what people wrote about a run and have not sent.
type Drafts interface {
	// Forget removes it; nobody can send it any more.
	Forget(ctx context.Context, run string) error
}

// Options are what a dispatcher works with.
type Options struct {
	Layout   Layout
	Yards    Yards
	Objects  object.Objects
	Spawner  spawn.Spawner     // runs attempts
	Exchange exchange.Exchange // what attempts get and hand in
	Commands spawn.Spawner     // runs commands of checks, which work in folders of this machine
	Sessions Sessions
	Forges   Forges
	Pulls    Pulls
	Poll     time.Duration // between looks at a pull request, while it changes
	// Elsewhere tells other engines of pull requests that they watch; nil if no other works on the store.
	Elsewhere *Elsewhere
	// Publisher says, for who approves, with whose credential a run would be published; nil if no other engine could own it.
	Publisher func(*core.Run) string
	Notifier  Notifier
	Drafts    Drafts
	Projects  Projects
	Epics     Epics
	Folder    Folder
	// Redactors makes a redactor that knows the named variables of the engine's environment in
	// addition to the credentials of known agents.
	Redactors func(names []string) Redactor
	Memory    Memory
	Log       *slog.Logger
	// Self is the program that runs beside agents: a copy that an upgrade does
	// not touch.
	Self string
	// Environ looks up a variable of the engine's environment; SecretNames are
	// the variables an agent's program knows as its credentials.
	Environ     func(name string) (string, bool)
	SecretNames func(agent string) []string
	// Provider is that of an agent's model, of package broker; empty where an agent has none of its own. Credential is
	// where the person keeps its credential, nil for the environment. Prices is their file of prices.
	Provider   func(agent string) string
	Credential *Credential
	Prices     string
	Tools      Tools
	Listed     bool     // Claude Code is started without leave to bypass permissions
	ReadOnly   []string // toolchains outside the system folders
	MCP        string   // file of MCP servers for headless agents; none if empty
	// Steering are the files that a person, and a repository with these settings, add to those whose change is named before
	// it is published. Nil for none.
	Steering func(repository []byte) ([]string, error)
	Checks   int // verifications at once
}

// Dispatcher executes actions, each once at a time.
type Dispatcher struct {
	Options
	engine Engine
	ctx    context.Context //nolint:containedctx // actions outlive the call that asked for them, and end with the dispatcher
	stop   context.CancelFunc
	work   sync.WaitGroup
	checks chan struct{}
	posts  *lookouts
	// hidden are private files of the system, exposed the sockets in folders that agents see.
	hidden  remembered[[]string]
	exposed remembered[sandbox.Exposed]
	wrapper remembered[sandbox.Bubblewrap]

	searchBytes int64 // of what would be published, at most

	mu     sync.Mutex
	flight map[string]*job
	failed map[string]*failure
	seen   map[string]sight // newest state of each run that was reconciled
	starts map[string]*epicStart
	closed bool
}

// sight is how far a run of a project was seen.
type sight struct {
	project string
	seq     int64
}

// job is an action under way.
type job struct {
	run, project string
	cancel       context.CancelCauseFunc
	// asked means that the action was asked for again meanwhile: when it ends,
	// the run is looked at once more.
	asked bool
	// wanted is closed when the action is to be carried out; until then it is
	// only prepared. nil if it was wanted from the start.
	wanted    chan struct{}
	withdrawn bool // it was never wanted and is not going to be
}

var (
	// errUnwanted ends an action that the run's state no longer asks for.
	errUnwanted = errors.New("the action is no longer wanted")
	// errReleased ends an action of a project that this engine does not own any more.
	errReleased = errors.New("the project is another engine's")
)

// failure is an action that failed and is tried again.
type failure struct {
	times int
	wait  *backoff.ExponentialBackOff
}

// loud is how often an action may fail before a person is told.
const loud = 6

// New makes a dispatcher. It runs until Close.
func New(engine Engine, opts Options) *Dispatcher {
	ctx, stop := context.WithCancel(context.Background())
	d := &Dispatcher{
		Options: opts, engine: engine, ctx: ctx, stop: stop,
		checks: make(chan struct{}, max(opts.Checks, 1)), posts: newLookouts(), hidden: remembered[[]string]{search: sandbox.Private},
		exposed: remembered[sandbox.Exposed]{search: func() sandbox.Exposed {
			return sandbox.Sockets(opts.ReadOnly, []string{opts.Layout.State})
		}},
		wrapper:     remembered[sandbox.Bubblewrap]{search: sandbox.FindBubblewrap},
		searchBytes: searchBytes,
		flight:      map[string]*job{}, failed: map[string]*failure{}, seen: map[string]sight{}, starts: map[string]*epicStart{},
	}
	if opts.Elsewhere != nil {
		d.posts.heard = d.heardWord
	}
	return d
}

// Close stops what can be stopped and waits for it. Attempts go on: they
// outlive the engine.
func (d *Dispatcher) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.stop()
	d.work.Wait()
}

// Reconcile starts every action that is not already under way, and ends the
// verifications that are no longer wanted. A state older than one already seen
// says nothing new.
func (d *Dispatcher) Reconcile(run *core.Run, fence int64, actions []core.Action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || run.Stream.Seq < d.seen[run.ID].seq {
		return
	}
	d.seen[run.ID] = sight{run.Project, run.Stream.Seq}
	d.posts.learn(run)
	wanted := map[string]bool{}
	for _, a := range actions {
		key := run.ID + " " + core.KeyOf(a)
		wanted[key] = true
		if under := d.flight[key]; under != nil {
			under.ask()
			continue
		}
		d.launch(key, run, fence, a, nil)
	}
	for key, under := range d.flight {
		if under.run == run.ID && !wanted[key] {
			under.end(errUnwanted)
		}
	}
	if run.Status.Terminal() && len(actions) == 0 {
		delete(d.seen, run.ID)
	}
}

// launch starts an action. d.mu is held.
func (d *Dispatcher) launch(key string, run *core.Run, fence int64, a core.Action, wanted chan struct{}) {
	ctx, cancel := context.WithCancelCause(owning(d.ctx, fence))
	d.flight[key] = &job{run: run.ID, project: run.Project, cancel: cancel, wanted: wanted}
	d.work.Add(1)
	go d.run(ctx, key, run, a)
}

func (d *Dispatcher) run(ctx context.Context, key string, run *core.Run, a core.Action) {
	defer d.work.Done()
	scope, end := d.scope(ctx, a)
	err := d.do(scope, run, a)
	end()
	d.mu.Lock()
	if err == nil || left(err) || over(ctx, err) {
		again := d.flight[key].asked && d.ctx.Err() == nil
		d.flight[key].cancel(nil)
		delete(d.flight, key)
		delete(d.failed, key)
		d.mu.Unlock()
		if again {
			d.insist(time.Second, func() error { return d.engine.Poke(d.ctx, run.ID) }, "run", run.ID)
		}
		return
	}
	failed := d.failed[key]
	if failed == nil {
		failed = &failure{wait: backoff.NewExponentialBackOff()}
		failed.wait.InitialInterval, failed.wait.MaxInterval = 200*time.Millisecond, time.Minute
		d.failed[key] = failed
	}
	failed.times++
	delay, times := failed.wait.NextBackOff(), failed.times
	d.mu.Unlock()
	if d.ctx.Err() != nil {
		return
	}
	d.Log.Error("action failed, it is tried again", "run", run.Alias, "action", key, "in", delay, "error", err)
	if times%loud == 0 {
		d.tell(ctx, run, err)
	}
	d.again(ctx, key, run.ID, delay)
}

// scope is the context that an action runs in. Only actions that look can be called off; all
// others run to their end, unless the project is another engine's.
func (d *Dispatcher) scope(ctx context.Context, a core.Action) (context.Context, context.CancelFunc) {
	switch a.(type) {
	case core.Verify, core.Validate, core.PreparePublish, core.Merge, core.WatchPullRequest:
		return ctx, func() {}
	default: // all others
	}
	scope, cancel := context.WithCancelCause(owning(d.ctx, fenceOf(ctx)))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), errReleased) {
			cancel(errReleased)
		}
	})
	return scope, func() { stop(); cancel(nil) }
}

// tell pauses a run whose decided action keeps failing. The action goes on
// being tried: once what stands in its way is gone, resuming is enough.
func (d *Dispatcher) tell(ctx context.Context, run *core.Run, cause error) {
	err := d.report(owning(d.ctx, fenceOf(ctx)), run, core.RunPaused{
		Code: core.PauseAction, Reason: d.redactor(run).String("what was decided cannot be done: " + cause.Error()),
		Advice: core.Advice{Hint: "put it right; it is tried again by itself, then go on", Choices: run.Choices(core.VerbResume)},
	})
	if err != nil && d.ctx.Err() == nil {
		d.Log.Error("pause a run", "run", run.Alias, "error", err)
	}
}

// again asks for the run's effects after a delay. The action stays taken until
// then: what else happens to the run does not shorten its wait, unless that
// withdraws the action.
func (d *Dispatcher) again(ctx context.Context, key, run string, delay time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(delay):
	}
	d.mu.Lock()
	under, unwanted := d.flight[key], ctx.Err() != nil
	asked := under.asked
	under.cancel(nil)
	delete(d.flight, key)
	if unwanted {
		delete(d.failed, key)
	}
	d.mu.Unlock()
	if !unwanted || asked {
		d.insist(delay, func() error { return d.engine.Poke(d.ctx, run) }, "run", run)
	}
}

// left reports that the engine leaves the project to others, and so does the dispatcher:
// whoever can read it finds the action requested.
func left(err error) bool { return errors.Is(err, core.ErrUnreadable) }

// undecided is why a failure concludes nothing: the engine ends, or what it looked at is away for now. It is nil otherwise.
func undecided(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, core.ErrAway) {
		return err
	}
	return nil
}

// insist asks for another look until it is heard.
func (d *Dispatcher) insist(delay time.Duration, ask func() error, kind, id string) {
	for d.ctx.Err() == nil {
		err := ask()
		if err == nil || left(err) || d.ctx.Err() != nil {
			return
		}
		d.Log.Error("look again", kind, id, "error", err)
		delay = min(2*delay, time.Minute)
		select {
		case <-d.ctx.Done():
		case <-time.After(delay):
		}
	}
}

// do executes one action. An error means that nothing was concluded and the
// action is to be tried again.
func (d *Dispatcher) do(ctx context.Context, run *core.Run, action core.Action) error {
	if err := d.mine(ctx, run.Project); err != nil {
		return err
	}
	switch a := action.(type) {
	case core.StartAttempt:
		return d.startAttempt(ctx, run, a)
	case core.WatchAttempt:
		return d.watchAttempt(ctx, run, a)
	case core.StopAttempt:
		return d.stopAttempt(ctx, run, a)
	case core.Verify:
		return d.verify(ctx, run, a)
	case core.EvaluateCondition:
		return d.evaluateCondition(ctx, run, a)
	case core.MoveBranch:
		return d.moveBranch(ctx, run, a)
	case core.HoldRef:
		return d.holdRef(ctx, run, a)
	case core.PreparePublish:
		return d.preparePublish(ctx, run, a)
	case core.Publish:
		return d.publish(ctx, run, a)
	case core.ReadPlan:
		return d.readPlan(ctx, run, a)
	case core.WritePlan:
		return d.writePlan(ctx, run, a)
	case core.Merge:
		return d.merge(ctx, run, a)
	case core.Validate:
		return d.validate(ctx, run, a)
	case core.MergeIntoBase:
		return d.mergeIntoBase(ctx, run)
	case core.WatchPullRequest:
		return d.watchPullRequest(ctx, run, a)
	case core.Sweep:
		return d.sweep(ctx, run)
	case core.Notify:
		return d.notify(ctx, run, a)
	}
	return core.Errorf(core.CodeInternal, "no way to execute %T", action)
}

// report brings what happened to the engine. An event the state no longer
// wants was concluded by somebody else, which is as good.
func (d *Dispatcher) report(ctx context.Context, run *core.Run, body core.Body) error {
	_, err := d.engine.Conclude(ctx, run.ID, fenceOf(ctx), body)
	if core.CodeOf(err) == core.CodeConflict {
		d.Log.Debug("already concluded", "run", run.Alias, "event", core.TypeOf(body), "reason", err)
		return nil
	}
	return err
}

func isolation(run *core.Run) sandbox.Kind { return sandbox.Kind(run.Isolation) }
