package journal

import (
	"errors"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// maxFolders is how many run folders stay open: a thousand open runs need no
// thousand files, and a run at work does not look for the end of its manifest
// at each step.
const maxFolders = 128

// shelf keeps the folders of the runs that were written last open.
type shelf struct {
	root string

	mu      sync.Mutex
	folders map[string]*shelved
	uses    int64
}

// shelved is an open folder. It is closed when nobody uses it any more.
type shelved struct {
	folder *runfolder.Folder
	users  int
	used   int64 // when it was used last, counted in uses
	gone   bool  // not on the shelf any more
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
	s.uses++
	f, ok := s.folders[run]
	if ok && f.folder.Gone() {
		if err := s.drop(run); err != nil {
			return nil, err
		}
		ok = false
	}
	if !ok {
		folder, err := runfolder.Open(s.Dir(run))
		if err != nil {
			return nil, err
		}
		f = &shelved{folder: folder}
		s.folders[run] = f
	}
	f.users++
	f.used = s.uses
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
	return f.folder.Close()
}

func (s *shelf) giveBack(run string, f *shelved, broken bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.users--
	if broken && !f.gone {
		return s.drop(run)
	}
	if f.gone && f.users == 0 {
		return f.folder.Close()
	}
	return s.tidy()
}

// tidy closes the folder that has not been used for longest if there are
// too many.
func (s *shelf) tidy() error {
	if len(s.folders) <= maxFolders {
		return nil
	}
	oldest := ""
	for run, f := range s.folders {
		if f.users == 0 && (oldest == "" || f.used < s.folders[oldest].used) {
			oldest = run
		}
	}
	if oldest == "" {
		return nil
	}
	return s.drop(oldest)
}

// close closes every folder. Nobody may use one any more.
func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.folders {
		errs = append(errs, f.folder.Close())
	}
	clear(s.folders)
	return errors.Join(errs...)
}
