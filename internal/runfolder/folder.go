// Package runfolder keeps the readable copy of a run: its events one per line,
// its artifacts, transcripts and metrics, and its state as other tools expect
// it. A manifest line is a pure function of its event, so every writer writes
// the same bytes; a lost database can be rebuilt from the manifest. The package
// must not decide anything, and must not change a line once written.
package runfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The files of a run folder.
const (
	ManifestFile    = "manifest.jsonl"
	MetricsFile     = "metrics.jsonl"
	SideEffectsFile = "side_effects.jsonl"
	StateFile       = "workflow-state.json"
	ArtifactsDir    = "artifacts"
	TranscriptsDir  = "transcripts"
	PacksDir        = "packs"
)

// Folder is the folder of one run. All methods are safe for concurrent use,
// by several processes too. The caller closes it.
type Folder struct {
	path   string
	root   *os.Root
	opened os.FileInfo // of root
	named  sync.Map    // folders below it whose names are durable

	mu      sync.Mutex
	tail    tail              // guarded by mu
	metrics *os.File          // guarded by mu: opened by the first append
	words   words             // guarded by mu
	written map[string]string // guarded by mu: digests of the documents of waves that were copied
	meter   *meter            // guarded by mu: what is open in the run, for its metrics; nil until it is needed
	effects effectLog         // guarded by mu
}

// Open opens a run's folder, and creates it if it is missing. Of the manifest it
// understands only the last line; ReadManifest checks the whole.
func Open(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, explain(err, path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, explain(err, path)
	}
	f := &Folder{path: path, root: root}
	if f.opened, err = root.Stat("."); err != nil {
		return nil, errors.Join(explain(err, path), root.Close())
	}
	err = f.reading(ManifestFile, func(file *os.File) (err error) {
		f.tail, err = readTail(file, f.at(ManifestFile))
		return err
	})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

// reading opens a file of the folder for fn. It does nothing if there is no such file.
func (f *Folder) reading(name string, fn func(*os.File) error) (err error) {
	file, err := f.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(err, f.at(name))
	}
	defer func() { err = errors.Join(err, explain(file.Close(), f.at(name))) }()
	return fn(file)
}

// writing opens a file of the folder for one writer alone; closing it gives up the lock.
func (f *Folder) writing(name string) (*os.File, error) {
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explain(err, f.at(name))
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, explain(errors.Join(err, file.Close()), f.at(name))
		}
	}
}

// Close releases the folder's files. What is known of them stays until Reopen.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.metrics != nil {
		err = f.metrics.Close()
		f.metrics = nil
	}
	return errors.Join(err, f.root.Close())
}

// Reopen takes a folder up again that was closed. It has to be the same still: see Gone.
func (f *Folder) Reopen() error {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return explain(err, f.path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.root = root
	return nil
}

// Gone reports that the folder was removed or replaced after it was opened.
func (f *Folder) Gone() bool {
	there, err := os.Stat(f.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(f.opened, there)
}

// Head is the newest event of the manifest.
func (f *Folder) Head() core.Head {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tail.head
}

func (f *Folder) at(name string) string { return filepath.Join(f.path, name) }

// explain gives what the file system says a code and a next step.
func explain(err error, path string) error {
	var known *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return core.Wrap(core.CodeUnavailable, err, path+" cannot grow: the disk is full",
			"free some space and try again; the events are in the database")
	case errors.Is(err, fs.ErrNotExist):
		return core.Wrap(core.CodeNotFound, err, path+" does not exist", "name the folder of a run")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return core.Wrap(core.CodeUnavailable, err, path+" cannot be written or read",
			"make the run's folder writable for you, or choose another state folder with --state")
	}
	return core.Wrap(core.CodeUnavailable, err, path+" cannot be written or read", "")
}
