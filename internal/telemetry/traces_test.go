package telemetry_test

import (
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// attributes are a span's, as text and numbers.
func attributes(s *tracepb.Span) map[string]any {
	all := map[string]any{}
	for _, kv := range s.GetAttributes() {
		switch {
		case kv.GetValue().GetStringValue() != "":
			all[kv.GetKey()] = kv.GetValue().GetStringValue()
		case kv.GetValue().GetDoubleValue() != 0:
			all[kv.GetKey()] = kv.GetValue().GetDoubleValue()
		case kv.GetValue().GetBoolValue():
			all[kv.GetKey()] = true
		default:
			all[kv.GetKey()] = kv.GetValue().GetIntValue()
		}
	}
	return all
}

func TestARunIsATrace(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.open(r.export())
	w.happens(append(append([]core.Body{started()}, attempt()...), rest()...)...)
	spans := r.await(t, 6)
	want := []string{"invoke_agent developer", "check command", "check changed", "task build.r1", "stage build", "invoke_workflow feature"}
	if diff := cmp.Diff(want, names(spans)); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	parent := map[string]string{}
	for _, s := range spans {
		if got := hex.EncodeToString(s.GetTraceId()); got != strings.ReplaceAll(runID, "-", "") {
			t.Errorf("%s is of the trace %s", s.GetName(), got)
		}
		for _, p := range spans {
			if string(p.GetSpanId()) == string(s.GetParentSpanId()) {
				parent[s.GetName()] = p.GetName()
			}
		}
	}
	if diff := cmp.Diff(map[string]string{
		"check command": "invoke_agent developer", "check changed": "invoke_agent developer",
		"invoke_agent developer": "task build.r1", "task build.r1": "stage build", "stage build": "invoke_workflow feature",
	}, parent); diff != "" {
		t.Errorf("what is part of what (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "anthropic", "gen_ai.agent.name": "developer",
		"gen_ai.request.model": "sonnet", "gen_ai.usage.input_tokens": int64(1200), "gen_ai.usage.output_tokens": int64(34),
		"stellwerk.usage.cache_tokens": int64(5), "stellwerk.usage.cost_usd": 0.25, "stellwerk.agent": "claude",
		"stellwerk.run.id": runID, "stellwerk.stage": "build", "stellwerk.round": int64(1), "stellwerk.task": "build.r1",
		"stellwerk.attempt": "build.r1.a1", "stellwerk.outcome": "finished",
	}, attributes(spans[0])); diff != "" {
		t.Errorf("an attempt (-want +got)\n%s", diff)
	}
	if took := time.Duration(spans[0].GetEndTimeUnixNano() - spans[0].GetStartTimeUnixNano()); took != 400*time.Millisecond {
		t.Errorf("the attempt took %s", took)
	}
	if at := time.Unix(0, int64(spans[0].GetStartTimeUnixNano())); !at.Equal(time.Unix(1_700_000_005, 0)) {
		t.Errorf("the attempt began at %s", at)
	}
	if spans[5].GetParentSpanId() != nil || spans[5].GetStatus().GetCode() != tracepb.Status_STATUS_CODE_OK {
		t.Errorf("the root: %v", spans[5])
	}
	if got := r.headers[0].Get("X-Key") + r.headers[0].Get("Content-Type"); got != "kapplication/x-protobuf" {
		t.Errorf("headers: %v", r.headers[0])
	}
}

// A second engine goes on where the first was ended, in the same trace, and sends
// nothing again that was taken.
func TestAnotherEngineContinuesTheTrace(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.happens(started()) // before anybody was told
	w.open(r.export())
	w.happens(attempt()...)
	w.end()
	if diff := cmp.Diff([]string{"invoke_agent developer"}, names(r.spans())); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	x := r.export()
	x.Gzip = true
	w.open(x)
	w.happens(rest()[:2]...)
	w.end()
	w.open(x)
	w.happens(rest()[2:]...)
	w.end()
	spans := r.spans()
	want := []string{"invoke_agent developer", "check command", "check changed", "task build.r1", "stage build", "invoke_workflow feature"}
	if diff := cmp.Diff(want, names(spans)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if string(spans[1].GetParentSpanId()) != string(spans[0].GetSpanId()) {
		t.Error("the second engine's check is not part of the first one's attempt")
	}
	if kept, err := w.store.Documents(t.Context(), "trace", "", "", 0); err != nil || len(kept) > 0 {
		t.Errorf("a run that was told to its end is kept: %+v, %v", kept, err)
	}
	// What happens to a run after its end is told to nobody.
	w.open(x)
	w.happens(core.RunSwept{})
	w.end()
	if len(r.spans()) != 6 {
		t.Errorf("told again: %v", names(r.spans()[6:]))
	}
}

// What was lost with its engine is sent by the next, under the same ids.
func TestWhatWasNotSentIsSentByTheNext(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	down := r.export()
	down.URL = "http://" + unused(t) + "/v1/traces"
	w.open(down)
	w.happens(append(append([]core.Body{started()}, attempt()...), rest()...)...)
	w.end()
	w.open(r.export())
	r.await(t, 6)
	first := r.spans()
	w.end()
	// An engine that was killed before it kept how far it came sends again.
	v, s := newWorld(t), newReceiver(t)
	v.happens(append(append([]core.Body{started()}, attempt()...), rest()[:2]...)...)
	v.open(s.export())
	for i, again := range s.await(t, 4) {
		if string(again.GetSpanId()) != string(first[i].GetSpanId()) {
			t.Errorf("%s has another id", again.GetName())
		}
	}
}

// unused is an address at which nobody listens.
func unused(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// A receiver that hangs holds nobody up: neither who tells, nor the end. It hangs
// until both are done.
func TestASlowReceiver(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	asked, hang := make(chan struct{}, 16), make(chan struct{})
	r.answer = func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-hang }
	defer close(hang)
	w.open(r.export())
	w.happens(append([]core.Body{started()}, attempt()...)...)
	<-asked
	for round := 2; round < 1000; round++ {
		w.Saw(w.run, []core.Event{{Stream: core.RunStream(runID), Seq: w.head.Seq, Type: core.TypeStageOpened}})
	}
	ended := make(chan struct{})
	go func() { w.end(); close(ended) }()
	select {
	case <-ended:
	case <-waittest.Over():
		t.Error("the end waits for the receiver")
	}
}

// A receiver that is busy is asked again; one that refuses is not, and that is
// said once and counted.
func TestARefusal(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	var calls atomic.Int32
	r.answer = func(rw http.ResponseWriter, req *http.Request) {
		switch calls.Add(1) {
		case 1:
			rw.WriteHeader(http.StatusServiceUnavailable)
		case 2, 3:
			http.Error(rw, "no", http.StatusBadRequest)
		default:
			r.take(t, req)
		}
	}
	w.open(r.export())
	w.happens(append([]core.Body{started()}, attempt()...)...)
	until(t, func() bool { return calls.Load() == 2 })
	w.happens(rest()[:2]...)
	until(t, func() bool { return calls.Load() == 3 })
	w.happens(rest()[2:]...)
	r.await(t, 2)
	if got := w.scrape().value(t, "stellwerk_trace_spans_total", "outcome", "dropped"); got != 4 {
		t.Errorf("%v spans are counted as dropped", got)
	}
	until(t, func() bool { return w.scrape().value(t, "stellwerk_trace_spans_total", "outcome", "sent") == 2 })
	if n := w.log.count("does not accept traces"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

// until polls a condition that nothing signals.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	if !waittest.Until(holds) {
		t.Fatal("it never came to that")
	}
}

func TestFromEnvironment(t *testing.T) {
	read := func(vars map[string]string) (*telemetry.Export, error) {
		return telemetry.FromEnvironment(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	}
	for _, none := range []map[string]string{
		{}, {"OTEL_SERVICE_NAME": "x"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318", "OTEL_SDK_DISABLED": "true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318", "OTEL_TRACES_EXPORTER": "none"},
	} {
		if x, err := read(none); x != nil || err != nil {
			t.Errorf("%v: %v, %v", none, x, err)
		}
	}
	got, err := read(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318/", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x=y", "OTEL_EXPORTER_OTLP_TIMEOUT": "250",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&telemetry.Export{
		URL: "http://h:4318/v1/traces", Headers: map[string]string{"api-key": "a b", "x": "y"}, Timeout: 250 * time.Millisecond,
		Gzip: true, Service: "stellwerk", Resource: map[string]string{"deployment.environment.name": "test"},
	}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if x, err := read(map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://h/t", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://other"}); err != nil || x.URL != "https://h/t" {
		t.Errorf("%v, %v", x, err)
	}
	for _, bad := range []map[string]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "h:4317"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_HEADERS": "hunter2"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_HEADERS": "a b=c"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_HEADERS": "a(b=c"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_HEADERS": "a=hunter2%0d%0ab: c"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
	} {
		if x, err := read(bad); x != nil || err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: %v, %v", bad, x, err)
		}
	}
}

// A run may be read to its end before anybody says that it ended.
func TestARunThatWasReadAhead(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.open(r.export())
	told := w.Telemetry
	w.Telemetry = nil
	w.happens(append(append([]core.Body{started()}, attempt()...), rest()...)...)
	w.Telemetry = told
	active := &core.Run{ID: runID, Status: core.StatusActive}
	told.Saw(active, []core.Event{{Seq: 1, Type: core.TypeRunStarted}})
	r.await(t, 6)
	told.Saw(w.run, []core.Event{{Seq: w.head.Seq, Type: core.TypeRunCompleted}})
	w.end()
	if len(r.spans()) != 6 {
		t.Errorf("told again: %v", names(r.spans()[6:]))
	}
}

// A receiver that says nonsense of what it took makes no wrong figures.
func TestAReceiverThatSaysNonsense(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	r.answer = func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write([]byte{0x0a, 5, 0x08, 0xff, 0xff, 0xff, 0x7f}) // 268 million spans rejected
	}
	w.open(r.export())
	w.happens(append([]core.Body{started()}, attempt()...)...)
	until(t, func() bool { return w.scrape().value(t, "stellwerk_trace_spans_total", "outcome", "dropped") > 0 })
	if got := w.scrape().value(t, "stellwerk_trace_spans_total", "outcome", "dropped"); got != 1 {
		t.Errorf("%v spans are counted as dropped", got)
	}
}
