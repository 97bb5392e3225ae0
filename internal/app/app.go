// Package app wires everything together. It is the only package that knows all
// the others: which store, which spawner, which forge, which agents, and who listens
// where. It must not do anything itself that a client asks for: package service does.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/agent/claude"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/drain"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/equipment"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/folder"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/forges"
	"github.com/stellwerk-dev/stellwerk/internal/journal"
	"github.com/stellwerk-dev/stellwerk/internal/logging"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/notice"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/roster"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/service"
	"github.com/stellwerk-dev/stellwerk/internal/session"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	spawnlocal "github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
	"github.com/stellwerk-dev/stellwerk/internal/start"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/takeover"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
	"github.com/stellwerk-dev/stellwerk/internal/toolcall"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// Options say where and how an engine runs.
type Options struct {
	State   string // the state folder; "" for the usual one
	Version string
	Log     io.Writer // where the engine logs; nil for nowhere
	Verbose bool
	// LogFormat is how the log is written: logging.Text, which "" means, or logging.JSON.
	LogFormat string
	// LogLevel is the least of what is logged; Verbose is LevelDebug.
	LogLevel slog.Level
	Webhook  string // where an engine that serves hears webhooks; "" for nowhere
	Metrics  string // where an engine that serves shows its metrics; "" for nowhere
	// MetricsPublic lets Metrics be an address that other machines reach.
	MetricsPublic bool
	Network       *network.Config // where an engine that serves is reached by others; nil for nowhere
	// Silence is how long a worker elsewhere may say nothing before its attempt is lost; 0 for the usual time.
	Silence time.Duration
	// Lost, if set, is told once that the state folder was deleted or replaced
	// under an engine of this process, which serves nobody any more.
	Lost func(error)
	// Drained, if set, is told once that an engine which was asked to give its work to others has done so and is to end.
	Drained func()
	// Database and Objects, if set, are what several engines share, each with a state folder of its own: backing.Place says what
	// they can be. Workers is how attempts reach them. Lease and Look are engine.Options.
	Database, Objects string
	Workers           Workers
	Checkpoint        time.Duration // how often attempts hand in work in progress at most; 0 for the usual time
	Lease, Look       time.Duration
	// Machine tells the machines of a shared store apart; "" for what the system says.
	Machine string
	// Wrap, if set, may replace parts before the engine is built from them:
	// a test stands between the engine and what is durable.
	Wrap func(*Parts)
}

// Parts are what an engine changes the world through.
type Parts struct {
	Store   store.Store
	Journal engine.Journal
	Folder  dispatch.Folder
	Spawner spawn.Spawner // of attempts
	// Exchange is what the spawner's attempts get and hand in: by folders of this machine, unless it is Remote, which serves
	// workers elsewhere. Commands runs the commands of checks, on this machine.
	Exchange exchange.Exchange
	Remote   *remote.Exchange
	// WorkerToken is what a worker shows to Remote.
	WorkerToken func(spawn.ID) string
	Commands    spawn.Spawner
	Forge       forge.Forge
}

// App is an engine with everything it needs.
type App struct {
	Service *service.Service // what clients ask of it

	opts     Options
	state    statefolder.Folder
	place    backing.Place // of the store and its objects
	backed   backing.Backing
	lock     *statefolder.Lock
	id       string // of the engines on this folder
	store    store.Store
	objects  object.Objects
	journal  *journal.Journal
	yards    *pack.Yards
	find     *find.Finder
	engine   *engine.Engine
	dispatch *dispatch.Dispatcher
	spares   *spare.Pool
	redactor *redact.Redactor
	rules    *redact.RuleSet
	settings *config.Settings
	log      *slog.Logger

	isolation func() (sandbox.Kind, string)
	calls     *telemetry.Calls     // to store and objects; shown if somebody wants to be told
	telemetry *telemetry.Telemetry // nil if nobody wants to be told
	outbox    *notify.Outbox
	tokens    *api.AttemptTokens
	remote    *remote.Exchange // with workers that share nothing with this machine
	workers   net.Listener     // for workers, until it is served; nil if the store is this engine's alone
	access    *access.Store
	roster    *roster.Roster
	drain     *drain.Drain
	children  func() int // workers that this process started; nil if the store is this engine's alone

	workersURL string // where workers find an engine

	stop    context.CancelFunc
	running context.Context //nolint:containedctx // what a request leaves behind goes on after it, and ends with the engine
	work    sync.WaitGroup
}

