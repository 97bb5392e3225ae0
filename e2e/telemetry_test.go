package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// telemetries are the commands of a scenario that somebody watches.
//
//	scrape FILE ADDRESSFILE            writes what is shown at the address in ADDRESSFILE to FILE, as /metrics
//	otlp start                         a receiver of traces; OTEL_EXPORTER_OTLP_ENDPOINT is where
//	otlp see N NAME                    waits until so many spans of a name came; there must be no more
//	otlp down                          answers nobody any more
func telemetries() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"scrape": plain(scrape), "otlp": plain(otlp)}
}

func scrape(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: scrape FILE ADDRESSFILE")
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	address := strings.TrimSpace(ts.ReadFile(args[1]))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	ts.Check(err)
	answer, err := http.DefaultClient.Do(request)
	ts.Check(err)
	content, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s", answer.Status, content)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o644))
}

// collector is the receiver of a scenario.
type collector struct {
	server *httptest.Server

	mu    sync.Mutex
	names []string
	down  bool
}

// collectorKey is the key of a scenario's receiver.
type collectorKey struct{}

func otlp(ts *testscript.TestScript, args []string) {
	c := ts.Value(collectorKey{}).(*collector)
	switch {
	case len(args) == 1 && args[0] == "start":
		c.server = httptest.NewServer(c)
		ts.Defer(c.server.Close)
		ts.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.server.URL)
	case len(args) == 1 && args[0] == "down":
		c.mu.Lock()
		c.down = true
		c.mu.Unlock()
	case len(args) == 3 && args[0] == "see":
		if !waittest.Until(func() bool { return fmt.Sprint(c.count(args[2])) == args[1] }) {
			ts.Fatalf("%d spans %q came, not %s: %q", c.count(args[2]), args[2], args[1], c.all())
		}
	default:
		ts.Fatalf("usage: otlp start | otlp down | otlp see N NAME")
	}
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var batch collectorpb.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(body, &batch) != nil || r.URL.Path != "/v1/traces" || c.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	for _, rs := range batch.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				c.names = append(c.names, s.GetName())
			}
		}
	}
}

func (c *collector) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.names)
}

func (c *collector) count(name string) int {
	return len(slices.DeleteFunc(c.all(), func(s string) bool { return s != name }))
}
