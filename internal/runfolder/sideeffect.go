package runfolder

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// SideEffects adds records, each one JSON value without a newline, and returns
// once they are on disk. A record that is there already is not added again, so
// whoever repeats what a crash interrupted writes each once; a torn last line
// is cut first. Records must differ from one another, by a number of their own.
func (f *Folder) SideEffects(records ...[]byte) (err error) {
	if len(records) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	path := f.at(SideEffectsFile)
	file, err := f.root.OpenFile(SideEffectsFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return explain(err, path)
	}
	defer func() { err = errors.Join(err, explain(file.Close(), path)) }() // and with it the lock
	if err := flock(file); err != nil {
		return explain(err, path)
	}
	known, end, err := knownLines(file, records)
	if err != nil {
		return explain(err, path)
	}
	var lines bytes.Buffer
	for _, r := range records {
		if !known[string(r)] {
			lines.Write(r)
			lines.WriteByte('\n')
		}
	}
	if err := file.Truncate(end); err != nil {
		return explain(err, path)
	}
	if _, err := file.WriteAt(lines.Bytes(), end); err != nil {
		return explain(err, path)
	}
	return explain(file.Sync(), path)
}

// knownLines says which of the records the file has, and where its last whole line ends.
func knownLines(file io.Reader, records [][]byte) (known map[string]bool, end int64, err error) {
	wanted := map[string]bool{}
	for _, r := range records {
		wanted[string(r)] = true
	}
	known = map[string]bool{}
	lines := bufio.NewReaderSize(file, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return known, end, nil
		}
		if err != nil {
			return nil, 0, err
		}
		end += int64(len(line))
		if text := line[:len(line)-1]; wanted[string(text)] {
			known[string(text)] = true
		}
	}
}
