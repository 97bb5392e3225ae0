package runfolder

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path"
	"regexp"
)

// writer names this process in the names of unfinished files. Numbers of processes
// come again, and mean nothing on another machine.
var writer = rand.Text()

// part is the name of an unfinished file; earlier versions named its writer by a
// process number.
var part = regexp.MustCompile(`^\..*\.([A-Z2-7]{26}|[0-9]+)-[0-9]+$`)

// Tidy removes the unfinished files of other processes. They are gone: whoever opens
// a run folder to write holds the lock of its state folder.
func (f *Folder) Tidy() error {
	return fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !orphaned(path.Base(name)) {
			return err
		}
		if err := f.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return explain(err, f.at(name))
		}
		return nil
	})
}

// orphaned reports the name of a part that another process began.
func orphaned(name string) bool {
	found := part.FindStringSubmatch(name)
	return found != nil && found[1] != writer
}
