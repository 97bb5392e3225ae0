package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxReferenced bounds for how many runs it is remembered what they name;
// forgetting costs only time.
const maxReferenced = 16

// references remembers which documents the histories of runs name, so that a page
// with many of them reads a history once, and then what is new.
type references struct {
	mu   sync.Mutex
	runs map[string]*referenced
}

// referenced is what a run's history names, up to an event.
type referenced struct {
	turn      chan struct{} // holds one token, of who reads or looks
	upto      int64
	documents map[[sha256.Size]byte]struct{}
	prompts   map[string]string // digest by attempt
}

// readEvents reads a run's next events; none where there are no more.
type readEvents func(ctx context.Context, after int64) ([]core.Event, error)

// look reads on in a run's history, and then lets fn look at all that it names. Who
// gives up does not wait for others that read.
func (r *references) look(ctx context.Context, run string, read readEvents, fn func(*referenced)) error {
	of := r.of(run)
	select {
	case of.turn <- struct{}{}:
		defer func() { <-of.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	quoted := regexp.MustCompile(`"[0-9a-f]{64}"`)
	for {
		events, err := read(ctx, of.upto)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			fn(of)
			return nil
		}
		for _, ev := range events {
			if err := of.add(ev, quoted); err != nil {
				return err
			}
		}
	}
}

// of is what is known of a run; of others one is forgotten where there are too many.
func (r *references) of(run string) *referenced {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.runs[run]
	if of != nil {
		return of
	}
	if r.runs == nil {
		r.runs = map[string]*referenced{}
	}
	for other := range r.runs {
		if len(r.runs) < maxReferenced {
			break
		}
		delete(r.runs, other)
	}
	of = &referenced{turn: make(chan struct{}, 1), documents: map[[sha256.Size]byte]struct{}{}, prompts: map[string]string{}}
	r.runs[run] = of
	return of
}

func (r *referenced) add(ev core.Event, quoted *regexp.Regexp) error {
	for _, match := range quoted.FindAll(ev.Body, -1) {
		var digest [sha256.Size]byte
		if _, err := hex.Decode(digest[:], match[1:len(match)-1]); err != nil {
			return err
		}
		r.documents[digest] = struct{}{}
	}
	if ev.Type == core.TypeAttemptStarted {
		var started core.AttemptStarted
		if err := json.Unmarshal(ev.Body, &started); err != nil {
			return err
		}
		r.prompts[started.Attempt] = started.Prompt
	}
	r.upto = ev.Seq
	return nil
}

// names reports that a history names a document.
func (r *referenced) names(digest string) bool {
	raw, err := hex.DecodeString(digest)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != digest {
		return false
	}
	_, named := r.documents[[sha256.Size]byte(raw)]
	return named
}
