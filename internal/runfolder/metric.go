package runfolder

import (
	"encoding/json"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// metric is a line of metrics.jsonl. Its fields are published: docs/metrics.md.
type metric struct {
	At       time.Time   `json:"at"`
	Run      string      `json:"run"`
	Seq      int64       `json:"seq"`
	Metric   string      `json:"metric"` // attempt, verify, task, stage, wave, publish, merge, validate, refusal, failure, pause, run
	Wave     int         `json:"wave,omitempty"`
	Stage    string      `json:"stage,omitempty"`
	Round    int         `json:"round,omitempty"`
	Task     string      `json:"task,omitempty"`
	Attempt  string      `json:"attempt,omitempty"`
	Role     string      `json:"role,omitempty"`
	Agent    string      `json:"agent,omitempty"`
	Model    string      `json:"model,omitempty"`
	Outcome  string      `json:"outcome"` // OK, NOT_OK, or how it ended otherwise
	Millis   *int64      `json:"duration_ms,omitempty"`
	Usage    *core.Usage `json:"usage,omitempty"`
	NotOK    []string    `json:"reasons,omitempty"`
	Reused   int         `json:"reused,omitempty"` // verdicts that were remembered
	Observed *bool       `json:"observed,omitempty"`
	// Resources is what an attempt took of the machine.
	Resources *core.Consumption `json:"resources,omitempty"`

	// The same values under the names that Planner-Gate uses.
	WaveTime     *int64   `json:"wave_time,omitempty"`     // of a wave that ended, in milliseconds
	AgentLatency *int64   `json:"agent_latency,omitempty"` // of an attempt, in milliseconds
	Why          []string `json:"NOT_OK,omitempty"`        // reasons
}

// named repeats values under the names that Planner-Gate uses.
func (m metric) named() metric {
	if m.Outcome == "NOT_OK" || m.Metric == "attempt" { // what was dropped has reasons, too
		m.Why = m.NotOK
	}
	switch m.Metric {
	case "wave":
		m.WaveTime = m.Millis
	case "attempt":
		m.AgentLatency = m.Millis
	}
	return m
}

// meter derives the lines of metrics.jsonl from the events of a run: what an
// event says itself, and how long what ended by it took. It is a function of the
// events alone, however they were grouped when they were written.
type meter struct {
	tracker *measure.Tracker
	seq     int64 // of the newest event that it has seen
}

// lines are the lines of an event: none if it has no duration, no cost and no
// reason of a failure, or cannot be read.
func (m *meter) lines(e core.Event, read Reader) []byte {
	m.seq = e.Seq
	if !metered(e.Type) {
		return nil
	}
	body, err := read(e)
	if err != nil {
		return nil
	}
	return m.linesOf(e, body)
}

// linesOf is lines for an event whose body is at hand.
func (m *meter) linesOf(e core.Event, body core.Body) []byte {
	ended := m.tracker.NextBody(e, body)
	_, run := core.StreamKind(e.Stream)
	own := metric{At: e.At, Run: run, Seq: e.Seq}
	var lines []byte
	if own.fill(body) {
		if own.Wave == 0 {
			own.Wave = m.tracker.Wave()
		}
		own.place(ended)
		lines = appendLine(lines, own)
	}
	var why []string
	if discarded, ok := body.(core.StageDiscarded); ok {
		why = reasons(discarded.Reason)
	}
	for _, p := range ended {
		if p.Kind == measure.Wave || p.Kind == measure.Stage || p.Kind == measure.Task {
			lines = appendLine(lines, metric{
				At: e.At, Run: run, Seq: e.Seq, Metric: string(p.Kind), Wave: p.Wave, Stage: p.Stage, Round: p.Round, Task: p.Task, Role: p.Role,
				Outcome: p.Outcome, Millis: millis(p.Ended.Sub(p.Began)), NotOK: why,
			})
		}
	}
	return lines
}

// appendLine adds a line. Encoding a metric cannot fail: it holds plain values.
func appendLine(lines []byte, m metric) []byte {
	line, err := json.Marshal(m.named())
	if err != nil {
		return lines
	}
	return append(append(lines, line...), '\n')
}

// place fills in what the event of an attempt, its checks or a run does not say:
// its stage and task, and how long it took.
func (m *metric) place(ended []measure.Piece) {
	for _, p := range ended {
		switch {
		case m.Metric == "attempt" && p.Kind == measure.Attempt:
			m.Wave, m.Stage, m.Round, m.Task, m.Role, m.Agent, m.Model = p.Wave, p.Stage, p.Round, p.Task, p.Role, p.Agent, p.Model
		case m.Metric == "run" && p.Kind == measure.Run:
			m.Millis = millis(p.Ended.Sub(p.Began))
		case p.Kind == measure.Check && m.Stage == "":
			m.Wave, m.Stage, m.Round, m.Task = p.Wave, p.Stage, p.Round, p.Task
		}
	}
}

// measured reports the types that fill knows.
func measured(t core.Type) bool {
	switch t {
	case core.TypeAttemptExited, core.TypeVerifyConcluded, core.TypePublishPrepared, core.TypePublishConcluded,
		core.TypeMergeConcluded, core.TypeValidateConcluded, core.TypeTaskRefused, core.TypeTaskFailed,
		core.TypeWaveOpened, core.TypeBriefRefused, core.TypeCourseRefused, core.TypeBriefEnded,
		core.TypeStageOpened, core.TypeRunPaused, core.TypeRunCompleted, core.TypeRunFailed, core.TypeRunCancelled:
		return true
	default:
		return false
	}
}

func (m *metric) fill(body core.Body) bool {
	switch b := body.(type) {
	case core.AttemptExited:
		m.Metric, m.Attempt, m.Outcome = "attempt", b.Attempt, string(b.Kind)
		used := b.Used()
		m.Millis, m.Usage, m.Observed, m.Resources = millis(b.Duration), &used, &b.Observed, b.Resources
		if b.Kind != core.ExitFinished {
			m.NotOK = reasons(b.Class, b.Message)
		}
	case core.VerifyConcluded:
		m.Metric, m.Task, m.Attempt, m.Outcome, m.Millis = "verify", b.Task, b.Attempt, outcome(b.Passed), millis(b.Duration)
		m.checks(b.Error, b.Results)
	case core.PublishPrepared:
		m.Metric, m.Stage, m.Round, m.Task, m.Outcome = "publish", b.Subject.Stage, b.Subject.Round, b.Task, outcome(b.Passed)
		m.checks(b.Error, b.Results)
	case core.PublishConcluded:
		m.Metric, m.Task, m.Outcome, m.NotOK = "publish", b.Task, outcome(b.OK), reasons(b.Reason)
	case core.MergeConcluded:
		m.Metric, m.Task, m.Outcome = "merge", b.Task, outcome(b.Passed)
		m.checks(b.Error, b.Results)
		for _, file := range b.Conflicts {
			m.NotOK = append(m.NotOK, "conflict: "+file)
		}
	case core.ValidateConcluded:
		m.Metric, m.Task, m.Outcome = "validate", b.Task, outcome(b.Passed)
		m.checks(b.Error, b.Results)
	case core.TaskRefused:
		m.Metric, m.Task, m.Outcome, m.NotOK = "refusal", b.Delegation, "NOT_OK", reasons(b.Code, b.Reason)
	case core.TaskFailed:
		m.Metric, m.Task, m.Outcome, m.NotOK = "failure", b.Task, "NOT_OK", reasons(b.Reason)
	case core.StageOpened:
		m.Metric, m.Stage, m.Round, m.Outcome = "stage", b.Stage, b.Round, "opened"
	case core.RunPaused:
		m.Metric, m.Stage, m.Outcome, m.NotOK = "pause", b.Stage, "NOT_OK", reasons(string(b.Code), b.Reason)
	case core.RunCompleted:
		m.Metric, m.Outcome = "run", "OK"
	case core.RunFailed:
		m.Metric, m.Outcome, m.NotOK = "run", "NOT_OK", reasons(b.Reason)
	case core.RunCancelled:
		m.Metric, m.Outcome, m.NotOK = "run", "cancelled", reasons(b.Reason)
	default:
		return m.fillWave(body)
	}
	return true
}

// fillWave is fill for what only a run in waves has.
func (m *metric) fillWave(body core.Body) bool {
	switch b := body.(type) {
	case core.WaveOpened:
		m.Metric, m.Wave, m.Outcome = "wave", b.Wave, "opened"
	case core.BriefRefused:
		m.Metric, m.Task, m.Outcome, m.NotOK = "refusal", b.ID, "NOT_OK", reasons(b.Code, b.Reason)
	case core.CourseRefused:
		m.Metric, m.Outcome, m.NotOK = "refusal", "NOT_OK", reasons(append([]string{string(b.Course)}, b.Reasons...)...)
	case core.BriefEnded:
		m.Metric, m.Task, m.Outcome, m.NotOK = "failure", b.Delegation, "NOT_OK", reasons(b.Reason)
		if b.Status == core.DelegationDropped {
			m.Outcome = measure.Dropped
		}
	default:
		return false
	}
	return true
}

func (m *metric) checks(trouble string, results []core.CheckResult) {
	m.NotOK = reasons(trouble)
	for _, r := range results {
		if !r.Passed {
			m.NotOK = append(m.NotOK, r.Check)
		}
		if r.Reused {
			m.Reused++
		}
	}
}

func outcome(ok bool) string {
	if ok {
		return "OK"
	}
	return "NOT_OK"
}

func millis(d time.Duration) *int64 {
	ms := d.Milliseconds()
	return &ms
}

func reasons(all ...string) (given []string) {
	for _, r := range all {
		if r != "" {
			given = append(given, r)
		}
	}
	return given
}
