package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// share is a folder with a file for each watched group of an owner. The watcher that holds a file's lock keeps it up to
// date; a file without a lock is the leftover of a watcher that died.
type share struct {
	dir, name string
	file      *os.File
}

// others are the other groups of the same owner.
type others struct {
	self  string
	names []string
	uses  []use
}

func openShare(dir, name string) (*share, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder where attempts report their use: %w", err)
	}
	file, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return nil, fmt.Errorf("report what an attempt uses: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("report what an attempt uses: %w", err), file.Close(), os.Remove(file.Name()))
	}
	return &share{dir: dir, name: name, file: file}, nil
}

// tell writes what the group uses.
func (s *share) tell(now use) {
	if s == nil {
		return
	}
	data, err := json.Marshal(now)
	if err == nil {
		_, err = s.file.WriteAt(append(data, strings.Repeat(" ", 8)...), 0) // over the end of a longer one
	}
	if err == nil {
		_ = s.file.Truncate(int64(len(data))) // spaces behind it do no harm
	}
}

// alone reads what the others use and calls decide, while no other group of the owner does the same: two that know each
// other's figures of a moment ago could both take themselves for the heaviest. If another group is deciding, it does nothing
// until the next look.
func (s *share) alone(decide func(others)) {
	if s == nil {
		decide(others{})
		return
	}
	lock, err := os.OpenFile(filepath.Join(s.dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return // a full disk: the others are not added up for now
	}
	defer func() { _ = lock.Close() }() // with the lock
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		decide(s.read())
	}
}

func (s *share) read() others {
	out := others{self: s.name}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return out
	}
	for _, entry := range entries {
		if entry.Name() == s.name || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if u, ok := readShared(filepath.Join(s.dir, entry.Name())); ok {
			out.names, out.uses = append(out.names, entry.Name()), append(out.uses, u)
		}
	}
	return out
}

// readShared reads a file whose watcher lives, and removes one whose watcher died.
func readShared(path string) (use, bool) {
	file, err := os.Open(path)
	if err != nil {
		return use{}, false // gone meanwhile
	}
	defer func() { _ = file.Close() }() // only read from
	if unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
		_ = os.Remove(path) // else the next one does
		return use{}, false
	}
	var u use
	if err := json.NewDecoder(file).Decode(&u); err != nil {
		return use{}, false // not yet written
	}
	return u, true
}

// sum leaves out groups that are being ended, which give back what they have in a moment.
func (o others) sum(now use) use {
	for _, u := range o.uses {
		if u.Ending {
			continue
		}
		now.Memory, now.Processes, now.Disk = now.Memory+u.Memory, now.Processes+u.Processes, now.Disk+u.Disk
	}
	return now
}

// heaviest tells whether no other group has more. Of two that have the same, it is the one whose name comes first.
func (o others) heaviest(now use, r Resource) bool {
	for i, u := range o.uses {
		if u.of(r) > now.of(r) || u.of(r) == now.of(r) && o.names[i] < o.self {
			return false
		}
	}
	return true
}

func (s *share) close() {
	if s == nil {
		return
	}
	_ = os.Remove(filepath.Join(s.dir, s.name)) // without a lock it counts for nothing
	_ = s.file.Close()
}
