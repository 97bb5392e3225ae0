package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// snapshotFormat changes when the encoding of core.Run does.
const snapshotFormat = 10

// readBatch is how many events are read at once when a state is rebuilt.
const readBatch = 1024

// streams holds the folded state of the streams in use.
type streams struct {
	mu     sync.Mutex
	byName map[string]*stream
}

// stream is one stream's state. Its mutex makes steps of a stream follow one
// another; a failed commit drops the state, and the next step reads it anew.
type stream struct {
	mu       sync.Mutex
	name     string
	run      *core.Run
	head     core.Head
	loaded   bool
	snapshot int64 // sequence number of the newest snapshot
	has      holdings
}

func (s *streams) get(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.byName[name]
	if !ok {
		st = &stream{name: name}
		s.byName[name] = st
	}
	return st
}

// forget drops a stream that is over, so that memory follows what is open.
func (s *streams) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byName, name)
}

func (s *stream) drop() { s.run, s.head, s.loaded, s.has = nil, core.Head{}, false, holdings{} }

// load brings a stream's state up to date: from its snapshot and the events
// after it.
func (e *Engine) load(ctx context.Context, s *stream) error {
	if s.loaded {
		return nil
	}
	snap, err := e.store.Snapshot(ctx, s.name)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return fmt.Errorf("load %s: %w", s.name, err)
	case snap.Format == snapshotFormat:
		var run core.Run
		if err := json.Unmarshal(snap.State, &run); err != nil {
			return fmt.Errorf("load %s: snapshot: %w", s.name, err)
		}
		s.run, s.head, s.snapshot = &run, snap.Head, snap.Head.Seq
	}
	for {
		events, err := e.store.Events(ctx, s.name, s.head.Seq, readBatch)
		if err != nil {
			s.drop()
			return fmt.Errorf("load %s: %w", s.name, err)
		}
		if len(events) == 0 {
			break
		}
		if err := s.replay(events); err != nil {
			s.drop()
			return err
		}
	}
	if s.run != nil {
		s.run.Stream = s.head
		s.has = e.holdings(s.run)
	}
	s.loaded = true
	return nil
}

func (s *stream) replay(events []core.Event) error {
	for _, ev := range events {
		run, err := core.Fold(s.run, ev)
		if err != nil {
			return err
		}
		hash, err := ev.Hash()
		if err != nil {
			return err
		}
		s.run, s.head = run, core.Head{Seq: ev.Seq, Hash: hash, At: ev.At}
	}
	return nil
}
