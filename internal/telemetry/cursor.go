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

// cursor keeps how far the spans of each run were sent, in a file, so that the
// next engine goes on from there. It is written after sending: an engine that is
// killed between the two leaves its successor to send some spans again, under the
// ids they had. A run that was told to its end is not in it.
type cursor struct {
	path string

	mu   sync.Mutex
	runs map[string]int64 // event up to which a run was told
}

// readCursor always returns a cursor: an empty one where there is none to read.
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

// all are the runs that are not told to their end.
func (c *cursor) all() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.runs)
}

// begin notes a run that is to be told, and reports one that was not known.
func (c *cursor) begin(run string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.runs[run]
	if !known {
		c.runs[run] = 0
	}
	return !known
}

// reached notes spans that were told.
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
		return fmt.Errorf("keep how far traces were sent: %w", err)
	}
	return nil
}
