package shim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
// last line without its newline is being written, or was when the shim died: it is not read.
func (t *Tailer) Next() (entries []Entry, err error) {
	file, err := os.Open(t.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(t.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the transcript: %w", err)
	}
	lines := bufio.NewReaderSize(file, 64<<10)
	for len(entries) < tailBatch {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return entries, fmt.Errorf("read the transcript: %w", err)
		}
		entry, err := decodeEntry(line)
		if err != nil {
			return entries, fmt.Errorf("%s at byte %d: %w", t.path, t.offset, err)
		}
		t.offset += int64(len(line))
		if entry.N >= t.next {
			entries = append(entries, entry)
			t.next = entry.N + 1
		}
	}
	return entries, nil
}

func decodeEntry(line []byte) (Entry, error) {
	var entry Entry
	if err := json.Unmarshal(bytes.TrimSpace(line), &entry); err != nil {
		return entry, fmt.Errorf("not an entry of a transcript: %w", err)
	}
	return entry, nil
}
