// Package clitest is a command line in front of a scripted engine, for tests of
// the commands.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Buffer is a screen that a test can read while it is written.
type Buffer struct {
	mu      sync.Mutex
	B       bytes.Buffer
	written chan struct{} // closed with the next that is written; nil where nobody waits
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.written != nil {
		close(b.written)
		b.written = nil
	}
	return b.B.Write(p)
}

// until waits until what is on the screen is as it should be.
func (b *Buffer) until(ctx context.Context, holds func(string) bool) bool {
	for {
		b.mu.Lock()
		if b.written == nil {
			b.written = make(chan struct{})
		}
		shown, written := b.B.String(), b.written
		b.mu.Unlock()
		if holds(shown) {
			return true
		}
		select {
		case <-written:
		case <-ctx.Done():
			return false
		}
	}
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.B.String()
}

// Bench is a program in front of a scripted engine.
type Bench struct {
	shell.Program
	Svc      *apitest.Service
	Out, Err *Buffer
	Env      map[string]string
	Detached int
	Closed   int
}

// New has an engine in the background; own makes it one of this process.
func New(t *testing.T) *Bench {
	t.Helper()
	dir := t.TempDir()
	b := &Bench{Svc: &apitest.Service{InfoAnswer: api.Info{Version: "1.0"}}, Out: &Buffer{}, Err: &Buffer{},
		Env: map[string]string{"HOME": dir}}
	b.Program = shell.Program{
		Console: terminal.Console{In: strings.NewReader(""), Out: b.Out, Err: b.Err, Width: func() int { return 0 }, ErrWidth: func() int { return 0 }},
		Build:   shell.Build{Version: "1.0"}, Env: func(n string) string { return b.Env[n] }, Dir: dir,
		Now: func() time.Time { return Noon },
		Dial: func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
			return b.Svc, func() error { b.Closed++; return nil }, nil
		},
		Detach:    func(context.Context, shell.ConnectOptions) error { b.Detached++; return nil },
		Isolation: func(context.Context) (string, string) { return "sandbox", "" },
		Remedy:    func() string { return "sudo apt install bubblewrap" },
		Walls: func(context.Context) ([]wall.Trial, error) {
			return []wall.Trial{{Wall: "net wall", State: wall.Holds, Found: "nothing is reached"}}, nil
		},
		SQLite:   func(context.Context) (string, error) { return "3", nil },
		Database: func(context.Context, string) error { return fs.ErrNotExist },
		Proxies:  func() []string { return nil },
		Bounds:   func(bool) (string, string, error) { return "memory, processes, cpu: cgroup v2; disk: watched", "", nil },
	}
	return b
}

// Own makes the engine one that ends with the command.
func (b *Bench) Own() *Bench {
	connect := b.Dial
	b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		svc, end, err := connect(ctx, o)
		return ending{svc}, end, err
	}
	return b
}

// ending is an engine that drives nothing on.
type ending struct{ api.Service }

func (ending) Ends() bool { return true }

// At puts a person in front of it who types these lines.
func (b *Bench) At(lines ...string) *Bench {
	b.Console.Ask = true
	b.Console.In = strings.NewReader(strings.Join(lines, "\n") + "\n")
	return b
}

func (b *Bench) Run(t *testing.T, want int, args ...string) {
	t.Helper()
	if got := cli.Run(t.Context(), b.Program, args); got != want {
		t.Errorf("%q: exit code %d, want %d\nout: %s\nerr: %s", args, got, want, b.Out, b.Err)
	}
}

// Fits runs a command on a screen of 80 columns and without bounds: what was too long is wrapped, below where it began.
func (b *Bench) Fits(t *testing.T, want int, args ...string) {
	t.Helper()
	widest := func(columns int) (most int, hung bool) {
		b.Out.B.Reset()
		b.Console.Width = func() int { return columns }
		b.Run(t, want, args...)
		for line := range strings.Lines(b.Out.String()) {
			most, hung = max(most, terminal.Width(strings.TrimSuffix(line, "\n"))), hung || strings.HasPrefix(line, "   ")
		}
		return most, hung
	}
	if most, _ := widest(0); most <= 80 {
		t.Errorf("%q says nothing that is too long:\n%s", args, b.Out)
	}
	if most, hung := widest(80); most > 80 || !hung {
		t.Errorf("%q takes %d columns:\n%s", args, most, b.Out)
	}
}

func (b *Bench) Said(t *testing.T, where *Buffer, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(where.String(), p) {
			t.Errorf("%q is missing in:\n%s", p, where)
		}
	}
}

func (b *Bench) Asked(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, c := range b.Svc.Calls() {
		got = append(got, c.Verb)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the engine was asked %v, want %v", got, want)
	}
}

func Subject() core.Subject { return core.Subject{Stage: "review", Round: 1, Delivery: "d1"} }

// Put adds a run that stands as its status says.
func (b *Bench) Put(id string, status core.RunStatus) {
	d := api.RunDetail{
		Run:    api.Run{ID: id, Alias: "alias-" + id, Title: "Title " + id, Status: status, Stage: "review", StartedAt: Noon, Next: "`stellwerk approve alias-" + id + "`"},
		Stages: []api.Stage{{ID: "plan", Status: "passed"}, {ID: "review", Status: "open"}},
	}
	if status == core.StatusAwaiting {
		d.Gate = &core.Gate{Subject: Subject()}
		d.Subject = &d.Gate.Subject
	}
	b.Svc.Put(d)
	b.Happen(id, core.RunStarted{Run: id, Alias: d.Alias, Title: d.Title}, nil)
}

func (b *Bench) Happen(id string, body core.Body, update func(*api.RunDetail)) {
	b.Svc.Happen(id, Noon, core.Engine(), body, update)
}

func (b *Bench) Ends(id string, body core.Body, status core.RunStatus) {
	b.Happen(id, body, func(d *api.RunDetail) { d.Status, d.Gate = status, nil })
}

func (b *Bench) Waits(id string) {
	b.Happen(id, core.ApprovalRequested{Subject: Subject()}, func(d *api.RunDetail) {
		d.Status, d.Gate = core.StatusAwaiting, &core.Gate{Subject: Subject()}
		d.Subject = &d.Gate.Subject
	})
}

func Decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func NoEngine(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
	return nil, nil, core.Wrap(core.CodeUnavailable, api.ErrNoEngine, "no engine runs", "")
}

func WriteFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(path[:strings.LastIndex(path, "/")], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Secret has the form of a token.
const Secret = "stw_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"

// Far notes how a command connects.
func Far(b *Bench) *[]shell.ConnectOptions {
	var seen []shell.ConnectOptions
	connect := b.Dial
	b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		seen = append(seen, o)
		return connect(ctx, o)
	}
	return &seen
}

// Sees waits until the screen shows a text so many times.
func Sees(t *testing.T, b *Bench, text string, times int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	if !b.Out.until(ctx, func(shown string) bool { return strings.Count(shown, text) >= times }) {
		t.Fatalf("%q does not appear in:\n%s", text, b.Out)
	}
}

// Keyboard puts a person in front of the bench who types when the test says so.
func Keyboard(t *testing.T, b *Bench) *io.PipeWriter {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	b.Console.Ask, b.Console.In = true, r
	return w
}

// InRepository gives the bench a git repository with a file.
func InRepository(t *testing.T, b *Bench) string {
	t.Helper()
	dir := b.Dir
	WriteFile(t, dir+"/go.mod", "module x\n")
	if out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// Main runs the tests of a package of commands, with a person for git to name and
// no goroutine left behind.
func Main(m *testing.M) {
	for name, value := range map[string]string{"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
