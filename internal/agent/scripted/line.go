package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// line is what the player prints: a record and, with the last one, why the play
// failed. The embedded record's fields appear on the same level.
type line struct {
	agent.Record
	Class   agent.Class `json:"class,omitempty"`
	RetryAt *time.Time  `json:"retry_at,omitempty"`
}

// print writes the line in one piece, so that output of a child process cannot
// come between its parts.
func (l *line) print(w io.Writer) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encoding a record: %w", err)
	}
	if _, err := w.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	return nil
}

type reader struct {
	result *line
	usage  agent.Usage
	turns  int
}

// Line reads one record; anything else the processes of a play print is kept
// raw.
func (r *reader) Line(data []byte) []agent.Record {
	var l line
	if err := strictjson.Unmarshal(data, &l); err != nil || l.Kind == "" {
		return []agent.Record{{Kind: agent.KindRaw, Text: strings.ToValidUTF8(string(data), "\uFFFD")}}
	}
	switch {
	case l.Kind == agent.KindToolCall:
		r.turns++
	case l.Kind == agent.KindUsage && l.Usage != nil:
		r.usage = *l.Usage
	case l.Kind == agent.KindResult:
		r.result = &l
	}
	return []agent.Record{l.Record}
}

// Close reports what the play claimed.
func (r *reader) Close(exitCode int) agent.Outcome {
	outcome := agent.Outcome{Turns: r.turns, Usage: r.usage, CostUSD: r.usage.CostUSD, Observed: true}
	if r.result != nil {
		outcome.Summary = r.result.Text
	}
	switch {
	case r.result != nil && r.result.Error:
		outcome.Class, outcome.Message, outcome.RetryAt = r.result.Class, r.result.Text, r.result.RetryAt
		if outcome.Class == "" {
			outcome.Class = agent.ClassCrashed
		}
	case exitCode > 128:
		outcome.Class = agent.ClassCrashed
		outcome.Message = fmt.Sprintf("the scripted agent was ended by signal %d", exitCode-128)
	case exitCode != 0:
		outcome.Class = agent.ClassCrashed
		outcome.Message = fmt.Sprintf("the scripted agent ended with exit code %d", exitCode)
	case r.result == nil:
		outcome.Class = agent.ClassProtocol
		outcome.Message = "the scripted agent ended without a result"
	default:
		outcome.OK = true
	}
	return outcome
}
