package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// Layout says where things of a state folder live.
type Layout struct {
	State string
}

// Attempt is the folder of an attempt: the contract between engine and shim.
func (l Layout) Attempt(run, attempt string) string {
	return filepath.Join(l.State, "attempts", run, attempt)
}

// Folder is Attempt by the attempt's name.
func (l Layout) Folder(id spawn.ID) string { return l.Attempt(id.Run, id.Attempt) }

// Work holds the working folders of a run.
func (l Layout) Work(run string) string { return filepath.Join(l.State, "work", run) }

// Workspace is where an attempt works.
func (l Layout) Workspace(run, attempt string) string {
	return filepath.Join(l.State, "work", run, attempt)
}

// Checkout is where a delivery is verified. Each verification, named by the
// event that asked for it, has its own.
func (l Layout) Checkout(run, event, name string) string {
	sum := sha256.Sum256([]byte(event))
	return filepath.Join(l.State, "work", run, "verify-"+name+"-"+hex.EncodeToString(sum[:6]))
}

// BuildCache is where the commands of a run's checks keep what they built.
func (l Layout) BuildCache(run string) string {
	return filepath.Join(l.State, "work", run, "build-cache")
}

// Resources is where attempts tell each other what they take of the machine.
func (l Layout) Resources() string { return filepath.Join(l.State, "resources") }

// Caches holds what a run's setup made.
func (l Layout) Caches(run string) string {
	return filepath.Join(l.State, "work", run, "caches")
}
