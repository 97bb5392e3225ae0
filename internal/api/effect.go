package api

import (
	"encoding/json"
	"time"
)

// EffectQuery narrows down what agents did.
type EffectQuery struct {
	Attempt string `query:"attempt" doc:"Only those of this attempt"`
	Tool    string `query:"tool" doc:"Only calls of this tool"`
	Outcome string `query:"outcome" doc:"Only those that ended so"`
	Limit   int    `query:"limit" minimum:"0" maximum:"10000" doc:"At most so many, the newest"` // as many as an answer holds where 0
}

// The outcomes of a call of a tool.
const (
	EffectOK         = "ok"
	EffectError      = "error"      // carried out, and failed
	EffectDenied     = "denied"     // withheld by the agent's program, a hook or the role's list
	EffectRefused    = "refused"    // one of Stellwerk's own tools, refused by the engine
	EffectUnknown    = "unknown"    // no result was seen
	EffectRunning    = "running"    // no result was seen yet
	EffectUnobserved = "unobserved" // stands for all calls of an attempt whose agent does not report them
)

// EffectOutcomes lists them.
func EffectOutcomes() []string {
	return []string{EffectOK, EffectError, EffectDenied, EffectRefused, EffectUnknown, EffectRunning, EffectUnobserved}
}

// Effect is a call of a tool, as far as it could be seen.
type Effect struct {
	Attempt string          `json:"attempt"`
	Role    string          `json:"role,omitempty"`
	Agent   string          `json:"agent,omitempty"`
	N       int64           `json:"n,omitempty"`   // in the attempt's transcript
	Seq     int64           `json:"seq,omitempty"` // of the event that keeps a call of Stellwerk's own tools
	At      time.Time       `json:"at,omitzero"`
	Tool    string          `json:"tool,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"` // redacted and shortened
	Outcome string          `json:"outcome"`
	Reason  string          `json:"reason,omitempty"`
}

// Effects is what agents did, the newest last.
type Effects struct {
	Effects []Effect `json:"effects"`
	LeftOut int      `json:"left_out"` // older ones beyond the limit
	Total   int      `json:"total"`    // records of the run, whatever was asked for
}
