package shim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Tailer reads a transcript while it is written. It is used by one goroutine.
type Tailer struct {
	path   string
	next   int64
	offset int64
}

// tailBatch bounds how many entries one Next returns.
const tailBatch = 1000

// NewTailer reads the transcript of folder beginning with the entry numbered from; 1 or less is the first. The
// transcript need not exist yet.
func NewTailer(folder string, from int64) *Tailer { return NewFileTailer(JournalPath(folder), from) }

// NewFileTailer reads a transcript that lies elsewhere.
func NewFileTailer(path string, from int64) *Tailer { return &Tailer{path: path, next: max(from, 1)} }

// From is the number of the entry that Next returns first.
func (t *Tailer) From() int64 { return t.next }

// Tail returns the entries of folder from the number from on that are there now, all of them.
func Tail(folder string, from int64) ([]Entry, error) {
	t := NewTailer(folder, from)
	var all []Entry
	for {
		batch, err := t.Next()
		if err != nil || len(batch) == 0 {
			return all, err
		}
		all = append(all, batch...)
	}
}

// Next returns the entries that came since the last call, at most a thousand; none means that there are no more yet. A
// last line without its newline is being written, or was when the shim died: it is not read. With an error come the entries
// before what could not be read.
func (t *Tailer) Next() (entries []Entry, err error) {
	for len(entries) < tailBatch && err == nil {
		var page Page
		page, err = PageAfter(t.path, t.offset, tailBatch-len(entries))
		if errors.Is(err, os.ErrNotExist) {
			return entries, nil
		}
		if len(page.Entries) == 0 {
			return entries, err
		}
		t.offset = page.End
		for _, entry := range page.Entries {
			if entry.N >= t.next {
				entries = append(entries, entry)
				t.next = entry.N + 1
			}
		}
	}
	return entries, err
}

func decodeEntry(line []byte) (Entry, error) {
	var entry Entry
	if err := json.Unmarshal(bytes.TrimSpace(line), &entry); err != nil {
		return entry, fmt.Errorf("not an entry of a transcript: %w", err)
	}
	return entry, nil
}
