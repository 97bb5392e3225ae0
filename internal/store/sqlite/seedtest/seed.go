// Package seedtest gives each test a new database without migrating it anew: under the race detector, that takes most of the
// time of a test of what is kept in one. It must not be used outside of tests.
package seedtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Seed is a database that is made once and copied for everybody. Make makes it at a path and closes it.
type Seed struct {
	Make func(path string) error

	once sync.Once
	data []byte
	err  error
}

// Plant puts a copy at path, unless there is a file already.
func (s *Seed) Plant(t testing.TB, path string) {
	t.Helper()
	if s.once.Do(s.grow); s.err != nil {
		t.Fatal(s.err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(s.data)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// grow makes the database and reads it. It outlives the test that happens to need it first.
func (s *Seed) grow() {
	dir, err := os.MkdirTemp("", "seed")
	if err != nil {
		s.err = err
		return
	}
	defer func() { s.err = errors.Join(s.err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "stellwerk.db")
	if s.err = s.Make(path); s.err != nil {
		return
	}
	if s.data, s.err = os.ReadFile(path); s.err != nil {
		return
	}
	left, err := filepath.Glob(path + "-*")
	if len(left) > 0 {
		err = fmt.Errorf("the database is not in one file: %v", left)
	}
	s.err = err
}
