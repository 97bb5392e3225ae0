package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// maxJournal is the size at which a journal is put aside; one older one is kept.
const maxJournal = 1 << 20

const (
	journalFile = "hooks.jsonl"
	olderFile   = "hooks.1.jsonl"
)

// Entry is a line of a session's journal. It holds nothing that was typed, run or
// written, so there is no secret to remove.
type Entry struct {
	At      time.Time `json:"at"`
	Session string    `json:"-"`
	Event   string    `json:"event"`
	Agent   string    `json:"agent,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Turn    string    `json:"turn,omitempty"` // what the engine said
	Did     string    `json:"did,omitempty"`
	Rule    string    `json:"rule,omitempty"` // that a refused call breaks
	Millis  int64     `json:"ms"`
	Error   string    `json:"error,omitempty"`
}

// Note writes the entry to its session's journal. It ignores one without a session.
func (e Entry) Note(state string, began, now time.Time) error {
	if e.Session == "" {
		return nil
	}
	dir, err := snapshot.Dir(state, e.Session)
	if err != nil {
		return err
	}
	e.At, e.Millis = began.UTC(), now.Sub(began).Milliseconds()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the journal's entry: %w", err)
	}
	path := filepath.Join(dir, journalFile)
	if info, err := os.Lstat(path); err == nil && info.Size() > maxJournal {
		if err := os.Rename(path, filepath.Join(dir, olderFile)); err != nil {
			return fmt.Errorf("put the journal aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	_, err = f.Write(append(line, '\n')) // one write: lines of hooks that run at once do not mix
	return errors.Join(err, f.Close())
}
