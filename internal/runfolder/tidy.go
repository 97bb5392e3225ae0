package runfolder

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// Tidy removes the unfinished files of processes that are gone.
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

// orphaned reports the name of a part whose writer has ended.
func orphaned(name string) bool {
	if !strings.HasPrefix(name, ".") {
		return false
	}
	writer, _, found := strings.Cut(name[strings.LastIndexByte(name, '.')+1:], "-")
	pid, err := strconv.Atoi(writer)
	return found && err == nil && pid > 0 && pid != os.Getpid() && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
