package shim

import (
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Reason says why an attempt ended.
type Reason string

// The reasons.
const (
	ReasonExited      Reason = "exited"
	ReasonTimeout     Reason = "timeout"
	ReasonCancelled   Reason = "cancelled"
	ReasonStartFailed Reason = "start-failed"
	// ReasonLimit means that the attempt took too much of the machine.
	ReasonLimit Reason = "limit"
	// ReasonLost is written by Salvage for an attempt whose shim died.
	ReasonLost Reason = "lost"
)

// Exit is how an attempt ended, established from outside the agent; only Outcome is the agent's own word.
type Exit struct {
	Proto   int    `json:"proto"`
	Attempt string `json:"attempt"`
	Reason  Reason `json:"reason"`
	// Detail tells a person what went wrong around the agent; the attempt can be complete in spite of it.
	Detail string `json:"detail,omitempty"`
	// Hopeless means that every further start fails in the same way: a program is missing or may not be started.
	Hopeless bool `json:"hopeless,omitempty"`
	// ExitCode is -1 if no process ended, and 128 plus the signal's number if a signal ended it.
	ExitCode int           `json:"exit_code"`
	Signal   string        `json:"signal,omitempty"`
	Outcome  agent.Outcome `json:"outcome"`

	HandIn  *HandIn   `json:"hand_in,omitempty"`
	Outputs []Output  `json:"outputs,omitempty"`
	Refused []Refusal `json:"refused,omitempty"`

	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at"`
	// OutputBytes is what the agent wrote to its two streams, OutputDropped how much of it was not kept.
	OutputBytes   int64        `json:"output_bytes"`
	OutputDropped int64        `json:"output_dropped,omitempty"`
	Isolation     sandbox.Kind `json:"isolation"`
	// Traffic is what the attempt's processes connected to; nil if nobody looked, because the network was open.
	Traffic *agent.Traffic `json:"traffic,omitempty"`
	// Killed counts processes that were left when the agent ended. Those in a sandbox die with it, uncounted.
	Killed int `json:"killed,omitempty"`
	// Resources is what the agent took of the machine; nil if nothing bounded it.
	Resources *Consumption `json:"resources,omitempty"`
}

// ReadExit returns the Exit of folder; the error is os.ErrNotExist while there is none.
func ReadExit(folder string) (Exit, error) {
	var exit Exit
	path := filepath.Join(folder, exitFile)
	if err := readJSON(path, "how the attempt ended", &exit); err != nil {
		return exit, err
	}
	return exit, checkProto(path, exit.Proto)
}

const (
	fullDiskTries = 60
	fullDiskPause = time.Second
)

// writeExit is the last write of an attempt. It waits for space on a full disk for a while, because a whole attempt is at
// stake.
func writeExit(folder string, exit Exit) error {
	var err error
	for range fullDiskTries {
		err = writeJSON(filepath.Join(folder, exitFile), exit)
		if !noSpace(err) {
			return err
		}
		time.Sleep(fullDiskPause)
	}
	return err
}

// maxSaid bounds each text of an exit: an agent may end with a line of megabytes, and an exit must fit into one message.
const maxSaid = 4 << 10

// redact takes secrets out of the texts of an exit, and then cuts each to maxSaid.
func (e *Exit) redact(r Redactor) {
	clean := func(text string) string { return plain.ClipBytes(r.Redact(text), maxSaid) }
	e.Detail = clean(e.Detail)
	e.Outcome.Message = clean(e.Outcome.Message)
	e.Outcome.Summary = clean(e.Outcome.Summary)
	e.Outcome.SessionID = clean(e.Outcome.SessionID)
	if e.Traffic != nil {
		for i, host := range e.Traffic.Hosts {
			e.Traffic.Hosts[i].Host, e.Traffic.Hosts[i].Cause = clean(host.Host), clean(host.Cause)
		}
	}
	if e.HandIn != nil {
		e.HandIn.Error, e.HandIn.Gone = clean(e.HandIn.Error), clean(e.HandIn.Gone)
		for i, note := range e.HandIn.Notes {
			e.HandIn.Notes[i] = clean(note)
		}
	}
}

// WriteStartFailed says of an attempt that it could not even be laid out.
func WriteStartFailed(folder string, cause error) error {
	now := time.Now().UTC()
	return writeExit(folder, Exit{
		Proto: Proto, Reason: ReasonStartFailed, ExitCode: -1, Detail: cause.Error(), StartedAt: now, EndedAt: now,
	})
}
