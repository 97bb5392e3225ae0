package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	kind       = store.NoticeKind // each document is known by the id of its thing
	maxTold    = 4096             // things that are known again
	maxWaiting = 1000             // notices that are kept to be told
	maxAge     = 48 * time.Hour
)

// entry is a notice, and what became of it. One that is told in every way stays, so
// that its thing is known again.
type entry struct {
	Notice Notice               `json:"notice"`
	Told   bool                 `json:"told,omitempty"`
	Ways   []string             `json:"ways,omitempty"`   // in which it is to be told; if empty, in all that there are
	Done   []string             `json:"done,omitempty"`   // ways that it was told in, or that were given up
	Tries  map[string]int       `json:"tries,omitempty"`  // by way
	Claims map[string]time.Time `json:"claims,omitempty"` // until when an engine has a way for itself
}

// wants reports that the notice is still to be told in a way.
func (e entry) wants(way string) bool {
	return !e.Told && !slices.Contains(e.Done, way) && (len(e.Ways) == 0 || slices.Contains(e.Ways, way))
}

// free reports that no engine is telling it in a way.
func (e entry) free(way string, now time.Time) bool { return !now.Before(e.Claims[way]) }

// over reports that nobody is going to tell it: it is done in every way, or the
// engines that know its ways have not come for long.
func (e entry) over(ways []Way, now time.Time) bool {
	names := e.Ways
	if len(names) == 0 {
		for _, w := range ways {
			names = append(names, w.Name)
		}
	}
	return !slices.ContainsFunc(names, e.wants) || now.Sub(e.Notice.At) > maxAge
}

// concluded is the entry after a message in a way; given means that the way is given
// up.
func (e *entry) concluded(way string, err error) (given bool) {
	delete(e.Claims, way)
	if err != nil {
		if e.Tries == nil {
			e.Tries = map[string]int{}
		}
		e.Tries[way]++
		if e.Tries[way] < maxTries && !errors.Is(err, ErrPermanent) {
			return false
		}
	}
	e.Done = append(e.Done, way)
	delete(e.Tries, way)
	return err != nil
}

// waiting are the notices that are not told in every way, the oldest first. It
// forgets the oldest of what was told, if that is too much.
func (o *Outbox) waiting(ctx context.Context) ([]entry, error) {
	all, err := document.List[entry](ctx, o.opts.Store, kind, "")
	if err != nil {
		return nil, err
	}
	var waiting []entry
	var told []document.Kept[entry]
	for _, k := range all {
		if k.Value.Told {
			told = append(told, k)
			continue
		}
		waiting = append(waiting, k.Value)
	}
	slices.SortFunc(waiting, func(a, b entry) int {
		return cmp.Or(a.Notice.At.Compare(b.Notice.At), cmp.Compare(a.Notice.ID, b.Notice.ID))
	})
	slices.SortFunc(told, func(a, b document.Kept[entry]) int { return cmp.Compare(a.Version, b.Version) })
	for _, k := range told[:max(0, len(told)-maxTold)] {
		if err := document.Remove(ctx, o.opts.Store, kind, k.Key, k.Version); err != nil {
			return nil, err
		}
	}
	return waiting, nil
}

// change alters an entry that is there.
func (o *Outbox) change(ctx context.Context, id string, alter func(*entry) error) error {
	return document.Change(ctx, o.opts.Store, kind, id, func(e *entry) error {
		if e.Notice.ID == "" { // it was told, and forgotten
			return document.ErrKeep
		}
		return alter(e)
	})
}

// settle notes that a thing needs no more telling.
func (o *Outbox) settle(ctx context.Context, id string) error {
	return o.change(ctx, id, func(e *entry) error {
		if e.Told {
			return document.ErrKeep
		}
		*e = entry{Notice: Notice{ID: id, At: e.Notice.At}, Told: true}
		return nil
	})
}

// Old turns notices.json, in which versions before documents kept all of this, into
// the documents that replace it.
func Old(data []byte) ([]store.Document, error) {
	var ledger struct {
		Waiting []entry  `json:"waiting"`
		Told    []string `json:"told"`
	}
	if err := json.Unmarshal(data, &ledger); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	var all []store.Document
	add := func(e entry) error {
		if known[e.Notice.ID] || e.Notice.ID == "" {
			return nil
		}
		known[e.Notice.ID] = true
		d, err := document.Make(kind, e.Notice.ID, 0, e)
		all = append(all, d)
		return err
	}
	for _, e := range ledger.Waiting {
		if err := add(e); err != nil {
			return nil, err
		}
	}
	for _, id := range ledger.Told {
		if err := add(entry{Notice: Notice{ID: id}, Told: true}); err != nil {
			return nil, err
		}
	}
	return all, nil
}
