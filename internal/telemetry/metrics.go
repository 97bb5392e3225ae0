package telemetry

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// metrics counts what happens while an engine runs. Its counters begin at zero
// with every engine, as Prometheus expects.
type metrics struct {
	registry *registry
	asked    *Calls // of store and objects; nil if nobody counts
	present  *present

	started, ended, pauses     *family
	refusals                   *family
	attempts, checks, cost     *family
	cache, wakes, calls, spans *family
	connections, bytes         *family
	breaches                   *family

	runTime, waveTime                *family
	stageTime, taskTime              *family
	attemptTime, checkTime, callTime *family
	tokens                           *family
	memory, disk                     *family
	processor, processes             *family

	drives, agents, classes, models, kinds, codes, forges, limits *values
}

func newMetrics(opts Options) *metrics {
	// The buckets of durations, in seconds. Those of tokens are what the GenAI
	// conventions recommend.
	var (
		quick  = []float64{0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 1800}
		work   = []float64{1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400}
		lasts  = []float64{1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 43200, 86400, 259200, 604800}
		sizes  = []float64{1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30, 4 << 30, 16 << 30, 64 << 30}
		counts = []float64{4, 16, 64, 256, 1024, 4096}
		tokens = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	)
	r := &registry{}
	counter := func(name, help string, labels ...string) *family { return r.add("counter", name, help, nil, labels...) }
	histogram := func(name, help string, buckets []float64, labels ...string) *family {
		return r.add("histogram", name, help, buckets, labels...)
	}
	r.add("gauge", "stellwerk_build_info", "The version that runs.", nil, "version").set(1, name(nil, opts.Version))
	m := &metrics{
		registry:    r,
		asked:       opts.Calls,
		started:     counter("stellwerk_runs_started_total", "Runs that were started.", "kind"),
		ended:       counter("stellwerk_runs_ended_total", "Runs that ended.", "kind", "outcome"),
		pauses:      counter("stellwerk_pauses_total", "Times that a run paused, by why.", "code"),
		refusals:    counter("stellwerk_refusals_total", "Delegations that the gate refused, by why.", "code"),
		attempts:    counter("stellwerk_attempts_total", "Attempts that ended.", "agent", "outcome", "class"),
		checks:      counter("stellwerk_checks_total", "Checks that ended.", "check", "outcome", "reused"),
		cost:        counter("stellwerk_cost_usd_total", "What attempts cost, in US dollars, as far as agents say.", "agent", "model"),
		cache:       counter("stellwerk_cache_tokens_total", "Tokens read from and written to a model's cache.", "agent", "model"),
		connections: counter("stellwerk_connections_total", "Connections that attempts asked for, besides those to the model.", "agent", "outcome"),
		bytes:       counter("stellwerk_network_bytes_total", "Bytes that attempts sent and received, besides those of the model.", "agent", "direction"),
		breaches:    counter("stellwerk_resource_breaches_total", "Attempts that ran into a limit of the machine's resources, by which.", "agent", "resource"),
		memory:      histogram("stellwerk_attempt_peak_memory_bytes", "The most memory that an attempt had.", sizes, "agent"),
		processes:   histogram("stellwerk_attempt_peak_processes", "The most processes and threads that an attempt had.", counts, "agent"),
		processor:   histogram("stellwerk_attempt_processor_seconds", "Processor time of an attempt.", work, "agent"),
		disk:        histogram("stellwerk_attempt_disk_bytes", "What an attempt wrote and left on disk.", sizes, "agent"),
		wakes:       counter("stellwerk_wakes_total", "Streams that were looked at.", "reason"),
		calls:       counter("stellwerk_forge_calls_total", "Calls to forges.", "forge", "operation", "outcome"),
		spans:       counter("stellwerk_trace_spans_total", "Spans that were sent or given up.", "outcome"),
		runTime:     histogram("stellwerk_run_duration_seconds", "From a run's start to its end.", lasts, "kind", "outcome"),
		waveTime:    histogram("stellwerk_wave_duration_seconds", "From a wave's first delegation to its closing.", lasts, "outcome"),
		stageTime:   histogram("stellwerk_stage_duration_seconds", "Of one round of a stage.", lasts, "kind", "outcome"),
		taskTime:    histogram("stellwerk_task_duration_seconds", "From a task's admission to its end.", lasts, "kind", "outcome"),
		attemptTime: histogram("stellwerk_attempt_duration_seconds", "Of an agent's process.", work, "agent", "outcome"),
		checkTime:   histogram("stellwerk_check_duration_seconds", "Of a check that was run.", quick, "check", "outcome"),
		callTime:    histogram("stellwerk_forge_call_duration_seconds", "Of a call to a forge.", quick, "forge", "operation"),
		tokens: histogram("gen_ai_client_token_usage", "Number of input and output tokens used.", tokens,
			"gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model", "gen_ai_token_type"),
		drives: newValues(8, opts.Redact), agents: newValues(16, opts.Redact), classes: newValues(32, opts.Redact),
		models: newValues(32, opts.Redact), kinds: newValues(32, opts.Redact), codes: newValues(32, opts.Redact), forges: newValues(8, opts.Redact), limits: newValues(4, opts.Redact),
	}
	for _, outcome := range []string{spanSent, spanDropped} {
		m.spans.add(0, outcome)
	}
	return m
}

