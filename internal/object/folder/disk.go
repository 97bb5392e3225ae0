package folder

import (
	"errors"
	"os"
	"time"
)

// disk is what putting an object does to the file system, so that a test can see
// the order and lose what was never made durable.
type disk interface {
	createTemp(folder string) (*os.File, error)
	syncFile(f *os.File) error
	mkdir(path string) error
	rename(from, to string) error
	remove(path string) error
	touch(path string) error
	syncFolder(path string) error
}

type realDisk struct{}

func (realDisk) createTemp(folder string) (*os.File, error) { return os.CreateTemp(folder, ".new-*") }
func (realDisk) syncFile(f *os.File) error                  { return f.Sync() }
func (realDisk) mkdir(path string) error                    { return os.Mkdir(path, 0o700) }
func (realDisk) rename(from, to string) error               { return os.Rename(from, to) }
func (realDisk) remove(path string) error                   { return os.Remove(path) }
func (realDisk) touch(path string) error                    { return os.Chtimes(path, time.Time{}, time.Now()) }

func (realDisk) syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
