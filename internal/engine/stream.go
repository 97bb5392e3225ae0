package engine

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// runEncoding changes when the encoding of core.Run does.
const runEncoding = 11

// snapshotFormat differs between releases that encode a run differently or read
// different events: a snapshot stands for all events before it, and an engine that
// could not read one of them must not decide on what another made of it.
var snapshotFormat = func() int {
	return runEncoding<<32 | int(crc32.ChecksumIEEE([]byte(core.Reading())))
}()

// readBatch is how many events are read at once when a state is rebuilt.
const readBatch = 1024

// streams holds the folded state of the streams in use.
type streams struct {
	mu     sync.Mutex
	byName map[string]*stream
	used   list.List // of those with a state, or about to have one: *stream, the one that was used last first
	most   int       // of them
}

// stream is one stream's state. Its mutex makes steps of a stream follow one
// another; a failed commit drops the state, and the next step reads it anew.
type stream struct {
	mu       lock
	name     string
	run      *core.Run
	head     core.Head
	loaded   bool
	unread   error // why this version will never read it
	snapshot int64 // sequence number of the newest snapshot
	has      holdings
	ours     bool          // this engine has moved it on, and has not heard of that yet
	used     *list.Element // guarded by the lock of streams
}

// get is the stream of a name. If that makes too many, the state that was not used for longest goes from memory, unless it is in use.
func (s *streams) get(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.byName[name]
	if !ok {
		st = &stream{name: name}
		s.byName[name] = st
	}
	if st.used == nil {
		st.used = s.used.PushFront(st)
	} else {
		s.used.MoveToFront(st.used)
	}
	if s.used.Len() > s.most {
		s.evict(s.used.Back().Value.(*stream))
	}
	return st
}

// evict drops a stream's state, which the next step reads anew. The stream stays: somebody may be about to use it.
func (s *streams) evict(st *stream) {
	if !st.mu.TryLock() {
		s.used.MoveToFront(st.used)
		return
	}
	defer st.mu.Unlock()
	st.drop()
	s.used.Remove(st.used)
	st.used = nil
}

// remove forgets a stream.
func (s *streams) remove(st *stream) {
	delete(s.byName, st.name)
	if st.used != nil {
		s.used.Remove(st.used)
		st.used = nil
	}
}

// leave drops a stream in memory that others have moved on, unless it is in use or kept. What this
// engine has moved on itself is kept until others do.
func (s *streams) leave(name string, kept func(project string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.byName[name]
	if !ok || !st.mu.TryLock() {
		return
	}
	defer st.mu.Unlock()
	if st.ours {
		st.ours = false
		return
	}
	if st.run != nil && !kept(st.run.Project) {
		s.remove(st)
	}
}

// forget drops a stream that is over, so that memory follows what is open.
func (s *streams) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, ok := s.byName[name]; ok {
		s.remove(st)
	}
}

func (s *stream) drop() { s.run, s.head, s.loaded, s.has = nil, core.Head{}, false, holdings{} }

// load reads a stream's state, unless it is in memory: from its snapshot and the events
// after it. A step that follows from a state which another engine has left behind is
// refused by the store.
func (e *Engine) load(ctx context.Context, s *stream) error {
	if s.loaded {
		return nil
	}
	return e.refresh(ctx, s)
}

// refresh brings a stream's state up to date with what any engine has committed.
func (e *Engine) refresh(ctx context.Context, s *stream) error {
	return e.bringUp(ctx, s, e.store.Events)
}

// reader reads the events of a stream after a sequence number.
type reader func(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)

func (e *Engine) bringUp(ctx context.Context, s *stream, events reader) error {
	if s.unread != nil {
		return s.unread
	}
	err := e.read(ctx, s, events)
	if err != nil {
		s.drop()
	}
	if errors.Is(err, core.ErrErased) {
		_, run := core.StreamKind(s.name)
		return core.RunErased(run)
	}
	if errors.Is(err, core.ErrUnreadable) {
		s.unread = err
		e.unread(ctx, s.name, err)
	}
	return err
}

// catchOn is refresh, and reports that the stream has moved on since it was read.
func (e *Engine) catchOn(ctx context.Context, s *stream) (moved bool, err error) {
	before := s.head.Seq
	err = e.refresh(ctx, s)
	return s.head.Seq != before, err
}

func (e *Engine) read(ctx context.Context, s *stream, after reader) error {
	if !s.loaded {
		if err := e.restore(ctx, s); err != nil {
			return err
		}
	}
	for {
		events, err := after(ctx, s.name, s.head.Seq, readBatch)
		if errors.Is(err, core.ErrUnreadable) {
			return err
		}
		if err != nil {
			return fmt.Errorf("load %s: %w", s.name, err)
		}
		if len(events) > 0 {
			if s.loaded && s.run != nil {
				s.run = s.run.Clone() // the journal may have kept it
			}
			if err := s.replay(events); err != nil {
				return err
			}
			s.loaded = false
		}
		if len(events) < readBatch {
			break
		}
	}
	if s.run != nil && !s.loaded {
		if _, known := e.deciders[s.run.Playbook.Kind]; !known {
			why := core.Unreadable{Seq: 1, What: fmt.Sprintf("names the unknown kind of playbook %.80q", s.run.Playbook.Kind)}
			return why.Explain()
		}
		s.run.Stream = s.head
		s.run.Playbook = e.playbooks.share(s.run.Playbook)
		s.has = e.holdings(s.run)
	}
	s.loaded = true
	return nil
}

// restore begins with a stream's snapshot.
func (e *Engine) restore(ctx context.Context, s *stream) error {
	snap, err := e.store.Snapshot(ctx, s.name)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return fmt.Errorf("load %s: %w", s.name, err)
	case snap.Format == snapshotFormat:
		var run core.Run
		dec := json.NewDecoder(bytes.NewReader(snap.State))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&run); err != nil {
			e.log.Warn("a snapshot cannot be read, the events are read instead", "stream", s.name, "error", err)
			break
		}
		s.run, s.head, s.snapshot = &run, snap.Head, snap.Head.Seq
	}
	return nil
}

// replay folds events, at least one. Only the newest is hashed: the next event has to follow it.
func (s *stream) replay(events []core.Event) error {
	for _, ev := range events {
		run, err := core.Fold(s.run, ev)
		if err != nil {
			return err
		}
		s.run = run
	}
	last := events[len(events)-1]
	hash, err := last.Hash()
	if err != nil {
		return err
	}
	s.head = core.Head{Seq: last.Seq, Hash: hash, At: last.At}
	return nil
}