// handler serves the text format, whatever is asked for: it is what every
// Prometheus reads.
func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page bytes.Buffer
		m.registry.write(&page)
		if m.asked != nil {
			m.asked.registry.write(&page)
		}
		now := registry{}
		m.present.look(r.Context(), &now)
		now.write(&page)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(page.Bytes()) // whoever left does not want it
	})
}

// take counts an event and what ended by it. It is a sink.
func (m *metrics) take(_ context.Context, e core.Event, ended []measure.Piece) bool {
	switch e.Type {
	case core.TypeRunStarted, core.TypeRunPaused, core.TypeTaskRefused, core.TypeBriefRefused:
		m.event(e)
	default: // counted by what ends
	}
	for _, p := range ended {
		m.piece(p)
	}
	return true
}

// event counts what an event says by itself. One that cannot be read was
// reported by the follower.
func (m *metrics) event(e core.Event) {
	body, err := core.Decode(e)
	if err != nil {
		return
	}
	switch b := body.(type) {
	case core.RunStarted:
		m.started.add(1, m.drives.of(b.Playbook.Kind))
	case core.RunPaused:
		m.pauses.add(1, m.codes.of(string(b.Code)))
	case core.TaskRefused:
		m.refusals.add(1, m.codes.of(b.Code))
	case core.BriefRefused:
		m.refusals.add(1, m.codes.of(b.Code))
	default:
	}
}

func (m *metrics) piece(p measure.Piece) {
	took := p.Ended.Sub(p.Began).Seconds()
	drive := m.drives.of(p.Drive)
	switch p.Kind {
	case measure.Run:
		m.ended.add(1, drive, p.Outcome)
		m.runTime.observe(took, drive, p.Outcome)
	case measure.Wave:
		m.waveTime.observe(took, p.Outcome)
	case measure.Stage:
		m.stageTime.observe(took, drive, p.Outcome)
	case measure.Task:
		m.taskTime.observe(took, drive, p.Outcome)
	case measure.Attempt:
		m.attempt(p)
	case measure.Check:
		kind := m.kinds.of(string(p.Check))
		m.checks.add(1, kind, p.Outcome, strconv.FormatBool(p.Reused))
		if !p.Reused {
			m.checkTime.observe(p.Took.Seconds(), kind, p.Outcome)
		}
	}
}

func (m *metrics) attempt(p measure.Piece) {
	agent, model := m.agents.of(p.Agent), m.models.of(p.Model)
	m.attempts.add(1, agent, p.Outcome, m.classes.of(p.Class))
	if p.Agent != "" { // it was started
		m.attemptTime.observe(p.Ended.Sub(p.Began).Seconds(), agent, p.Outcome)
	}
	if p.Usage.CostUSD > 0 {
		m.cost.add(p.Usage.CostUSD, agent, model)
	}
	if p.Usage.CacheTokens > 0 {
		m.cache.add(float64(p.Usage.CacheTokens), agent, model)
	}
	for outcome, n := range map[string]int{"allowed": p.Traffic.Allowed, "refused": p.Traffic.Refused} {
		if n > 0 {
			m.connections.add(float64(n), agent, outcome)
		}
	}
	for direction, n := range map[string]int64{"sent": p.Traffic.Sent, "received": p.Traffic.Received} {
		if n > 0 {
			m.bytes.add(float64(n), agent, direction)
		}
	}
	m.machine(agent, p.Machine)
	for kind, n := range map[string]int64{"input": p.Usage.InputTokens, "output": p.Usage.OutputTokens} {
		if n > 0 {
			m.tokens.observe(float64(n), opInvokeAgent, m.agents.of(provider(p.Agent)), model, kind)
		}
	}
}

// machine counts what an attempt took of the machine.
func (m *metrics) machine(agent string, took *core.Consumption) {
	if took == nil {
		return
	}
	m.memory.observe(float64(took.PeakMemory), agent)
	m.processes.observe(float64(took.PeakProcesses), agent)
	m.processor.observe(took.CPUSeconds, agent)
	m.disk.observe(float64(took.Disk), agent)
	if took.Breach != "" {
		m.breaches.add(1, agent, m.limits.of(took.Exceeded))
	}
}

func (m *metrics) called(forge, operation string, took time.Duration, err error) {
	outcome := measure.OK
	if err != nil {
		outcome = measure.NotOK
	}
	m.calls.add(1, m.forges.of(forge), operation, outcome)
	m.callTime.observe(took.Seconds(), m.forges.of(forge), operation)
}
