package audit

import (
	"encoding/json"
	"time"
)

// ExportFormat is that of the lines of an export. It stays the same when fields are added.
const ExportFormat = 1

// The kinds of lines, in the order in which they come.
const (
	RecordExport     = "export"     // once: what is exported
	RecordCheckpoint = "checkpoint" // by their numbers
	RecordEvent      = "event"      // stream by stream, each in its order
	RecordUnreadable = "unreadable" // instead of the rest of a stream
	RecordEnd        = "end"        // once: an export without it was cut short
)

// Record is a line of an export.
type Record struct {
	Record string `json:"record"`

	// Of the export.
	Format  int        `json:"format,omitempty"`
	At      *time.Time `json:"exported_at,omitempty"`
	Partial bool       `json:"partial,omitempty"` // something was left out, so it cannot be verified
	Total   int64      `json:"total,omitempty"`   // events that follow

	// Of a checkpoint.
	Number int64 `json:"number,omitempty"`
	*Checkpoint

	// Of an event, or of the rest of a stream that could not be read.
	Stream  string `json:"stream,omitempty"`
	Project string `json:"project,omitempty"` // id
	Run     string `json:"run,omitempty"`     // id
	Alias   string `json:"alias,omitempty"`   // of the run
	Reason  string `json:"reason,omitempty"`  // why it could not be read

	// Hash is the SHA-256 of the bytes of the event as they are written here, of an erased one of what it was, or of a
	// checkpoint's statement.
	Hash  string          `json:"hash,omitempty"`
	Event json.RawMessage `json:"event,omitempty"`

	// Of the end.
	Checkpoints *int64 `json:"checkpoints,omitempty"`
	Events      *int64 `json:"events,omitempty"`
}
