package telemetry

import (
	"cmp"
	"crypto/sha256"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// The operations of the GenAI conventions that a run consists of.
const (
	opInvokeAgent    = "invoke_agent"
	opInvokeWorkflow = "invoke_workflow"
)

// span is a piece of work as OpenTelemetry knows it, with the event that it comes
// from.
type span struct {
	run   string
	seq   int64
	whole bool // nothing else ended by the same event after it
	last  bool // of its run

	trace, id, parent []byte
	name              string
	began, ended      uint64 // nanoseconds of Unix
	status            int
	attributes        []attribute
}

// The codes of a span's status.
const (
	statusUnset = iota
	statusOK
	statusError
)

// traceID is the trace of a run: its id, so that a person who has one finds the
// other. It is the same for every engine.
func traceID(run string) []byte {
	if id, err := uuid.Parse(run); err == nil && id != uuid.Nil {
		return id[:]
	}
	sum := sha256.Sum256([]byte("run " + run))
	return sum[:16]
}

// spanID is derived from the id of a piece, which is that of an event: an engine that
// sends it again uses the same id.
func spanID(id string) []byte {
	if id == "" {
		return nil
	}
	sum := sha256.Sum256([]byte("span " + id))
	return sum[:8]
}

// newSpan makes a span of a piece. It contains only names, classes and figures.
func newSpan(p measure.Piece, redact func(string) string) span {
	a := attributes{redact: redact}
	s := span{
		run: p.Run, seq: p.Seq, last: p.Kind == measure.Run,
		trace: traceID(p.Run), id: spanID(p.ID), parent: spanID(p.Parent),
		began: nanos(p.Began), ended: nanos(p.Ended), status: status(p),
	}
	a.add("stellwerk.run.id", p.Run)
	a.text("stellwerk.outcome", p.Outcome)
	a.number("stellwerk.wave", int64(p.Wave))
	a.text("stellwerk.stage", p.Stage)
	a.number("stellwerk.round", int64(p.Round))
	switch p.Kind {
	case measure.Run:
		s.name = opInvokeWorkflow + " " + name(redact, p.Playbook)
		a.text("gen_ai.operation.name", opInvokeWorkflow)
		a.text("gen_ai.workflow.name", p.Playbook)
		a.text("stellwerk.playbook.kind", p.Drive)
	case measure.Wave:
		s.name = "wave " + strconv.Itoa(p.Wave)
	case measure.Stage:
		s.name = "stage " + name(redact, p.Stage)
	case measure.Task:
		s.name = "task " + name(redact, p.Task)
		a.text("stellwerk.task", p.Task)
		a.text("stellwerk.task.kind", p.Work)
		a.text("stellwerk.role", p.Role)
	case measure.Attempt:
		s.name = opInvokeAgent + " " + name(redact, p.Role)
		a.attempt(p)
	case measure.Check:
		s.name = "check " + string(p.Check)
		a.text("stellwerk.task", p.Task)
		a.text("stellwerk.check.kind", string(p.Check))
		if p.Reused {
			a.add("stellwerk.check.reused", true)
		}
	}
	if s.status == statusError {
		a.text("error.type", cmp.Or(p.Class, p.Outcome))
	}
	s.attributes = a.list
	return s
}

func nanos(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }

// status is an error for what went wrong, and unset for what was cut off.
func status(p measure.Piece) int {
	switch p.Outcome {
	case measure.OK, string(core.ExitFinished):
		return statusOK
	case measure.NotOK, measure.Failed, string(core.ExitFailed), string(core.ExitTimeout), string(core.ExitLost), string(core.ExitNoStart):
		return statusError
	}
	return statusUnset
}

// provider is the provider of an agent's model if it is known, and otherwise the
// agent's own name.
func provider(agent string) string {
	if agent == "claude" {
		return "anthropic"
	}
	return agent
}

// attributes are those of a span. What is not known is left out.
type attributes struct {
	redact func(string) string
	list   []attribute
}

func (a *attributes) attempt(p measure.Piece) {
	a.text("gen_ai.operation.name", opInvokeAgent)
	a.text("gen_ai.provider.name", provider(p.Agent))
	a.text("gen_ai.agent.name", p.Role)
	a.text("gen_ai.request.model", p.Model)
	a.number("gen_ai.usage.input_tokens", p.Usage.InputTokens)
	a.number("gen_ai.usage.output_tokens", p.Usage.OutputTokens)
	a.text("stellwerk.agent", p.Agent)
	a.text("stellwerk.task", p.Task)
	a.text("stellwerk.attempt", p.Attempt)
	a.number("stellwerk.usage.cache_tokens", p.Usage.CacheTokens)
	if p.Usage.CostUSD > 0 {
		a.add("stellwerk.usage.cost_usd", p.Usage.CostUSD)
	}
}

func (a *attributes) text(key, value string) {
	if value != "" {
		a.add(key, name(a.redact, value))
	}
}

func (a *attributes) number(key string, n int64) {
	if n > 0 {
		a.add(key, n)
	}
}

func (a *attributes) add(key string, value any) { a.list = append(a.list, attribute{key, value}) }
