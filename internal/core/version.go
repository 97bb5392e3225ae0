package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnreadable is in the chain of an error about history that another version
// wrote and this one cannot read. Damaged history is CodeInvalid instead: no
// version reads that.
var ErrUnreadable = errors.New("written by a newer version")

// Form is which versions of a type's body this release knows. Reads is the
// newest it understands; older ones go through upcast. Writes is what it seals.
//
// Engines of neighbouring releases share a store, so a change takes two of them:
// one that reads the new version and still writes the old, and the next, which
// writes it.
type Form struct {
	Reads, Writes int
	// lower takes a body of version Reads back to version Writes; nil if those
	// are the same, or differ by fields that are left out while they are empty.
	lower func(fields)
}

// forms has the types whose body has changed.
var forms = map[Type]Form{
	TypeRunPaused:         {Reads: 2, Writes: 2},
	TypeAllowanceReserved: {Reads: 2, Writes: 2},
	TypeEpicRefused:       {Reads: 2, Writes: 2},
	TypeMergeGranted:      {Reads: 3, Writes: 3},
	TypeRunStarted:        {Reads: 2, Writes: 2},
	TypeAttemptExited:     {Reads: 2, Writes: 2},
	TypeMergeConcluded:    {Reads: 2, Writes: 2},
	TypePlanUpdated:       {Reads: 2, Writes: 2},
	TypeClaimFreed:        {Reads: 2, Writes: 2},
}

// FormOf is which versions of a type's body there are; none of an unknown type.
func FormOf(t Type) Form {
	if f, changed := forms[t]; changed {
		return f
	}
	if _, known := bodies[t]; known {
		return Form{Reads: 1, Writes: 1}
	}
	return Form{}
}

// encode is a body as it is written.
func (f Form) encode(body Body) (json.RawMessage, error) {
	raw, err := json.Marshal(body)
	if err != nil || f.lower == nil {
		return raw, err
	}
	return within(raw, f.lower), nil
}

// Unreadable is what of an event only a newer version understands. It is
// ErrUnreadable.
type Unreadable struct {
	Seq  int64
	What string // after "event 42"
}

func (u *Unreadable) Error() string {
	return fmt.Sprintf("needs a newer version of Stellwerk: event %d %s", u.Seq, u.What)
}

// Is implements errors.Is.
func (u *Unreadable) Is(target error) bool { return target == ErrUnreadable }

// Explain is the error that a person meets.
func (u *Unreadable) Explain() error {
	return Errorf(CodeUnsupported, "%w", u).
		WithHint("start the version of stellwerk that wrote it, or a newer one; it goes on from there")
}

func unreadable(e Event, format string, args ...any) error {
	return (&Unreadable{Seq: e.Seq, What: fmt.Sprintf(format, args...)}).Explain()
}

// Reading names everything that this release reads. Two releases that read
// different things have different names for it.
func Reading() string {
	lines := make([]string, 0, len(bodies))
	for t := range bodies {
		lines = append(lines, fmt.Sprintf("%s %d", t, FormOf(t).Reads))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// misread says why a body could not be read strictly. If it can be read once
// unknown fields are passed over, a newer version wrote it.
func misread(e Event, body any, strict error) error {
	if json.Unmarshal(upcast(e.Type, e.V, e.Body), body) != nil {
		return Errorf(CodeInvalid, "event %s: body of %s: %w", e.ID, e.Type, strict)
	}
	return unreadable(e, "is %s with the %s", e.Type, strings.TrimPrefix(strict.Error(), "json: "))
}

// ReadActor reads who is answerable for an event.
func ReadActor(e Event, raw []byte) (Actor, error) {
	var a Actor
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(&a)
	if err == nil {
		return a, nil
	}
	if json.Unmarshal(raw, &a) != nil {
		return a, Errorf(CodeInvalid, "event %s: actor: %w", e.ID, err)
	}
	return a, unreadable(e, "has an actor with the %s", strings.TrimPrefix(err.Error(), "json: "))
}
