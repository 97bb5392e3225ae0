package exchangetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	objects "github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/apart"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// First is the attempt that a station makes.
var First = spawn.ID{Run: "r1", Attempt: "a1"}

// silence is how long workers may say nothing in tests: on a busy machine they are slow.
const silence = 5 * time.Second

// Station is one store and one set of objects, with as many engines as a test wants, each with a folder of its own, and
// workers that see nothing of them.
type Station struct {
	Shared  string // a folder that agents and test share
	Shallow bool   // attempts begin with the second of two commits, whose history is cut off

	t       *testing.T
	state   string
	workers string
	db      remote.Store
	objects *objects.Folder
	current *Engine // who answers at the address
	address string
	engines int
}

// Engine is an engine of a station as far as attempts know it.
type Engine struct {
	*remote.Exchange
	station *Station
	stop    func()
}

// NewStation opens a station with one engine that answers.
func NewStation(t *testing.T) *Station {
	t.Helper()
	dir := t.TempDir()
	s := &Station{t: t, state: filepath.Join(dir, "state"), workers: filepath.Join(dir, "workers"), Shared: filepath.Join(dir, "shared")}
	for _, d := range []string{s.state, s.workers, s.Shared} {
		s.must(os.MkdirAll(d, 0o700))
	}
	s.db = sqlitetest.Open(t, filepath.Join(s.state, "db"))
	var err error
	s.objects, err = objects.Open(filepath.Join(s.state, "blobs"))
	s.must(err)
	s.Serve(s.Engine())
	t.Cleanup(s.Silence)
	return s
}

func (s *Station) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// Engine is a further engine, which knows nothing of the others and answers nobody.
func (s *Station) Engine() *Engine {
	s.engines++
	state := filepath.Join(s.state, fmt.Sprintf("engine-%d", s.engines))
	return &Engine{station: s, Exchange: remote.New(remote.Options{
		Store: s.db, Objects: s.objects, Silence: silence, Log: slog.New(slog.NewTextHandler(s.t.Output(), nil)),
		Folder: func(id spawn.ID) string { return filepath.Join(state, id.Run, id.Attempt) },
	})}
}

// Serve has an engine answer at the station's address in the place of any other.
func (s *Station) Serve(e *Engine) {
	s.t.Helper()
	s.Silence()
	at := s.address
	if at == "" {
		at = "127.0.0.1:0"
	}
	listener, err := (&net.ListenConfig{}).Listen(s.t.Context(), "tcp", at)
	s.must(err)
	s.address = listener.Addr().String()
	server := &http.Server{Handler: e.Handler(holder, nil), ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() { _ = server.Serve(listener); close(done) }()
	e.stop = func() { _ = server.Close(); <-done }
	s.current = e
}

// Silence has no engine answer.
func (s *Station) Silence() {
	if s.current != nil {
		s.current.stop()
		s.current = nil
	}
}

// URL is where the station answers.
func (s *Station) URL() string { return "http://" + s.address }

// Token is that of an attempt's worker.
func Token(id spawn.ID) string { return "worker " + id.String() }

func holder(token string) (spawn.ID, bool) {
	name, ok := strings.CutPrefix(token, "worker ")
	run, attempt, cut := strings.Cut(name, "/")
	return spawn.ID{Run: run, Attempt: attempt}, ok && cut
}

// Ahead is the command of a worker that waits for its order.
func Ahead(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return worker.Ahead(self, "stellwerk-test")
}

// Spawner is one of an engine, which starts workers apart.
func (e *Engine) Spawner(changes ...func(*apart.Options)) *apart.Spawner {
	t := e.station.t
	opts := apart.Options{
		Exchange: e.Exchange, URL: e.station.URL, Token: Token, Worker: Ahead(t),
		Empty: []string{e.station.state}, Dir: e.station.workers, Checkpoint: 50 * time.Millisecond,
	}
	for _, change := range changes {
		change(&opts)
	}
	s := apart.New(opts)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
		defer cancel()
		if err := s.Drain(ctx); err != nil {
			t.Error(err)
		}
		log, _ := os.ReadFile(filepath.Join(e.Folder(First), shim.LogFile))
		t.Logf("workers say: %s", log)
	})
	return s
}

// Prepare makes the first attempt, at running a shell script, and offers it.
func (s *Station) Prepare(e *Engine, kind sandbox.Kind, script string, changes ...func(*shim.Spec)) {
	s.t.Helper()
	made := shimtest.New(s.t, kind, script)
	if s.Shallow {
		made.Git(s.t, "commit", "--quiet", "--allow-empty", "--message", "second")
		made.Spec.Base = made.Git(s.t, "rev-parse", "HEAD")
	}
	y, err := yard.Open(s.t.Context(), filepath.Join(s.state, "yard"))
	s.must(err)
	s.must(y.Fetch(s.t.Context(), made.Workspace))
	if s.Shallow {
		s.must(os.WriteFile(filepath.Join(y.Dir(), "shallow"), []byte(made.Spec.Base+"\n"), 0o600))
	}
	shallow, err := y.Shallow()
	s.must(err)
	s.must(os.RemoveAll(made.Workspace)) // the worker makes one
	folder, spec := e.Folder(First), made.Spec
	s.must(os.MkdirAll(filepath.Dir(folder), 0o700))
	s.must(os.RemoveAll(folder))
	s.must(os.CopyFS(folder, os.DirFS(made.Folder)))
	spec = spec.Moved(wire.Move(map[string]string{made.Folder: folder}))
	spec.Agent, spec.Secrets, spec.Env = "command", []string{"TOKEN"}, map[string]string{"SHARED": s.Shared}
	spec.Job.Options = map[string]string{"yard": y.Dir()}
	spec.ReadOnly, spec.Writable, spec.Masked = []string{y.Dir()}, []string{s.Shared}, []string{s.state}
	for _, change := range changes {
		change(&spec)
	}
	s.must(shim.WriteSpec(folder, spec))
	s.must(e.Offer(s.t.Context(), exchange.Offer{
		ID: First, Base: spec.Base, Shallow: shallow,
		Pack: func(ctx context.Context, w io.Writer) error { return y.WriteBase(ctx, []string{spec.Base}, w) },
		Places: []exchange.Place{
			{Path: made.Workspace, Name: wire.WorkName}, {Path: y.Dir(), Name: wire.YardName}, {Path: s.state},
		},
	}))
	s.must(y.Close())
}

// Current is the engine that answers.
func (s *Station) Current() *Engine { return s.current }

// Damage changes an object's content.
func (s *Station) Damage(digest string) {
	s.t.Helper()
	s.must(os.WriteFile(filepath.Join(s.state, "blobs", digest[:2], digest[2:]), []byte("something else"), 0o600))
}

// Workers is where workers make their folders.
func (s *Station) Workers() string { return s.workers }

// Exit is how the first attempt ended, as an engine tells that heard nothing of it itself.
func (s *Station) Exit(t *testing.T) (shim.Exit, error) {
	t.Helper()
	folder, err := s.Engine().Receive(t.Context(), First)
	if err != nil {
		return shim.Exit{}, err
	}
	return shim.ReadExit(folder)
}

// Checkpoint is what has arrived of the first attempt's last checkpoint, "" for none.
func (s *Station) Checkpoint(t *testing.T) string {
	t.Helper()
	d, err := s.db.Document(t.Context(), "attempt-checkpoint", First.String())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return string(d.Data)
}
