package courier

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

const (
	rootPrefix = "attempt-"
	// nameFile says whose folder it is. The worker holds a lock on it for as long as it lives.
	nameFile = "worker.json"
)

// makeRoot makes the attempt's folder, and says and holds whose it is until what it returns is closed.
func (a *attempt) makeRoot(id wire.Attempt) (held *os.File, err error) {
	if a.root, err = os.MkdirTemp(a.Dir, rootPrefix); err != nil {
		return nil, err
	}
	if held, err = os.OpenFile(filepath.Join(a.root, nameFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	if err = hold(held, 0); err == nil { // a sweep that looks at it lets go at once
		err = json.NewEncoder(held).Encode(id)
	}
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

// hold takes the lock of a folder. It waits for it, or with LOCK_NB fails with EWOULDBLOCK if somebody has it.
func hold(file *os.File, how int) error {
	for {
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// nameless is how long a folder without a name is left alone: its worker is about to write it.
const nameless = time.Hour

// unheard is how long a folder stays whose attempt has ended and whose worker could not hand it in: its work may be nowhere else,
// although nobody waits for it any more.
const unheard = 7 * 24 * time.Hour

// Sweep removes the folders in dir of workers that were killed, if their attempts are concluded: nobody would hand in what they
// hold. It touches none that a worker lives in.
func Sweep(dir string, concluded func(wire.Attempt) (bool, error)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for folders of workers that were killed: %w", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), rootPrefix) {
			continue
		}
		root := filepath.Join(dir, entry.Name())
		if one := sweepOne(root, concluded); one != nil {
			err = errors.Join(err, fmt.Errorf("remove the folder of a worker that was killed, %s: %w", root, one))
		}
	}
	return err
}

func sweepOne(root string, concluded func(wire.Attempt) (bool, error)) (err error) {
	file, err := os.OpenFile(filepath.Join(root, nameFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return sweepNameless(root)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := hold(file, syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil // its worker lives
	} else if err != nil {
		return err
	}
	var id wire.Attempt
	if err := json.NewDecoder(file).Decode(&id); err != nil || id == (wire.Attempt{}) {
		return sweepNameless(root)
	}
	if over, err := concluded(id); err != nil || !over {
		return err
	}
	if exit, err := shim.ReadExit(root); err == nil && time.Since(exit.EndedAt) < unheard {
		return nil
	}
	return removeRoot(root)
}

// sweepNameless removes a folder whose worker was killed before it said whose it is: there is nothing in it.
func sweepNameless(root string) error {
	info, err := os.Stat(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its worker has ended
	}
	if err != nil || time.Since(info.ModTime()) < nameless {
		return err
	}
	return removeRoot(root)
}

// removeRoot removes an attempt's folder, and that of its tools if it is elsewhere.
func removeRoot(root string) error {
	tools, err := os.Readlink(filepath.Join(root, wire.ToolsName))
	if err == nil && strings.HasPrefix(filepath.Base(tools), toolsPrefix) { // a worker's folder for temporary files may be another
		if err := removeAll(tools); err != nil {
			return err
		}
	}
	return removeAll(root)
}
