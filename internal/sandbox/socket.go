package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Bounds of a search for sockets.
const (
	searchTime  = 2 * time.Second
	mostEntries = 1_000_000
	mostSockets = 5
	batch       = 1024
)

// Exposed is what a search for sockets found.
type Exposed struct {
	// Sockets are the first that were found, at most five.
	Sockets []Socket
	// Unsearched is the first folder that the search did not get to; it is empty if the search is complete.
	Unsearched string
}

// Socket is a unix socket and the listed folder that shows it.
type Socket struct{ Path, Folder string }

// Sockets searches folders that a process would see for unix sockets. A process can connect to a socket on a read-only mount,
// so a server of this machine that listens there would be a way around a closed network. Sockets skips what lies below except,
// which is hidden, and a listed path that is itself a socket, which was named on purpose. It searches level by level, because
// sockets lie near the top and the bounds on time and entries are reached further down.
func Sockets(folders, except []string) Exposed {
	s := search{except: except, until: time.Now().Add(searchTime), entries: mostEntries}
	for _, folder := range folders {
		if s.run(folder); len(s.found.Sockets) >= mostSockets || s.found.Unsearched != "" {
			break
		}
	}
	return s.found
}

type search struct {
	except  []string
	until   time.Time
	entries int // that may still be looked at
	found   Exposed
}

func (s *search) run(folder string) {
	for level := []string{folder}; len(level) > 0; {
		var below []string
		for _, dir := range level {
			if s.spent() {
				s.found.Unsearched = dir
				return
			}
			more, whole := s.list(dir, folder)
			if len(s.found.Sockets) >= mostSockets {
				return
			}
			if !whole {
				s.found.Unsearched = dir
				return
			}
			below = append(below, more...)
		}
		level = below
	}
}

func (s *search) spent() bool { return s.entries <= 0 || !time.Now().Before(s.until) }

// list adds the sockets of a folder to what was found and returns the folders in it. It skips a folder that it may not read:
// the processes of a sandbox have no more rights than this one.
func (s *search) list(dir, shownBy string) (below []string, whole bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0) // a pipe would be waited for
	if err != nil {
		return nil, harmless(err)
	}
	defer func() { _ = f.Close() }() // only read from
	for {
		entries, err := f.ReadDir(batch)
		s.entries -= len(entries)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case slices.ContainsFunc(s.except, func(hidden string) bool { return within(path, hidden) }):
			case e.Type()&fs.ModeSocket != 0 && len(s.found.Sockets) < mostSockets:
				s.found.Sockets = append(s.found.Sockets, Socket{path, shownBy})
			case e.IsDir():
				below = append(below, path)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return below, true
		case err != nil:
			return below, harmless(err)
		case s.spent():
			return below, false
		}
	}
}

// harmless tells whether a folder cannot be listed for a reason that also keeps a sandbox from it.
func harmless(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
