// Package snapshot is the small file in which the engine tells the hooks of one
// interactive session what they need for a decision on a tool call: who is who,
// and what is offered. It is derived and may be written anew at any time. A
// session without a folder owns no run, nor does one whose file says so; a
// folder without a readable file is a fault, and hooks that guard refuse. It
// must stay cheap to import: the program that reads it starts with every tool
// call.
package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// Proto is the version of the file.
const Proto = 1

// Snapshot is what the hooks of one session go by. It is no api.Run: it names
// agents and folders that no client may see, and must be read within a tool call
// without asking an engine.
type Snapshot struct {
	Proto   int    `json:"proto"`
	Session string `json:"session"`
	// Over means that the session owns no run any more; all else is empty then.
	Over  bool   `json:"over,omitempty"`
	Run   string `json:"run,omitempty"`
	Alias string `json:"alias,omitempty"`
	// Root is the person's checkout, Branch the run's branch.
	Root   string `json:"root,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Shell begins the command that runs a line of shell for the session itself,
	// isolated: the folder it starts in and the line follow. It is empty if
	// nothing can be isolated; the session then runs nothing.
	Shell  []string `json:"shell,omitempty"`
	Offers []Offer  `json:"offers,omitempty"`
	// Agents are those that have an attempt, by the id that the session's program gave them.
	Agents map[string]Agent `json:"agents,omitempty"`
}

// Offer is an agent that the session may start now.
type Offer struct {
	Type   string `json:"type"`
	Prompt string `json:"prompt"` // what it is to be told, whole
	Model  string `json:"model,omitempty"`
}

// Agent is an agent at work on an attempt.
type Agent struct {
	Attempt  string   `json:"attempt"`
	Dir      string   `json:"dir"`      // its workspace
	Readable []string `json:"readable"` // besides Dir
	Writable []string `json:"writable"` // besides Dir
	// Shell begins the command that runs a line of shell as the attempt: the line is its last argument.
	Shell []string `json:"shell"`
	// Tools is its role's list of tools; empty if the role has none.
	Tools []string `json:"tools,omitempty"`
}

// ErrNone means that the session owns no run.
var ErrNone = errors.New("the session owns no run")

// ErrOver means that the session owned a run and owns none any more. It is an
// ErrNone.
var ErrOver = fmt.Errorf("%w any more", ErrNone)

// ErrDamaged means that a session owns a run and its snapshot cannot be read.
var ErrDamaged = errors.New("the session's snapshot cannot be read")

const file = "snapshot.json"

// Read reads a session's snapshot. The error is ErrNone, ErrOver or ErrDamaged, or says
// that the name is none.
func Read(state, session string) (Snapshot, error) {
	dir, err := Dir(state, session)
	if err != nil {
		return Snapshot{}, err
	}
	data, err := os.ReadFile(filepath.Join(dir, file))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
			return Snapshot{}, ErrNone
		}
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return parse(data, session)
}

func parse(data []byte, session string) (Snapshot, error) {
	var s Snapshot
	if err := strictjson.Unmarshal(data, &s); err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	switch {
	case s.Proto != Proto:
		return Snapshot{}, fmt.Errorf("%w: it is of version %d, and this program reads version %d", ErrDamaged, s.Proto, Proto)
	case s.Session != session:
		return Snapshot{}, fmt.Errorf("%w: it is that of session %.80q", ErrDamaged, s.Session)
	case s.Over:
		return Snapshot{}, ErrOver
	}
	return s, nil
}
