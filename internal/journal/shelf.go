package journal

import (
	"container/list"
	"errors"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// maxOpen is how many run folders stay open: a thousand open runs need no
// thousand files.
const maxOpen = 128

// shelf keeps the folders of open runs, so that a run at work does not look for the end of its
// manifest at each step. Those that were used last are open.
type shelf struct {
	root string

	mu      sync.Mutex
	folders map[string]*shelved
	open    *list.List // of *shelved, the one that was used last first
}

// shelved is a run's folder. One that is not on the shelf any more is closed when nobody uses it.
type shelved struct {
	folder *runfolder.Folder
	open   *list.Element // nil if it is closed
	users  int
	gone   bool // not on the shelf any more
}

func newShelf(root string) *shelf {
	return &shelf{root: root, folders: map[string]*shelved{}, open: list.New()}
}

// Dir is the folder of a run.
func (s *shelf) Dir(run string) string { return filepath.Join(s.root, run) }

// Use hands a run's folder to fn. A folder with which something went wrong is
// opened anew the next time: it may have been moved or removed.
func (s *shelf) Use(run string, fn func(*runfolder.Folder) error) error {
	f, err := s.take(run)
	if err != nil {
		return err
	}
	err = fn(f.folder)
	return errors.Join(err, s.giveBack(run, f, err != nil))
}

func (s *shelf) take(run string) (*shelved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.folders[run]
	if ok && f.folder.Gone() {
		if err := s.drop(run); err != nil {
			return nil, err
		}
		ok = false
	}
	switch {
	case !ok:
		folder, err := runfolder.Open(s.Dir(run))
		if err != nil {
			return nil, err
		}
		f = &shelved{folder: folder}
		s.folders[run] = f
		f.open = s.open.PushFront(f)
	case f.open == nil:
		if err := f.folder.Reopen(); err != nil {
			return nil, err
		}
		f.open = s.open.PushFront(f)
	default:
		s.open.MoveToFront(f.open)
	}
	f.users++
	return f, nil
}

// drop takes a folder off the shelf. Its last user closes it. s.mu is held.
func (s *shelf) drop(run string) error {
	f, ok := s.folders[run]
	if !ok {
		return nil
	}
	f.gone = true
	delete(s.folders, run)
	if f.users > 0 {
		return nil
	}
	return s.shut(f)
}

// shut closes a folder that nobody uses. s.mu is held.
func (s *shelf) shut(f *shelved) error {
	if f.open == nil {
		return nil
	}
	s.open.Remove(f.open)
	f.open = nil
	return f.folder.Close()
}

// forget takes the folder of a run off the shelf that is over.
func (s *shelf) forget(run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop(run)
}

func (s *shelf) giveBack(run string, f *shelved, broken bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.users--
	if broken && !f.gone {
		return s.drop(run)
	}
	if f.gone && f.users == 0 {
		return s.shut(f)
	}
	return s.tidy()
}

// tidy closes the folder that has not been used for longest if too many are open.
func (s *shelf) tidy() error {
	if s.open.Len() <= maxOpen {
		return nil
	}
	for e := s.open.Back(); e != nil; e = e.Prev() {
		if f := e.Value.(*shelved); f.users == 0 {
			return s.shut(f)
		}
	}
	return nil
}

// close closes every folder. Nobody may use one any more.
func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.folders {
		errs = append(errs, s.shut(f))
	}
	clear(s.folders)
	return errors.Join(errs...)
}
