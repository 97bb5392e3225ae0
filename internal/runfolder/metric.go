package runfolder

import (
	"encoding/json"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// metric is a line of metrics.jsonl.
type metric struct {
	At       time.Time   `json:"at"`
	Run      string      `json:"run"`
	Seq      int64       `json:"seq"`
	Metric   string      `json:"metric"` // attempt, verify, stage, publish, pause, run
	Stage    string      `json:"stage,omitempty"`
	Round    int         `json:"round,omitempty"`
	Attempt  string      `json:"attempt,omitempty"`
	Outcome  string      `json:"outcome"` // OK, NOT_OK, or how an attempt ended
	Millis   *int64      `json:"duration_ms,omitempty"`
	Usage    *core.Usage `json:"usage,omitempty"`
	NotOK    []string    `json:"reasons,omitempty"`
	Reused   int         `json:"reused,omitempty"` // verdicts that were remembered
	Observed *bool       `json:"observed,omitempty"`
}

// Metrics is the line of metrics.jsonl for an event that carries a duration, a
// cost or the reason of a failure; ok is false for other events. It is a pure
// function of the event. How long a stage took is the difference of its lines'
// times.
func Metrics(e core.Event) (line []byte, ok bool) {
	if !measured(e.Type) {
		return nil, false
	}
	body, err := core.Decode(e)
	if err != nil {
		return nil, false
	}
	_, run := core.StreamKind(e.Stream)
	m := metric{At: e.At, Run: run, Seq: e.Seq}
	if !m.fill(body) {
		return nil, false
	}
	line, err = json.Marshal(m)
	return line, err == nil
}

// measured reports the types that fill knows, so that no other body is read.
func measured(t core.Type) bool {
	switch t {
	case core.TypeAttemptExited, core.TypeVerifyConcluded, core.TypePublishPrepared, core.TypePublishConcluded,
		core.TypeStageOpened, core.TypeStagePassed, core.TypeRunPaused, core.TypeRunCompleted, core.TypeRunFailed, core.TypeRunCancelled:
		return true
	default:
		return false
	}
}

func (m *metric) fill(body core.Body) bool {
	switch b := body.(type) {
	case core.AttemptExited:
		m.Metric, m.Attempt, m.Outcome = "attempt", b.Attempt, string(b.Kind)
		m.Millis, m.Usage, m.Observed = millis(b.Duration), &b.Usage, &b.Observed
		if b.Kind != core.ExitFinished {
			m.NotOK = reasons(b.Class, b.Message)
		}
	case core.VerifyConcluded:
		m.Metric, m.Attempt, m.Outcome, m.Millis = "verify", b.Attempt, outcome(b.Passed), millis(b.Duration)
		m.NotOK = reasons(b.Error)
		m.checks(b.Results)
	case core.PublishPrepared:
		m.Metric, m.Stage, m.Round, m.Outcome = "publish", b.Subject.Stage, b.Subject.Round, outcome(b.Passed)
		m.NotOK = reasons(b.Error)
		m.checks(b.Results)
	case core.PublishConcluded:
		m.Metric, m.Outcome, m.NotOK = "publish", outcome(b.OK), reasons(b.Reason)
	case core.StageOpened:
		m.Metric, m.Stage, m.Round, m.Outcome = "stage", b.Stage, b.Round, "opened"
	case core.StagePassed:
		m.Metric, m.Stage, m.Round, m.Outcome = "stage", b.Stage, b.Round, "OK"
	case core.RunPaused:
		m.Metric, m.Stage, m.Outcome, m.NotOK = "pause", b.Stage, "NOT_OK", reasons(string(b.Code), b.Reason)
	case core.RunCompleted:
		m.Metric, m.Outcome = "run", "OK"
	case core.RunFailed:
		m.Metric, m.Outcome, m.NotOK = "run", "NOT_OK", reasons(b.Reason)
	case core.RunCancelled:
		m.Metric, m.Outcome, m.NotOK = "run", "cancelled", reasons(b.Reason)
	default:
		return false
	}
	return true
}

func (m *metric) checks(results []core.CheckResult) {
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
