package core

import (
	"errors"
	"slices"
)

// Heard is a call of a tool that was carried out. Whoever lost the answer calls
// again by the same name, and is told what became of it.
type Heard struct {
	Tool    Tool   `json:"tool"`
	Call    string `json:"call"`
	Event   string `json:"event"`
	Subject string `json:"subject,omitempty"` // delegation or question
}

// Bounds of the names of calls. The newest are known: a call is repeated at once
// or not at all.
const (
	MaxCall   = 64
	keptCalls = 64
)

// Heard finds a call that was carried out; nil if there is none of that name.
func (r *Run) Heard(tool Tool, call string) *Heard {
	return find(r.Calls, func(h *Heard) bool { return h.Call == call && h.Tool == tool })
}

// hear notes a call that is carried out.
func hear(r *Run, e Event, tool Tool, call, subject string) {
	if call == "" {
		return
	}
	r.Calls = append(r.Calls, Heard{Tool: tool, Call: call, Event: e.ID, Subject: subject})
	if n := len(r.Calls) - keptCalls; n > 0 {
		r.Calls = slices.Delete(r.Calls, 0, n)
	}
}

// ErrHeard is why a call is refused that was carried out before: nobody decided against it, and whoever repeats it is told what
// came of it.
var ErrHeard = errors.New("heard before")

// lawCall: a call is carried out once, however often it arrives.
func lawCall(r *Run, tool Tool, call string) error {
	switch {
	case len(call) > MaxCall:
		return Errorf(CodeInvalid, "the name of the call has %d bytes, at most %d are possible", len(call), MaxCall)
	case r.Heard(tool, call) != nil:
		return Errorf(CodeConflict, "this call was carried out before").Because(ErrHeard)
	}
	return nil
}
