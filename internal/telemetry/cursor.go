package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// kindTrace is the kind of the documents of a cursor: one for each run, known by its
// id.
const kindTrace = "trace"

// cursor keeps in documents how far the spans of each run were sent, so that the next
// engine continues from there. It is written after sending: if an engine is killed in
// between, the next one sends some spans again, under the same ids. A run whose spans
// were all sent is not in it.
type cursor struct {
	docs store.Documents

	mu    sync.Mutex
	runs  map[string]int64 // event up to which a run was exported
	dirty map[string]bool  // runs that are not saved as they are

	saving sync.Mutex
}

// readCursor always returns a cursor, an empty one if there is none to read.
func readCursor(ctx context.Context, docs store.Documents) (*cursor, error) {
	c := &cursor{docs: docs, runs: map[string]int64{}, dirty: map[string]bool{}}
	list, err := document.List[int64](ctx, docs, kindTrace, "")
	for _, k := range list {
		c.runs[k.Key] = k.Value
	}
	return c, err
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
		c.runs[run], c.dirty[run] = 0, true
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
			c.dirty[s.run] = true
		case s.whole:
			c.runs[s.run], c.dirty[s.run] = s.seq, true
		}
	}
}

// save writes what has changed. What cannot be written is tried again with the next.
func (c *cursor) save(ctx context.Context) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock()
	runs, dirty := maps.Clone(c.runs), c.dirty
	c.dirty = map[string]bool{}
	c.mu.Unlock()
	var errs []error
	for run := range dirty {
		var err error
		if seq, open := runs[run]; open {
			err = c.advance(ctx, run, seq)
		} else {
			err = document.Drop(ctx, c.docs, kindTrace, run)
		}
		if err != nil {
			c.mu.Lock()
			c.dirty[run] = true
			c.mu.Unlock()
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("save how far traces were sent: %w", errors.Join(errs...))
	}
	return nil
}

// advance moves a run forward, unless another engine has got further with it.
func (c *cursor) advance(ctx context.Context, run string, seq int64) error {
	return document.Change(ctx, c.docs, kindTrace, run, func(at *int64) error {
		if *at > seq {
			return document.ErrKeep
		}
		*at = seq
		return nil
	})
}

// Old turns traces.json, in which versions before documents kept the cursor, into the
// documents that replace it.
func Old(data []byte) ([]store.Document, error) {
	runs := map[string]int64{}
	if err := json.Unmarshal(data, &runs); err != nil {
		return nil, err
	}
	var all []store.Document
	for run, seq := range runs {
		d, err := document.Make(kindTrace, run, 0, seq)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}
