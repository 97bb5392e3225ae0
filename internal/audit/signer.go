package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Store is what history is read from, and where checkpoints are kept.
type Store interface {
	Now(ctx context.Context) (time.Time, error)
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
	store.Documents
	store.Heads
}

const (
	// mostMarks is how many streams one checkpoint names, so that it fits a document.
	mostMarks = 2000
	// page is how many events, streams or checkpoints are read at once.
	page = 1000
)

// Signer signs what has happened. Several on one store make one chain of checkpoints: each is a
// document whose key is its number, so of two who make the same, one succeeds.
type Signer struct {
	store  Store
	engine string
	most   int // streams in a checkpoint

	mu    sync.Mutex
	known chain // of checkpoints that were read
}

// NewSigner makes a Signer that signs as an engine.
func NewSigner(s Store, engine string) *Signer {
	return &Signer{store: s, engine: engine, most: mostMarks}
}

// Due reports that the newest checkpoint is older than every, or that there is none.
func (s *Signer) Due(ctx context.Context, every time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.catchUp(ctx); err != nil {
		return false, err
	}
	now, err := s.store.Now(ctx)
	return s.known.number == 0 || now.Sub(s.known.at) >= every, err
}

// Newest is the newest checkpoint, nil if there is none.
func (s *Signer) Newest(ctx context.Context) (*Newest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.catchUp(ctx); err != nil || s.known.number == 0 {
		return nil, err
	}
	return &Newest{Number: s.known.number, Hash: s.known.hash, At: s.known.at}, nil
}

// Sign signs where every stream stands that has moved on since the checkpoints before, and returns the
// checkpoints that it made: none if nothing has. It refuses if the history is not the one that was
// signed before.
func (s *Signer) Sign(ctx context.Context, key Key) ([]Statement, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var made []Statement
	for {
		err := s.catchUp(ctx)
		if err != nil {
			return made, err
		}
		moved, err := s.moved(ctx)
		for err == nil && len(moved) > 0 {
			n := min(len(moved), s.most)
			var next Statement
			if next, err = s.put(ctx, key, moved[:n]); err == nil {
				made, moved = append(made, next), moved[n:]
			}
		}
		if !errors.Is(err, store.ErrStale) {
			return made, err
		}
		// Another engine was faster: what it signed is signed.
	}
}

// put makes the next checkpoint; store.ErrStale if there is one of its number by now.
func (s *Signer) put(ctx context.Context, key Key, heads []Mark) (Statement, error) {
	now, err := s.store.Now(ctx)
	if err != nil {
		return Statement{}, err
	}
	if now.Before(s.known.at) {
		now = s.known.at
	}
	next, err := sign(Statement{Number: s.known.number + 1, At: now.UTC(), Engine: s.engine, Previous: s.known.hash, Heads: heads}, key)
	if err != nil {
		return Statement{}, err
	}
	if err := document.Put(ctx, s.store, Kind, documentKey(s.known.number+1), 0, next); err != nil {
		return Statement{}, err
	}
	return s.take(next)
}

// catchUp reads the checkpoints that were made since. Whether their keys count is for who verifies.
func (s *Signer) catchUp(ctx context.Context) error {
	for {
		docs, err := s.store.Documents(ctx, Kind, "", documentKey(s.known.number), page)
		if err != nil || len(docs) == 0 {
			return err
		}
		for _, d := range docs {
			var c Checkpoint
			if err := json.Unmarshal(d.Data, &c); err != nil {
				return broken(fmt.Errorf("checkpoint %s cannot be read: %w", d.Key, err))
			}
			if _, err := checkSignature(c.Statement, c.Signature); err != nil {
				return broken(fmt.Errorf("checkpoint %d: %w", s.known.number+1, err))
			}
			if _, err := s.take(c); err != nil {
				return err
			}
		}
	}
}

// take goes on to the next checkpoint.
func (s *Signer) take(c Checkpoint) (Statement, error) {
	statement, err := c.Read()
	if err != nil {
		return statement, broken(fmt.Errorf("checkpoint %d: %w", s.known.number+1, err))
	}
	if err := s.known.follow(statement, c.Hash()); err != nil {
		return statement, broken(err)
	}
	return statement, nil
}

// moved lists the streams that have moved on since they were signed last. Their new events are
// verified to follow what was signed.
func (s *Signer) moved(ctx context.Context) ([]Mark, error) {
	var all []Mark
	seen := 0
	for after := ""; ; {
		heads, err := s.store.Heads(ctx, after, page)
		if err != nil {
			return nil, err
		}
		if len(heads) == 0 {
			break
		}
		for _, h := range heads {
			after = h.Stream
			was, signed := s.known.marks[h.Stream]
			if signed {
				seen++
			}
			if h.Seq == was.Seq && h.Hash == was.Hash {
				continue
			}
			mark, err := follow(ctx, s.store, was, h)
			if err != nil {
				return nil, err
			}
			all = append(all, mark)
		}
	}
	if seen < len(s.known.marks) {
		return nil, broken(fmt.Errorf("%d streams that were signed are gone", len(s.known.marks)-seen))
	}
	return all, nil
}

// follow reads the events of a stream after a mark, up to its head.
func follow(ctx context.Context, s Store, was Mark, head store.StreamHead) (Mark, error) {
	if head.Seq <= was.Seq {
		return was, broken(fmt.Errorf("%s ends at event %d, and is not what was signed of it up to event %d", head.Stream, head.Seq, was.Seq))
	}
	at := core.Head{Seq: was.Seq, Hash: was.Hash}
	for at.Seq < head.Seq {
		events, err := s.Events(ctx, head.Stream, at.Seq, int(min(page, head.Seq-at.Seq)))
		if err != nil {
			return was, err
		}
		if len(events) == 0 {
			return was, broken(fmt.Errorf("%s ends after event %d, although it stands at %d", head.Stream, at.Seq, head.Seq))
		}
		if at, err = core.VerifyChain(at, events); err != nil {
			return was, broken(err)
		}
	}
	if at.Hash != head.Hash {
		return was, broken(fmt.Errorf("event %d of %s is not what its hash says", head.Seq, head.Stream))
	}
	return Mark{Stream: head.Stream, Seq: at.Seq, Hash: at.Hash}, nil
}

// broken refuses to sign a history that is not the one that was signed before.
func broken(err error) error {
	return core.Wrap(core.CodeForked, err, "nothing is signed: the history is not what it was", "keep the database as it is").
		Offer(core.Choice{Verb: core.VerbVerifyHistory})
}
