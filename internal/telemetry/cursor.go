package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"github.com/google/renameio/v2"
)

// cursor keeps in a file how far the spans of each run were sent, so that the next
// engine continues from there. It is written after sending: if an engine is killed in
// between, the next one sends some spans again, under the same ids. A run whose spans
// were all sent is not in it.
type cursor struct {
	path string

	mu   sync.Mutex
	runs map[string]int64 // event up to which a run was exported
}

// readCursor always returns a cursor, an empty one if there is none to read.
func readCursor(path string) (*cursor, error) {
	c := &cursor{path: path, runs: map[string]int64{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	runs := map[string]int64{}
	if err := json.Unmarshal(raw, &runs); err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	c.runs = runs
	return c, nil
}

// all are the runs whose spans were not all sent.
func (c *cursor) all() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.runs)
}

// begin adds a run, and reports whether it is new.
func (c *cursor) begin(run string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.runs[run]
	if !known {
		c.runs[run] = 0
	}
	return !known
}

// reached notes spans that were sent.
func (c *cursor) reached(spans []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range spans {
		switch {
		case s.last:
			delete(c.runs, s.run)
		case s.whole:
			c.runs[s.run] = s.seq
		}
	}
}

func (c *cursor) save() error {
	raw, err := json.Marshal(c.all())
	if err == nil {
		err = renameio.WriteFile(c.path, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("save how far traces were sent: %w", err)
	}
	return nil
}
