package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
)

// figures are what a scrape gave.
type figures struct {
	families map[string]*dto.MetricFamily
	text     string
}

func (w *world) scrape() figures {
	w.t.Helper()
	answer := httptest.NewRecorder()
	w.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := answer.Body.String()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		w.t.Fatalf("%v\n%s", err, text)
	}
	return figures{families, text}
}

// value is the value, or the number of observations, of the metric with the given
// labels; -1 where there is none.
func (f figures) value(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range f.families[name].GetMetric() {
		if !has(m, labels) {
			continue
		}
		switch {
		case m.GetHistogram() != nil:
			return float64(m.GetHistogram().GetSampleCount())
		case m.GetGauge() != nil:
			return m.GetGauge().GetValue()
		}
		return m.GetCounter().GetValue()
	}
	return -1
}

func has(m *dto.Metric, labels []string) bool {
	found := map[string]string{}
	for _, l := range m.GetLabel() {
		found[l.GetName()] = l.GetValue()
	}
	for i := 0; i < len(labels); i += 2 {
		if found[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

// TestSlotsInUseAreThisMachines: those of other machines on the same store are theirs to show.
func TestSlotsInUseAreThisMachines(t *testing.T) {
	w := newWorld(t)
	w.open(nil)
	for holder, pool := range map[string]string{
		"one": core.AttemptSlots("here"), "two": core.AttemptSlots("here"), "three": core.AttemptSlots("elsewhere"),
		"four": core.ManagerSlots("here"), "five": core.ManagerSlots("elsewhere"), "six": core.ManagerSlots("elsewhere"),
	} {
		slots := core.Slots{Holder: holder, Project: "p", Pools: []core.SlotPool{{Key: pool, Limit: 2}}}
		if err := w.store.Commit(t.Context(), store.Commit{Stream: core.RunStream(holder), Of: "p", Take: []core.Slots{slots}}); err != nil {
			t.Fatal(err)
		}
	}
	for holder, pool := range map[string]string{"seven": core.AttemptSlots("here"), "eight": core.ManagerSlots("elsewhere")} {
		slots := core.Slots{Holder: holder, Project: "p", Pools: []core.SlotPool{{Key: pool, Limit: 2}}}
		if err := w.store.Commit(t.Context(), store.Commit{Stream: core.RunStream(holder), Of: "p", Queue: []core.Slots{slots}}); err != nil {
			t.Fatal(err)
		}
	}
	for pool, want := range map[string][2]float64{"attempts": {2, 1}, "managers": {1, 0}} {
		got := w.scrape()
		held, waiting := got.value(t, "stellwerk_slots_in_use", "pool", pool), got.value(t, "stellwerk_slots_waiting", "pool", pool)
		if held != want[0] || waiting != want[1] {
			t.Errorf("%s: %v in use and %v waiting, want %v", pool, held, waiting, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	w := newWorld(t)
	w.open(nil)
	w.happens(append([]core.Body{started()}, attempt()...)...)
	w.happens(core.QuestionAsked{ID: "q1", Text: "which one, hunter2?"}, core.RunPaused{Code: core.PauseQuestion, Reason: "hunter2"})
	until(t, func() bool { return w.scrape().value(t, "stellwerk_pauses_total", "code", "question") == 1 })
	if got := w.scrape().value(t, "stellwerk_runs", "status", "paused"); got != 1 {
		t.Errorf("%v paused runs", got)
	}
	w.happens(core.RunResumed{})
	w.happens(rest()...)
	w.Woken(true)
	w.Woken(false)
	w.Called("gitea", "look", time.Second, fmt.Errorf("refused hunter2"))
	until(t, func() bool {
		return w.scrape().value(t, "stellwerk_runs_ended_total", "kind", "phases", "outcome", "OK") == 1
	})
	got := w.scrape()
	for _, want := range []struct {
		value  float64
		name   string
		labels []string
	}{
		{1, "stellwerk_runs_started_total", []string{"kind", "phases"}},
		{0, "stellwerk_runs", []string{"status", "active"}},
		{0, "stellwerk_slots_in_use", []string{"pool", "attempts"}},
		{0, "stellwerk_slots_waiting", []string{"pool", "attempts"}},
		{1, "stellwerk_stage_duration_seconds", []string{"kind", "phases", "outcome", "OK"}},
		{1, "stellwerk_task_duration_seconds", []string{"outcome", "OK"}},
		{1, "stellwerk_run_duration_seconds", []string{"outcome", "OK"}},
		{1, "stellwerk_attempts_total", []string{"agent", "claude", "outcome", "finished", "class", "none"}},
		{1, "stellwerk_attempt_duration_seconds", []string{"agent", "claude"}},
		{0.25, "stellwerk_cost_usd_total", []string{"agent", "claude", "model", "sonnet"}},
		{5, "stellwerk_cache_tokens_total", []string{"agent", "claude"}},
		{3, "stellwerk_connections_total", []string{"agent", "claude", "outcome", "allowed"}},
		{2, "stellwerk_connections_total", []string{"agent", "claude", "outcome", "refused"}},
		{70, "stellwerk_network_bytes_total", []string{"agent", "claude", "direction", "sent"}},
		{900, "stellwerk_network_bytes_total", []string{"agent", "claude", "direction", "received"}},
		{1, "stellwerk_resource_breaches_total", []string{"agent", "claude", "resource", "memory"}},
		{1, "stellwerk_attempt_peak_memory_bytes", []string{"agent", "claude"}},
		{1, "stellwerk_attempt_peak_processes", []string{"agent", "claude"}},
		{1, "stellwerk_attempt_processor_seconds", []string{"agent", "claude"}},
		{1, "stellwerk_attempt_disk_bytes", []string{"agent", "claude"}},
		{1, "gen_ai_client_token_usage", []string{"gen_ai_operation_name", "invoke_agent", "gen_ai_provider_name", "anthropic", "gen_ai_request_model", "sonnet", "gen_ai_token_type", "input"}},
		{1, "gen_ai_client_token_usage", []string{"gen_ai_token_type", "output"}},
		{1, "stellwerk_checks_total", []string{"check", "command", "outcome", "OK", "reused", "false"}},
		{1, "stellwerk_checks_total", []string{"check", "changed", "outcome", "OK", "reused", "true"}},
		{1, "stellwerk_check_duration_seconds", []string{"check", "command"}},
		{-1, "stellwerk_check_duration_seconds", []string{"check", "changed"}}, // it was not run
		{1, "stellwerk_wakes_total", []string{"reason", "due"}},
		{1, "stellwerk_wakes_total", []string{"reason", "event"}},
		{1, "stellwerk_forge_calls_total", []string{"forge", "gitea", "operation", "look", "outcome", "NOT_OK"}},
		{1, "stellwerk_build_info", []string{"version", "test"}},
	} {
		if v := got.value(t, want.name, want.labels...); v != want.value {
			t.Errorf("%s%v is %v, not %v", want.name, want.labels, v, want.value)
		}
	}
	for _, bucket := range []string{`{agent="claude",le="6.7108864e+07"} 0`, `{agent="claude",le="2.68435456e+08"} 1`} {
		if want := "stellwerk_attempt_peak_memory_bytes_bucket" + bucket; !strings.Contains(got.text, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, never := range []string{runID, "hunter2", "build.r1", "secret goal", "developer"} {
		if strings.Contains(got.text, never) {
			t.Errorf("%q is among the figures", never)
		}
	}
}

// What happened before an engine began is not counted by it, but what it ends is
// measured from its beginning.
func TestCountersBeginWithTheEngine(t *testing.T) {
	w := newWorld(t)
	w.happens(append([]core.Body{started()}, attempt()...)...)
	w.open(nil)
	w.happens(rest()[:3]...)
	until(t, func() bool { return w.scrape().value(t, "stellwerk_stage_duration_seconds") == 1 })
	got := w.scrape()
	if got.value(t, "stellwerk_runs_started_total") != -1 || got.value(t, "stellwerk_attempts_total") != -1 {
		t.Errorf("what was before is counted:\n%s", got.text)
	}
	if sum := got.families["stellwerk_stage_duration_seconds"].GetMetric()[0].GetHistogram().GetSampleSum(); sum != 7 {
		t.Errorf("the round took %v s", sum)
	}
}

// TestARunThatRestsIsNotRead, also if an engine that took it over tells of its events again. Once it moves on, all of it is read, and only
// what is new is counted.
func TestARunThatRestsIsNotRead(t *testing.T) {
	w := newWorld(t)
	w.happens(append([]core.Body{started()}, attempt()...)...)
	w.open(nil)
	tell := func() {
		t.Helper()
		events, err := w.store.Events(t.Context(), core.RunStream(runID), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.Saw(w.run, events)
	}
	tell()
	hears := w.Telemetry
	w.Telemetry = nil
	w.happens(rest()[:3]...)
	w.Telemetry = hears
	tell()
	until(t, func() bool { return w.scrape().value(t, "stellwerk_stage_duration_seconds") == 1 })
	if got := w.scrape(); got.value(t, "stellwerk_runs_started_total") != -1 {
		t.Errorf("what was before is counted:\n%s", got.text)
	}
	w.end()
	if reads := w.reads.Load(); reads > 2 { // the second finds nothing more
		t.Errorf("events were read %d times", reads)
	}
}

// However many names there are, there are only so many labels.
func TestLabelsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.open(nil)
	w.happens(started(), core.StageOpened{Stage: "build", Round: 1})
	for i := range 200 {
		id := fmt.Sprintf("t%d", i)
		w.happens(
			core.TaskAdmitted{Task: id, Stage: "build", Round: 1}, core.AttemptRequested{Task: id, Attempt: id + ".a1", N: 1},
			core.AttemptStarted{Attempt: id + ".a1", Agent: "agent " + id + strings.Repeat("x", 200)},
			core.AttemptExited{Attempt: id + ".a1", Kind: core.ExitFailed, Class: "class " + id},
		)
	}
	w.happens(core.RunFailed{Reason: "enough"})
	until(t, func() bool { return w.scrape().value(t, "stellwerk_runs_ended_total") == 1 })
	got := w.scrape()
	if n := len(got.families["stellwerk_attempts_total"].GetMetric()); n > 16*3+34 {
		t.Errorf("%d series of attempts", n)
	}
	if got.value(t, "stellwerk_attempts_total", "agent", "other", "class", "other") < 100 {
		t.Error("the others are not counted")
	}
	if strings.Contains(got.text, strings.Repeat("x", 100)) {
		t.Error("a label is long")
	}
}

// broken is a store that cannot say who was asked.
type broken struct{ telemetry.Source }

func (broken) Questions(context.Context) ([]store.MessageRow, error) {
	return nil, errors.New("the disk is gone")
}

// What the store cannot say is missing, and the rest is there.
func TestAStoreThatCannotSay(t *testing.T) {
	w := newWorld(t)
	var err error
	w.Telemetry, err = telemetry.Open(t.Context(), telemetry.Options{Source: broken{w.store}, Version: "test", Log: slog.New(slog.DiscardHandler), Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.end()
	got := w.scrape()
	if got.value(t, "stellwerk_questions_open") != -1 || got.value(t, "stellwerk_runs", "status", "active") != 0 {
		t.Errorf("got\n%s", got.text)
	}
}
