package telemetry_test

import (
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runID is a run's id as they are made.
const runID = "0198c1d2-7a00-7000-8000-0123456789ab"

// world is a store with one run, and telemetry that follows it.
type world struct {
	t     *testing.T
	store *sqlite.Store
	run   *core.Run
	head  core.Head
	clock time.Time
	log   *lines
	calls *telemetry.Calls
	owned func() (int, time.Duration)
	reads atomic.Int32 // of the run's events
	*telemetry.Telemetry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, store: sqlitetest.New(t), clock: time.Unix(1_700_000_000, 0), log: &lines{}}
}

func (w *world) open(export *telemetry.Export) {
	w.t.Helper()
	t, err := telemetry.Open(w.t.Context(), telemetry.Options{
		Source: counted{w.store, &w.reads}, Place: "here", Version: "test", Log: slog.New(slog.NewTextHandler(w.log, nil)), Metrics: true, Export: export, Cursor: w.store, Calls: w.calls, Owned: w.owned,
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Telemetry = t
	w.t.Cleanup(w.end)
}

// counted counts how often events are read.
type counted struct {
	*sqlite.Store
	reads *atomic.Int32
}

func (c counted) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	c.reads.Add(1)
	return c.Store.Events(ctx, stream, after, limit)
}

// end closes the telemetry, once.
func (w *world) end() {
	if w.Telemetry != nil {
		w.Close()
		w.Telemetry = nil
	}
}

// happens commits bodies to the run, each a second after the one before, and
// tells telemetry where it runs.
func (w *world) happens(bodies ...core.Body) {
	w.t.Helper()
	commit := store.Commit{Stream: core.RunStream(runID), After: w.head.Seq}
	for _, b := range bodies {
		w.clock = w.clock.Add(time.Second)
		e, head, err := core.Seal(commit.Stream, w.head, w.clock, core.Engine(), "", b)
		if err != nil {
			w.t.Fatal(err)
		}
		w.head, w.run = head, core.FoldBody(w.run, e, b)
		commit.Events = append(commit.Events, e)
	}
	commit.Run = &store.RunRow{ID: runID, Alias: "a", Status: w.run.Status, StartedAt: w.run.StartedAt, UpdatedAt: w.clock, EndedAt: w.run.EndedAt}
	if err := w.store.Commit(w.t.Context(), commit); err != nil {
		w.t.Fatal(err)
	}
	if w.Telemetry != nil {
		w.Saw(w.run, commit.Events)
	}
}

func started() core.Body {
	return core.RunStarted{Run: runID, Alias: "a", Goal: "secret goal hunter2", Playbook: core.Playbook{
		Name: "feature", Kind: "phases", Phases: []core.Phase{{ID: "build"}},
		Agents: map[string]core.Agent{"a": {Use: "claude", Model: "sonnet"}},
		Roles:  map[string]core.Role{"developer": {Name: "developer", Agent: "a"}},
	}}
}

// attempt is a round up to the end of its only attempt.
func attempt() []core.Body {
	return []core.Body{
		core.StageOpened{Stage: "build", Round: 1},
		core.TaskAdmitted{Task: "build.r1", Stage: "build", Round: 1, Role: "developer", Prompt: "do it, hunter2"},
		core.AttemptRequested{Task: "build.r1", Attempt: "build.r1.a1", N: 1},
		core.AttemptStarted{Attempt: "build.r1.a1", Agent: "claude"},
		core.AttemptExited{Attempt: "build.r1.a1", Kind: core.ExitFinished, Summary: "my words hunter2", Duration: 400 * time.Millisecond,
			Traffic:   &core.Traffic{Allowed: 3, Refused: 2, Sent: 70, Received: 900},
			Resources: &core.Consumption{PeakMemory: 100 << 20, PeakProcesses: 7, CPUSeconds: 1.5, Disk: 2 << 20, Breach: "killed at hunter2", Exceeded: "memory"},
			Usage:     core.Usage{CostUSD: 0.25, InputTokens: 1200, OutputTokens: 34, CacheTokens: 5}},
	}
}

// rest brings the run to its end.
func rest() []core.Body {
	return []core.Body{
		core.VerifyRequested{Task: "build.r1", Attempt: "build.r1.a1"},
		core.VerifyConcluded{Task: "build.r1", Attempt: "build.r1.a1", Passed: true, Results: []core.CheckResult{
			{Check: "command: make hunter2", Kind: core.CheckCommand, Passed: true, Elapsed: 300 * time.Millisecond},
			{Check: "changed", Kind: core.CheckChanged, Passed: true, Reused: true}}},
		core.StagePassed{Stage: "build", Round: 1},
		core.RunCompleted{},
	}
}

// receiver is an OTLP receiver that can be told how to answer.
type receiver struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request) // in place of taking it, where set

	mu      sync.Mutex
	batches []*collectorpb.ExportTraceServiceRequest
	headers []http.Header
	came    chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{came: make(chan struct{}, 1024)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.answer != nil {
			r.answer(w, req)
			return
		}
		r.take(t, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(t *testing.T, req *http.Request) {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(req.Body); err != nil {
			t.Error(err)
			return
		}
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
		return
	}
	if strings.Contains(string(raw), "hunter2") {
		t.Error("a secret left")
	}
	batch := &collectorpb.ExportTraceServiceRequest{}
	if err := proto.Unmarshal(raw, batch); err != nil {
		t.Error(err)
		return
	}
	r.mu.Lock()
	r.batches, r.headers = append(r.batches, batch), append(r.headers, req.Header)
	r.mu.Unlock()
	r.came <- struct{}{}
}

// spans are all that were received, in order.
func (r *receiver) spans() []*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	var spans []*tracepb.Span
	for _, b := range r.batches {
		for _, rs := range b.GetResourceSpans() {
			for _, ss := range rs.GetScopeSpans() {
				spans = append(spans, ss.GetSpans()...)
			}
		}
	}
	return spans
}

// await waits until so many spans came.
func (r *receiver) await(t *testing.T, n int) []*tracepb.Span {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	for len(r.spans()) < n {
		select {
		case <-r.came:
		case <-ctx.Done():
			t.Fatalf("%d spans came, not %d: %v", len(r.spans()), n, names(r.spans()))
		}
	}
	return r.spans()
}

func names(spans []*tracepb.Span) []string {
	var all []string
	for _, s := range spans {
		all = append(all, s.GetName())
	}
	return all
}

func (r *receiver) export() *telemetry.Export {
	return &telemetry.Export{URL: r.URL + "/v1/traces", Timeout: 5 * time.Second, Service: "stellwerk", Headers: map[string]string{"X-Key": "k"}}
}

// lines keeps a log.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(b))
	return len(b), nil
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(slices.Collect(func(yield func(string) bool) {
		for _, line := range l.all {
			if strings.Contains(line, part) && !yield(line) {
				return
			}
		}
	}))
}
