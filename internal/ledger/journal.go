package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// deed is what a line of the journal says.
type deed string

const (
	reserved   deed = "reserve"
	extended   deed = "extend"
	progressed deed = "progress"
	settled    deed = "settle"
	lost       deed = "lost" // settled by whoever opened the account after the keeper's death
)

// line is one line of the journal.
type line struct {
	Deed  deed    `json:"op"`
	ID    int64   `json:"id"`
	Model string  `json:"model,omitempty"` // of a reservation
	Held  *Amount `json:"held,omitempty"`  // set aside in all, of a reservation or extension
	Spent *Spent  `json:"spent,omitempty"` // the floor of a reservation; else what was seen or charged
}

// journal is the file of lines. Each is written with one call, so the death of the process loses none that was written;
// a power cut may lose the last of them.
type journal struct {
	file *os.File
	size int64 // up to the end of the last whole line
}

// openJournal reads what is there and makes it ready for more: the part of a line at its end is cut off.
func openJournal(folder string) (*journal, *book, error) {
	file, err := os.OpenFile(filepath.Join(folder, journalFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open an account: %w", err)
	}
	b, size, err := readBook(folder)
	if err == nil {
		err = file.Truncate(size)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open an account: %w", err), file.Close())
	}
	return &journal{file, size}, b, nil
}

// add writes a line, or leaves the journal as it was.
func (j *journal) add(l line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("write to an account: %w", err)
	}
	n, err := j.file.WriteAt(append(data, '\n'), j.size)
	if err != nil {
		err = fmt.Errorf("write to an account: %w", err)
		if n > 0 {
			err = errors.Join(err, j.file.Truncate(j.size))
		}
		return err
	}
	j.size += int64(n)
	return nil
}

// readBook reads the journal of a folder, and how many bytes of it are whole lines. No journal is an empty one.
func readBook(folder string) (*book, int64, error) {
	b := &book{models: map[string]Spent{}, flights: map[int64]*Flight{}}
	data, err := os.ReadFile(filepath.Join(folder, journalFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read an account: %w", err)
	}
	size := int64(0)
	for number := 1; ; number++ {
		raw, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return b, size, nil
		}
		var l line
		err := json.Unmarshal(raw, &l)
		if err == nil {
			err = b.check(l)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read an account: line %d of %s: %w", number, journalFile, err)
		}
		b.apply(l)
		data, size = rest, size+int64(len(raw))+1
	}
}
