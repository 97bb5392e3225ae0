package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/google/renameio/v2"
)

const (
	maxTold    = 4096 // ids that are known again
	maxWaiting = 1000 // notices that are kept to be told
)

// entry is a notice that is not told in every way yet.
type entry struct {
	Notice Notice         `json:"notice"`
	Done   []string       `json:"done,omitempty"`  // ways that it was told in, or that were given up
	Tries  map[string]int `json:"tries,omitempty"` // by way
}

func (e entry) wants(way string) bool { return !slices.Contains(e.Done, way) }

// ledger is what an outbox keeps in its file.
type ledger struct {
	Waiting []entry  `json:"waiting"`
	Told    []string `json:"told"` // ids, the newest last
}

// readLedger reads a ledger that may be missing. If it cannot be read, the outbox
// begins with an empty one: every status shows what is waiting.
func readLedger(file string) (ledger, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ledger{}, nil
	}
	if err != nil {
		return ledger{}, fmt.Errorf("read the pending notifications: %w", err)
	}
	var l ledger
	if err := json.Unmarshal(data, &l); err != nil {
		return ledger{}, fmt.Errorf("parse the pending notifications: %w", err)
	}
	return l, nil
}

func (l *ledger) write(file string) error {
	data, err := json.Marshal(l)
	if err == nil {
		err = renameio.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("save the pending notifications: %w", err)
	}
	return nil
}

// knows reports that a thing was told, or is going to be.
func (l *ledger) knows(id string) bool {
	return slices.Contains(l.Told, id) || slices.ContainsFunc(l.Waiting, func(e entry) bool { return e.Notice.ID == id })
}

// add takes a notice in. If too many are waiting, it drops the oldest and returns its
// id.
func (l *ledger) add(n Notice) (dropped string) {
	l.Waiting = append(l.Waiting, entry{Notice: n})
	if len(l.Waiting) <= maxWaiting {
		return ""
	}
	dropped = l.Waiting[0].Notice.ID
	l.settle(func(e entry) bool { return e.Notice.ID == dropped })
	return dropped
}

// settle moves entries that are over to what was told.
func (l *ledger) settle(over func(entry) bool) {
	l.Waiting = slices.DeleteFunc(l.Waiting, func(e entry) bool {
		if !over(e) {
			return false
		}
		l.Told = append(l.Told, e.Notice.ID)
		return true
	})
	if n := len(l.Told) - maxTold; n > 0 {
		l.Told = slices.Delete(l.Told, 0, n)
	}
}

// of are the notices that are still to be told in a way.
func (l *ledger) of(way string) []Notice {
	var notices []Notice
	for _, e := range l.Waiting {
		if e.wants(way) {
			notices = append(notices, e.Notice)
		}
	}
	return notices
}

// conclude notes what became of a message in a way, and returns the ids of the notices
// that are given up.
func (l *ledger) conclude(way string, sent []Notice, err error) (given []string) {
	for i := range l.Waiting {
		e := &l.Waiting[i]
		if !slices.ContainsFunc(sent, func(n Notice) bool { return n.ID == e.Notice.ID }) {
			continue
		}
		if err != nil {
			if e.Tries == nil {
				e.Tries = map[string]int{}
			}
			e.Tries[way]++
			if e.Tries[way] < maxTries && !errors.Is(err, ErrPermanent) {
				continue
			}
			given = append(given, e.Notice.ID)
		}
		e.Done = append(e.Done, way)
		delete(e.Tries, way)
	}
	return given
}
