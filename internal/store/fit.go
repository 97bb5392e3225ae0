package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What follows is the same for every store: what none of them keeps, and how they all encode it.

// EventRow is an event as stores keep it.
type EventRow struct {
	core.Event
	Actor string // JSON
	Hash  string // of the event's own line: the PrevHash of the next
}

// EventRows checks that the events of a commit follow one another and can be read back byte for byte, and encodes them.
func (c Commit) EventRows() ([]EventRow, error) {
	rows := make([]EventRow, 0, len(c.Events))
	seq := c.After
	for i, e := range c.Events {
		seq++
		if e.Stream != c.Stream || e.Seq != seq {
			return nil, core.Errorf(core.CodeInternal, "%s: event %s#%d where #%d belongs", c.Stream, e.Stream, e.Seq, seq)
		}
		if i > 0 && e.PrevHash != rows[i-1].Hash {
			return nil, core.Errorf(core.CodeForked, "%s: event %d does not follow the event before it", c.Stream, e.Seq)
		}
		if e.At.Location() != time.UTC || e.At.Nanosecond()%1000 != 0 {
			return nil, core.Errorf(core.CodeInternal, "%s: time %s is not in whole microseconds UTC", e.ID, e.At)
		}
		actor, err := json.Marshal(e.Actor)
		if err != nil {
			return nil, fmt.Errorf("encode actor of %s: %w", e.ID, err)
		}
		hash, err := e.Hash()
		if err != nil {
			return nil, err
		}
		rows = append(rows, EventRow{Event: e, Actor: string(actor), Hash: hash})
	}
	return rows, nil
}

// Satisfiable refuses a commit that asks for claims or slots that nobody may hold.
func (c Commit) Satisfiable() error {
	for _, claim := range c.Acquire {
		if claim.Limit < 1 {
			return core.Errorf(core.CodeInternal, "%s: a claim that nobody may hold", claim)
		}
	}
	for _, s := range slices.Concat(c.Take, c.Queue) {
		if len(s.Pools) == 0 || slices.ContainsFunc(s.Pools, func(p core.SlotPool) bool { return p.Limit < 1 }) {
			return core.Errorf(core.CodeInternal, "%s: slots that nobody may hold: %v", s.Holder, s.Pools)
		}
	}
	return nil
}

// Fits refuses a document that cannot be kept with ErrUnfit.
func (d Document) Fits() error {
	if named(d.Kind) && named(d.Key) && len(d.Data) <= MaxDocument {
		return nil
	}
	return fmt.Errorf("%.40q %.40q of %d bytes: %w", d.Kind, d.Key, len(d.Data), ErrUnfit)
}

func named(name string) bool {
	return name != "" && len(name) <= MaxDocumentName && utf8.ValidString(name) && !strings.ContainsRune(name, 0)
}
