package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Answer is what a hook tells Claude Code. The zero value has no opinion.
type Answer struct {
	Message  string    `json:"systemMessage,omitempty"`    // shown to the person
	Sequence string    `json:"terminalSequence,omitempty"` // that the client sends to the person's terminal
	Specific *Specific `json:"hookSpecificOutput,omitempty"`

	rule string // of the guard, for the journal
}

// Specific is the part of an answer that depends on the event.
type Specific struct {
	Event      string         `json:"hookEventName"`
	Permission string         `json:"permissionDecision,omitempty"`
	Why        string         `json:"permissionDecisionReason,omitempty"`
	Updated    map[string]raw `json:"updatedInput,omitempty"` // replaces the tool's whole input
	Context    string         `json:"additionalContext,omitempty"`
}

// The permissions.
const (
	allow = "allow"
	deny  = "deny"
)

// Silent leaves everything to the client.
func Silent() Answer { return Answer{} }

// GoOn keeps a session from ending its turn, and tells it what to do. A decision to
// block would do the same, but the client would show it twice, and as an error.
func GoOn(text string) Answer { return Context(EventStop, text) }

// Going is what a session is told that may not end its turn; empty if it may.
func (a Answer) Going() string {
	if a.Specific == nil || a.Specific.Event != EventStop {
		return ""
	}
	return a.Specific.Context
}

// Tell shows a person a message.
func Tell(message string) Answer { return Answer{Message: message} }

// Ring adds a sound to an answer: once for something that is waiting for the person,
// twice for a run that is over.
func (a Answer) Ring(over bool) Answer {
	a.Sequence = "\a"
	if over {
		a.Sequence = "\a\a"
	}
	return a
}

// Context adds to what the model knows.
func Context(event, text string) Answer {
	if text == "" {
		return Answer{}
	}
	return Answer{Specific: &Specific{Event: event, Context: text}}
}

func denied(format string, args ...any) Answer {
	return Answer{Specific: &Specific{Event: EventPreToolUse, Permission: deny, Why: "Stellwerk: " + fmt.Sprintf(format, args...)}}
}

func allowed(updated map[string]raw) Answer {
	return Answer{Specific: &Specific{Event: EventPreToolUse, Permission: allow, Updated: updated}}
}

// rewritten changes a call and lets the client ask the person about it.
func rewritten(updated map[string]raw) Answer {
	return Answer{Specific: &Specific{Event: EventPreToolUse, Updated: updated}}
}

// Did is the answer in a word.
func (a Answer) Did() string {
	switch {
	case a.Going() != "":
		return "go on"
	case a.Specific != nil && a.Specific.Permission != "":
		return a.Specific.Permission
	case a.Specific != nil && a.Specific.Updated != nil:
		return "rewrite"
	case a.Specific != nil:
		return "context"
	case a.Message != "":
		return "message"
	}
	return "nothing"
}

// Write prints the answer as one JSON object. After an error the client may have read
// anything: the program must then end with an error.
func (a Answer) Write(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if err := heard(w); err != nil {
		return err
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// heard fails if nobody can read an answer. A program that is started with its
// standard output closed finds the null device there instead: writing succeeds, and
// the answer is lost.
func heard(w io.Writer) error {
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	out, err := file.Stat()
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(out, null) {
		return errors.New("nobody reads the answer: standard output is closed")
	}
	return nil
}
