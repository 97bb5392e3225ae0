package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

func TestMain(m *testing.M) {
	if os.Getenv("TEST_INTERRUPT") != "" {
		beInterrupted()
	}
	if os.Getenv("TEST_MCP") != "" {
		os.Exit(beServer())
	}
	for name, value := range map[string]string{"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// buffer is a screen that a test can read while it is written.
type buffer struct {
	mu      sync.Mutex
	b       bytes.Buffer
	written chan struct{} // closed with the next that is written; nil where nobody waits
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.written != nil {
		close(b.written)
		b.written = nil
	}
	return b.b.Write(p)
}

// until waits until what is on the screen is as it should be.
func (b *buffer) until(ctx context.Context, holds func(string) bool) bool {
	for {
		b.mu.Lock()
		if b.written == nil {
			b.written = make(chan struct{})
		}
		shown, written := b.b.String(), b.written
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

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// bench is a program in front of a scripted engine.
type bench struct {
	shell.Program
	svc      *apitest.Service
	out, err *buffer
	env      map[string]string
	detached int
	closed   int
}

// newBench has an engine in the background; own makes it one of this process.
func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{svc: &apitest.Service{InfoAnswer: api.Info{Version: "1.0"}}, out: &buffer{}, err: &buffer{},
		env: map[string]string{"HOME": dir}}
	b.Program = shell.Program{
		Console: terminal.Console{In: strings.NewReader(""), Out: b.out, Err: b.err, Width: func() int { return 0 }, ErrWidth: func() int { return 0 }},
		Build:   shell.Build{Version: "1.0"}, Env: func(n string) string { return b.env[n] }, Dir: func() (string, error) { return dir, nil },
		Now: func() time.Time { return noon },
		Dial: func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
			return b.svc, func() error { b.closed++; return nil }, nil
		},
		Detach:    func(context.Context, shell.ConnectOptions) error { b.detached++; return nil },
		Isolation: func(context.Context) (string, string) { return "sandbox", "" },
		Remedy:    func() string { return "sudo apt install bubblewrap" },
		Walls: func(context.Context) ([]wall.Trial, error) {
			return []wall.Trial{{Wall: "net wall", State: wall.Holds, Found: "nothing is reached"}}, nil
		},
		Bounds: func(bool) (string, string, error) { return "memory, processes, cpu: cgroup v2; disk: watched", "", nil },
	}
	return b
}

// own makes the engine one that ends with the command.
func (b *bench) own() *bench {
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

// at puts a person in front of it who types these lines.
func (b *bench) at(lines ...string) *bench {
	b.Console.Ask = true
	b.Console.In = strings.NewReader(strings.Join(lines, "\n") + "\n")
	return b
}

func (b *bench) run(t *testing.T, want int, args ...string) {
	t.Helper()
	if got := Run(t.Context(), b.Program, args); got != want {
		t.Errorf("%q: exit code %d, want %d\nout: %s\nerr: %s", args, got, want, b.out, b.err)
	}
}

func (b *bench) said(t *testing.T, where *buffer, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(where.String(), p) {
			t.Errorf("%q is missing in:\n%s", p, where)
		}
	}
}

func (b *bench) asked(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, c := range b.svc.Calls() {
		got = append(got, c.Verb)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the engine was asked %v, want %v", got, want)
	}
}

func subject() core.Subject { return core.Subject{Stage: "review", Round: 1, Delivery: "d1"} }

// put adds a run that stands as its status says.
func (b *bench) put(id string, status core.RunStatus) {
	d := api.RunDetail{
		Run:    api.Run{ID: id, Alias: "alias-" + id, Title: "Title " + id, Status: status, Stage: "review", StartedAt: noon, Next: "`stellwerk approve alias-" + id + "`"},
		Stages: []api.Stage{{ID: "plan", Status: "passed"}, {ID: "review", Status: "open"}},
	}
	if status == core.StatusAwaiting {
		d.Gate = &core.Gate{Subject: subject()}
	}
	b.svc.Put(d)
	b.happen(id, core.RunStarted{Run: id, Alias: d.Alias, Title: d.Title}, nil)
}

func (b *bench) happen(id string, body core.Body, update func(*api.RunDetail)) {
	b.svc.Happen(id, noon, core.Engine(), body, update)
}

func (b *bench) ends(id string, body core.Body, status core.RunStatus) {
	b.happen(id, body, func(d *api.RunDetail) { d.Status, d.Gate = status, nil })
}

func (b *bench) waits(id string) {
	b.happen(id, core.ApprovalRequested{Subject: subject()}, func(d *api.RunDetail) {
		d.Status, d.Gate = core.StatusAwaiting, &core.Gate{Subject: subject()}
	})
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
