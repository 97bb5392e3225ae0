package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// The files of an attempt folder.
const (
	specFile    = "spec.json"
	lockFile    = "lock"
	startedFile = "started"
	cancelFile  = "cancel"
	journalFile = "out.jsonl"
	exitFile    = "exit.json"
	bundleFile  = "out.bundle"
	handInDir   = "handin"
	requestFile = "request.json"
	resultFile  = "result.json"
	linesFile   = "lines.jsonl"
	overFile    = "over.json"
	tmpFolder   = "tmp"
	indexFile   = "index"
)

// IndexFile is where the engine keeps the index that an attempt's workspace was made with. The agent does not see it.
func IndexFile(folder string) string { return filepath.Join(folder, indexFile) }

// keptIndex is the IndexFile, "" if the engine has kept none.
func keptIndex(folder string) string {
	if found, err := has(folder, indexFile); err != nil || !found {
		return ""
	}
	return IndexFile(folder)
}

// State is what an attempt folder says about its attempt.
type State string

// The states.
const (
	// StateAbsent means nothing has started yet.
	StateAbsent State = "absent"
	// StateRunning means a shim holds the lock.
	StateRunning State = "running"
	// StateExited means exit.json is there.
	StateExited State = "exited"
	// StateLost means a shim started and died without writing exit.json.
	StateLost State = "lost"
)

// ErrAlreadyStarted means another shim has run this attempt or is running it.
var ErrAlreadyStarted = errors.New("the attempt was started before")

// Started is who runs an attempt, for people. Only the lock tells whether it lives, because pids are reused.
type Started struct {
	Proto     int       `json:"proto"`
	PID       int       `json:"pid"`
	StartTime string    `json:"start_time,omitempty"`
	BootID    string    `json:"boot_id,omitempty"`
	At        time.Time `json:"at"`
}

// Look reads the state of folder. Anyone may call it at any time: it tries the lock only once `started` exists, when the one
// shim that may hold it has it already.
func Look(folder string) (State, error) {
	for _, step := range []struct {
		file    string
		present bool
		state   State
	}{{exitFile, true, StateExited}, {startedFile, false, StateAbsent}} {
		found, err := has(folder, step.file)
		if err != nil {
			return "", err
		}
		if found == step.present {
			return step.state, nil
		}
	}
	lock := flock.New(filepath.Join(folder, lockFile), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the attempt's lock: %w", err)
	}
	if err == nil && !free {
		return StateRunning, nil
	}
	if err := lock.Close(); err != nil {
		return "", fmt.Errorf("release the attempt's lock: %w", err)
	}
	// The shim may have ended between the two looks.
	found, err := has(folder, exitFile)
	if err != nil {
		return "", err
	}
	if found {
		return StateExited, nil
	}
	return StateLost, nil
}

// Cancel asks the shim of folder to end its agent, durably: a shim that starts later runs nothing. Asking again does no
// harm.
func Cancel(folder string) error {
	return writeDurably(filepath.Join(folder, cancelFile), []byte(time.Now().UTC().Format(time.RFC3339Nano)+"\n"))
}

// Cancelled tells whether somebody asked for the attempt of folder to end.
func Cancelled(folder string) bool {
	found, err := has(folder, cancelFile)
	return err == nil && found
}

func has(folder, name string) (bool, error) {
	_, err := os.Lstat(filepath.Join(folder, name))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	default:
		return false, fmt.Errorf("look into the attempt folder: %w", err)
	}
}

// claimLook is how often a shim looks again at a lock whose holder has not marked the attempt as started yet.
const claimLook = 10 * time.Millisecond

// claim takes the lock of an attempt and marks it as started. A second shim waits until the first has made its mark or has
// died without one, so that whoever sees the second end can see why.
func claim(ctx context.Context, folder string) (*flock.Flock, error) {
	tick := time.NewTicker(claimLook)
	defer tick.Stop()
	for {
		held, err := acquire(folder)
		if err == nil {
			if err := markStarted(folder); err != nil {
				release(held)
				return nil, err
			}
			return held, nil
		}
		if !errors.Is(err, ErrAlreadyStarted) {
			return nil, err
		}
		if marked, lookErr := has(folder, startedFile); marked || lookErr != nil {
			return nil, errors.Join(err, lookErr)
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-tick.C:
		}
	}
}

func acquire(folder string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(folder, lockFile), flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the attempt: %w", err)
	}
	if !got {
		return nil, fmt.Errorf("%w: its lock is held", ErrAlreadyStarted)
	}
	return lock, nil
}

// release gives the lock back, as the end of the process does anyway: an error here can change nothing.
func release(lock *flock.Flock) { _ = lock.Close() }

// markStarted claims the attempt for this process, once and for all. A hard link appears with its content or not at
// all, and fails if the name is taken. The spec is on disk before the mark is.
func markStarted(folder string) error {
	spec := make(chan error, 1)
	go func() { spec <- syncFile(filepath.Join(folder, specFile)) }()
	temp, err := writeMark(folder)
	if err = errors.Join(err, <-spec); err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }() // a leftover name is harmless
	if err := os.Link(temp, filepath.Join(folder, startedFile)); err != nil {
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%w: %s is there", ErrAlreadyStarted, startedFile)
		}
		return fmt.Errorf("mark the attempt as started: %w", err)
	}
	return syncFile(folder)
}

// writeMark writes what the mark will hold, under a name of its own.
func writeMark(folder string) (string, error) {
	self, _ := resource.ReadProcess(os.Getpid()) // it runs
	data, err := json.Marshal(Started{
		Proto: Proto, PID: os.Getpid(), StartTime: self.Start, BootID: bootID(), At: time.Now().UTC(),
	})
	if err != nil {
		return "", fmt.Errorf("mark the attempt as started: %w", err)
	}
	temp := filepath.Join(folder, fmt.Sprintf(".%s.%d", startedFile, os.Getpid()))
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fmt.Errorf("mark the attempt as started: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", fmt.Errorf("mark the attempt as started: %w", err)
	}
	return temp, nil
}

func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// readJSON reads a JSON file strictly. An error about the file itself says what was to be read.
func readJSON(path, what string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	if err := strictjson.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func checkProto(what string, proto int) error {
	if proto != Proto {
		return fmt.Errorf("%s has protocol %d; this program speaks %d", what, proto, Proto)
	}
	return nil
}

func encode(name string, value any) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return append(data, '\n'), nil
}

func writeJSON(path string, value any) error {
	data, err := encode(filepath.Base(path), value)
	if err != nil {
		return err
	}
	return writeDurably(path, data)
}

// writeScratch writes a file that only a process of this attempt reads. After a power cut the hand-in begins anew.
func writeScratch(path string, value any) error {
	data, err := encode(filepath.Base(path), value)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// writeDurably replaces path so that a crash leaves the old content or the new, and the new one once it returns.
func writeDurably(path string, data []byte) error {
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncFile(filepath.Dir(path))
}

// syncFile brings a file, or the names in a folder, to the disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open %s to sync it: %w", path, err)
	}
	return errors.Join(f.Sync(), f.Close())
}
