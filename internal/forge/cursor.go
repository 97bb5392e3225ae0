package forge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const (
	// MaxBody bounds the text of a note that is handed out.
	MaxBody = 16 << 10
	// MaxNotes bounds how many notes one look hands out.
	MaxNotes = 50
	// remembered bounds the ids of one series that a cursor holds.
	remembered = 512
)

// ErrCursor says that a cursor is not one that a look returned.
var ErrCursor = errors.New("not a cursor of a pull request")

// The series of ids that forges give to what is written on a pull request.
const (
	SeriesReview  = "review"
	SeriesLine    = "line"
	SeriesComment = "comment"
)

// NoteID makes the id of a note from the number the forge gave it in a series.
func NoteID(series string, number int64) string {
	return series + "-" + strconv.FormatInt(number, 10)
}

// handed are the numbers of one series that were handed out: those up to Floor,
// and IDs. A single last number or time would not do: a review gets both when its
// author begins it, and would be missed if it is submitted after a later one. With
// IDs, a review is missed only if more than remembered others overtake it.
type handed struct {
	Floor int64   `json:"floor,omitempty"`
	IDs   []int64 `json:"ids"` // ascending
}

func (h *handed) has(number int64) bool {
	_, found := slices.BinarySearch(h.IDs, number)
	return found || number <= h.Floor
}

func (h *handed) add(number int64) {
	at, _ := slices.BinarySearch(h.IDs, number)
	h.IDs = slices.Insert(h.IDs, at, number)
	if len(h.IDs) > remembered {
		h.Floor, h.IDs = h.IDs[0], h.IDs[1:]
	}
}

// HandOut fills in the notes that the cursor does not have, at most MaxNotes of
// them, and the cursor that has them.
func (s *Seen) HandOut(cursor string, notes []Note) error {
	known := map[string]*handed{}
	if cursor != "" {
		if err := json.Unmarshal([]byte(cursor), &known); err != nil {
			return fmt.Errorf("%w: %w", ErrCursor, err)
		}
	}
	s.Notes, s.More = nil, false
	notes = slices.Clone(notes)
	slices.SortStableFunc(notes, older)
	for _, n := range notes {
		series, number, err := parseNoteID(n.ID)
		if err != nil {
			return err
		}
		if known[series] == nil {
			known[series] = &handed{}
		}
		switch {
		case known[series].has(number):
		case len(s.Notes) == MaxNotes:
			s.More = true
		default:
			known[series].add(number)
			n.Body = plain.Head(n.Body, MaxBody)
			s.Notes = append(s.Notes, n)
		}
	}
	raw, err := json.Marshal(known)
	s.Cursor = string(raw)
	return err
}

func parseNoteID(id string) (series string, number int64, err error) {
	series, digits, _ := strings.Cut(id, "-")
	if number, err = strconv.ParseInt(digits, 10, 64); err != nil || number <= 0 {
		return "", 0, fmt.Errorf("a note has the invalid id %q", id)
	}
	return series, number, nil
}

// older orders notes by when they were written, then by number. The order of
// invalid ids does not matter: they are refused.
func older(a, b Note) int {
	_, x, _ := parseNoteID(a.ID)
	_, y, _ := parseNoteID(b.ID)
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(x, y))
}