// Open starts an engine on a state folder. Only one can run on a folder: a
// second one gets CodeConflict.
func Open(ctx context.Context, opts Options) (*App, error) {
	state, err := statefolder.Open(opts.State)
	if err != nil {
		return nil, err
	}
	lock, err := statefolder.Acquire(state)
	if err != nil {
		return nil, err
	}
	a := &App{opts: opts, state: state, lock: lock, rules: redact.DefaultRules(), calls: telemetry.NewCalls()}
	if a.place, err = backing.Find(state, opts.Database, opts.Objects); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	a.redactor = redact.New(redact.Options{Secrets: a.secrets(), Rules: a.rules})
	level := opts.LogLevel
	if opts.Verbose {
		level = slog.LevelDebug
	}
	a.log = logging.New(opts.Log, opts.LogFormat, level, a.redactor)
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// build makes what an engine changes the world through, and then the engine.
func (a *App) build(ctx context.Context) error {
	var err error
	if a.id, err = a.lock.Identity(a.state, a.place.Shared(), func() string { return a.thisMachine(ctx) }); err != nil {
		return err
	}
	if a.backed, err = a.place.Open(ctx, a.state, a.log); err != nil {
		return err
	}
	a.store, a.objects = a.backed.Store, a.calls.Objects(a.backed.Objects)
	if a.settings, err = config.OfPerson(nil); err != nil {
		return err
	}
	if err := takeover.Run(ctx, takeover.Options{Dir: a.state.Dir, Engine: a.id, Store: a.store, Log: a.log}); err != nil {
		return err
	}
	a.access = access.Open(a.store, Person(), time.Now)
	a.roster = roster.New(roster.Options{Store: a.store, Engine: a.id, Version: a.opts.Version, Shared: a.place.Shared(), Uses: a.uses()})
	a.journal = journal.New(a.state.Runs(), a.objects, a.log)
	a.yards = a.openYards()
	if err := takeover.Code(ctx, takeover.CodeOptions{Engine: a.id, Store: a.store, Secure: a.yards.Secure, Log: a.log}); err != nil {
		return err
	}
	programs, err := shim.InstallSelf(a.state.Bin())
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the program cannot be copied into the state folder", "check that "+a.state.Dir+" can be written and has space")
	}
	pulls, layout := local.New(a.store, a.state.Pulls()), dispatch.Layout{State: a.state.Dir}
	a.remote = remote.New(remote.Options{
		Store: a.store, Objects: a.objects, Folder: layout.Folder, Silence: cmp.Or(a.opts.Silence, remote.DefaultSilence), Log: a.log,
	})
	a.spares = spare.New(worker.Ahead(programs.Worker, layout.ResourceOwner()))
	shims := spawnlocal.New(spawnlocal.Options{
		Worker: worker.Command(programs.Worker), Salvage: worker.Rescue(programs.Worker), Spares: a.spares, Folder: layout.Folder,
	})
	parts := Parts{
		Store: a.store, Journal: a.journal, Folder: a.journal, Forge: pulls, Spawner: shims,
		Exchange: folder.Exchange{Folder: layout.Folder}, Remote: a.remote, WorkerToken: a.workerToken,
	}
	parts.Commands = parts.Spawner
	if a.place.Shared() {
		if err := a.speakHTTP(ctx, &parts, programs.Worker, layout); err != nil {
			return core.Wrap(core.CodeUnavailable, err, "the workers of attempts could not reach this engine", "choose another address for workers")
		}
	}
	if a.opts.Wrap != nil {
		a.opts.Wrap(&parts)
	}
	if a.opts.Log != nil {
		parts.Journal = &watchedJournal{parts.Journal, a.logEvents}
	}
	forges := forges.New(parts.Forge)
	machine := a.machine(ctx)
	if err := a.measure(ctx, &parts, forges, place(machine)); err != nil {
		return err
	}
	a.engine = engine.New(engine.Options{
		Store: parts.Store, Journal: parts.Journal, Deciders: deciders(), Log: a.log,
		ID: a.id, Host: statefolder.Host(), Place: place(machine), Able: a.able, Steward: project.Decider{}, Lease: a.opts.Lease, Look: a.opts.Look, Shared: a.place.Shared(),
	})
	a.drain = a.openDrain(parts)
	if err := a.wire(ctx, programs.Self, machine, parts, forges, pulls); err != nil {
		return err
	}
	if err := a.dispatch.ForgetTrials(ctx); err != nil {
		a.log.Warn("trials of an engine that was killed left something behind", "error", err)
	}
	return a.start(ctx)
}

