// Package service is the engine as its clients see it: the methods of api.Service. A
// method finds what is meant, then reads and shows it, or submits a person's word as an
// event. Sessions, the attempts' tools and what precedes a run are answered by their own
// packages. It must not decide what a run does next, choose a store, a forge or an agent,
// or know who listens.
package service

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/erasure"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/journal"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/roster"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/session"
	"github.com/stellwerk-dev/stellwerk/internal/start"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/toolcall"
)

// Options are what a service answers from.
type Options struct {
	Version  string
	Person   string // the person at this machine
	Self     string // the program that runs beside agents
	Agent    string // the program that the built-in playbooks start
	State    statefolder.Folder
	Store    store.Store
	Objects  object.Objects
	Journal  *journal.Journal
	Exchange exchange.Exchange // with attempts
	Yards    Yards
	Engine   *engine.Engine
	EngineID string // of the engines on the state folder
	Deciders []core.Decider
	Find     *find.Finder
	Start    *start.Starter
	Sessions *session.Sessions
	Tools    *toolcall.Tools
	Outbox   *notify.Outbox
	Pulls    *local.Forge // pull requests of repositories without a forge
	Access   *access.Store
	Roster   *roster.Roster // of the engines on the store
	// Drain gives this engine's projects to others, and ends it when the attempts on its machine have ended or within has
	// passed. It returns how many projects those are, and how many attempts.
	Drain    func(ctx context.Context, within time.Duration) (projects, attempts int, err error)
	Redactor *redact.Redactor
	// Secrets is a redactor that also knows the named variables, and more.
	Secrets func(names []string, more ...redact.Secret) *redact.Redactor
	// Isolation is what this machine provides, and why nothing stronger.
	Isolation func() (sandbox.Kind, string)
	Log       *slog.Logger
	// Work counts what goes on after a method has returned.
	Work *sync.WaitGroup
}

// Yards are the yards of this machine.
type Yards interface {
	dispatch.Yards
	// Secure packs what of a project's code is in its yard and in no pack; with here, also what repositories on this machine
	// stand for. A project without a yard on this machine has nothing to pack.
	Secure(ctx context.Context, project string, here bool) error
	// Remove removes a project's yard from this machine.
	Remove(ctx context.Context, project string) error
	// Adopt brings in the code of a run that comes back from its folder. If a repository is away that has some of it, that is
	// the error, and the repository is asked again.
	Adopt(ctx context.Context, project, run string, events []core.Event) error
}

// beforehand is what is asked before there is a run.
type beforehand interface {
	api.Starts
	api.Library
	Trust(ctx context.Context, req api.Trust) (api.Trusted, error)
}

// Service implements api.Service.
type Service struct {
	api.Sessions
	api.Tools
	beforehand

	version      string
	person       string
	self         string
	agentProgram string
	state        statefolder.Folder
	exchange     exchange.Exchange
	store        store.Store
	objects      object.Objects
	journal      *journal.Journal
	yards        Yards
	engine       *engine.Engine
	deciders     []core.Decider
	find         *find.Finder
	start        *start.Starter
	sessions     *session.Sessions
	tools        *toolcall.Tools
	outbox       *notify.Outbox
	pulls        *local.Forge
	access       *access.Store
	roster       *roster.Roster
	drain        func(context.Context, time.Duration) (int, int, error)
	redactor     *redact.Redactor
	redactorOf   func(names []string, more ...redact.Secret) *redact.Redactor
	isolation    func() (sandbox.Kind, string)
	log          *slog.Logger
	work         *sync.WaitGroup

	pruning    sync.Mutex
	books      histories[*book]
	walls      wallTrials
	tails      tails
	references histories[*references]
	signer     *audit.Signer
	erasures   *erasure.Sweeper
	address    atomic.Pointer[string] // where the network reaches the engine; nil if it does not
}

var _ api.Service = (*Service)(nil)

// New makes a service.
func New(o Options) *Service {
	a := &Service{
		Sessions: o.Sessions, Tools: o.Tools, beforehand: o.Start,
		version: o.Version, person: o.Person, self: o.Self, agentProgram: o.Agent, state: o.State, exchange: o.Exchange,
		store: o.Store, objects: o.Objects, journal: o.Journal, yards: o.Yards, engine: o.Engine, deciders: o.Deciders,
		find: o.Find, start: o.Start, sessions: o.Sessions, tools: o.Tools, outbox: o.Outbox, pulls: o.Pulls, access: o.Access, roster: o.Roster, drain: o.Drain,
		signer:   audit.NewSigner(o.Store, o.EngineID),
		redactor: o.Redactor, redactorOf: o.Secrets, isolation: o.Isolation, log: o.Log, work: o.Work,
		books: histories[*book]{begin: newBook}, references: histories[*references]{begin: newReferences},
	}
	a.erasures = erasure.New(erasure.Options{
		State: o.State, Store: o.Store, Engine: o.Engine, Journal: o.Journal, Yards: o.Yards, Objects: a.unnamedObjects,
	})
	return a
}