func (a *App) openYards() *pack.Yards {
	opts := pack.YardsOptions{
		Dir: a.state.Yards(), Credentials: forges.GitCredential, Code: pack.Restorer{Store: a.store, Objects: a.objects, Log: a.log},
		Fence: func(project string) int64 {
			if a.engine == nil {
				return 0
			}
			return a.engine.Fence(project)
		},
	}
	if a.place.Shared() {
		opts.Others = a.store
	}
	return pack.NewYards(opts)
}

// wire makes the rooms around the engine, and hands each what it needs of the others.
func (a *App) wire(ctx context.Context, self, machine string, parts Parts, forges *forges.Forges, pulls *local.Forge) error {
	tools, err := a.openTools(ctx)
	if err != nil {
		return err
	}
	prices, err := config.PricesFile(os.Getenv)
	if err != nil {
		return err
	}
	person := Person()
	// What this machine provides is found out once, by whoever asks first: it costs
	// processes, and most commands never ask.
	isolation := sync.OnceValues(func() (sandbox.Kind, string) { return sandbox.Detect(context.WithoutCancel(ctx)) })
	a.isolation = isolation
	a.find = find.New(a.engine, a.store, machine)
	find := a.find
	sessions := session.New(session.Options{
		State: a.state.Dir, Self: self, Person: person, Engine: a.engine, Store: a.store, Yards: a.yards, Find: find,
		Folder: a.journal.Dir, Redactor: a.redactor, Isolation: isolation, Log: a.log,
	})
	teller := notice.New(notice.Options{Store: a.store, Load: a.engine.Load, Project: find.ProjectName, Redactor: a.redactorOf, Log: a.log})
	a.outbox = teller.Outbox
	a.dispatch = dispatch.New(a.engine, dispatch.Options{
		Layout: dispatch.Layout{State: a.state.Dir}, Yards: a.yards, Objects: a.objects,
		Spawner: parts.Spawner, Exchange: parts.Exchange, Commands: parts.Commands, Sessions: sessions, Forges: forges, Pulls: pulls, Poll: a.settings.Forge.Poll.V, Elsewhere: a.elsewhere(), Publisher: a.publisher(), Notifier: teller, Drafts: draft.Open(a.store), Projects: a.engine, Epics: epics{a}, Folder: parts.Folder,
		Redactors: a.redactors, Memory: parts.Store, Log: a.log, Self: self, Environ: a.lookupEnv,
		SecretNames: equipment.SecretNames, Provider: equipment.Provider, Credential: credentialOf(a.settings.Credential), Prices: prices, Tools: tools, ReadOnly: a.settings.ReadOnly.V, MCP: a.settings.MCP.V, Steering: steeringFiles, Listed: a.settings.Permits.V == config.PermissionsListed, Checks: runtime.NumCPU(),
	})
	a.engine.SetDispatcher(a.dispatch)
	starter := start.NewStarter(start.Options{
		State: a.state.Dir, Person: person, Engine: a.engine, Store: a.store, Find: find, Yards: a.yards, Objects: a.objects, Trials: a.dispatch,
		Agents:   start.Agents{Provider: equipment.Provider, SecretNames: equipment.SecretNames, Lacks: equipment.AgentLacks},
		Settings: a.settings, Redactor: a.redactor, Isolation: isolation, Alone: sessions.Alone, Log: a.log,
	})
	a.Service = service.New(service.Options{
		Version: a.opts.Version, Person: person, Self: self, Agent: claude.Program, State: a.state,
		Store: a.store, Objects: a.objects, Journal: a.journal, Exchange: parts.Exchange, Yards: a.yards, Engine: a.engine, EngineID: a.id, Deciders: deciders(),
		Find: find, Start: starter, Sessions: sessions, Outbox: a.outbox, Pulls: pulls, Access: a.access, Roster: a.roster, Drain: a.drains,
		Tools: &toolcall.Tools{
			Engine: a.engine, Find: find, Yards: a.yards, Objects: a.objects, Redactor: a.redactor, Secrets: a.redactorOf, Token: a.tokens.Issue,
		},
		Redactor: a.redactor, Secrets: a.redactorOf, Isolation: isolation, Log: a.log, Work: &a.work,
	})
	return nil
}

// epics has the service begin queued epics. The dispatcher is made first, because
// the service starts runs with its help.
type epics struct{ app *App }

// BeginEpic implements dispatch.Epics.
func (e epics) BeginEpic(ctx context.Context, p *core.Project, q core.QueuedEpic) error {
	return e.app.Service.BeginEpic(ctx, p, q)
}

// TellRefused implements dispatch.Epics.
func (e epics) TellRefused(ctx context.Context, p *core.Project, q core.QueuedEpic) error {
	return e.app.Service.TellRefused(ctx, p, q)
}

// start sets the engine going. It owns what the engine before on this folder did: what was
// under way when that ended is found again.
func (a *App) start(ctx context.Context) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.stop, a.running = stop, running
	a.outbox.Start()
	open, err := a.store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return err
	}
	a.serveWorkers(running)
	a.sweepWorkers(running)
	a.log.Info("the engine runs", "version", a.opts.Version, "pid", os.Getpid(), "state", a.state.Dir, "open_runs", len(open))
	if err := a.engine.Begin(ctx); err != nil {
		return err
	}
	if err := a.roster.Enter(ctx); err != nil {
		return err
	}
	if a.place.Shared() {
		a.work.Go(func() { a.roster.KeepSwept(running, a.log) })
	}
	a.work.Go(func() {
		if err := a.engine.Run(running); err != nil {
			a.log.Error("engine", "error", err)
		}
	})
	a.work.Go(func() { a.Service.Retain(running) })
	a.work.Go(func() { a.Service.KeepSigning(running) })
	a.work.Go(func() { a.Service.KeepErased(running) })
	return nil
}

// Close ends the engine. Attempts go on, and the next engine finds them.
func (a *App) Close() error {
	if a.stop != nil {
		a.log.Info("the engine ends, attempts go on", "pid", os.Getpid())
		a.stop()
	}
	if a.dispatch != nil {
		a.dispatch.Close()
	}
	a.spares.Close()
	a.work.Wait()
	if a.roster != nil {
		if err := a.roster.Leave(context.Background()); err != nil {
			a.log.Warn("other engines list this one for a while", "error", err)
		}
	}
	if a.engine != nil {
		if err := a.engine.Leave(context.Background()); err != nil {
			a.log.Warn("other engines wait until this one's lease has run out", "error", err)
		}
	}
	if a.outbox != nil {
		a.outbox.Close()
	}
	if a.telemetry != nil {
		a.telemetry.Close()
	}
	if a.journal != nil {
		a.journal.Close()
	}
	var errs []error
	if a.workers != nil {
		errs = append(errs, a.workers.Close())
	}
	if a.yards != nil {
		errs = append(errs, a.yards.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	return errors.Join(append(errs, a.lock.Release())...)
}

// Person is the name under which the person at this machine speaks.
func Person() string {
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return fmt.Sprintf("uid %d", os.Getuid())
	}
	return filepath.Base(u.Username)
}

// steeringFiles are what the person and a repository's settings add to the files whose change is named.
func steeringFiles(repository []byte) ([]string, error) {
	s, _, err := config.Read(nil, config.File{Name: config.ProjectFile, Data: repository})
	if err != nil {
		return nil, err
	}
	return s.Steering.V, nil
}
