// Package yard drives the git program so that nothing an agent or a repository
// wrote can steer it. A yard is one project's bare repository, which only the
// engine writes: it mirrors the person's branches, receives attempts as bundles,
// merges without a work tree and moves refs by compare-and-swap. Workspaces and
// checkouts are repositories of their own that borrow the yard's objects, so
// nothing that happens in them reaches the yard. Every git process gets an
// environment and a configuration made here, never the caller's. The package must
// not run git in a folder an agent can write, with one exception: HandIn, which is
// meant to run inside the attempt's sandbox. It decides nothing about runs, tasks
// or approvals, and it never touches the work tree or index of a person's
// repository.
package yard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Yard is one bare repository. Its methods may be called from several goroutines
// and, ref by ref, from several processes; writers meet in git's own ref locks.
type Yard struct {
	dir       string
	occupancy *os.File
	extent    extent
	memory    int64 // that git may use to read something an agent made
	pack      packLimits
	sizes     treeSizes
	vetted    sync.Map // commits whose trees are known to be within the extent, and the sizes of those
	byHand    extent   // of trees that are checked out without git
	reader    reader
	fetching  chan struct{} // held during a fetch
	lacks     atomic.Pointer[error]

	// Credentials finds the credentials for remotes; nil if none needs any. It is set before the yard is used.
	Credentials Credentials
}

const yardConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
[gc]
	auto = 0
	pruneExpire = never
[maintenance]
	auto = false
[receive]
	denyCurrentBranch = refuse
[transfer]
	fsckObjects = true
[stellwerk]
	yard = 1
`

const yardMark = "[stellwerk]\n\tyard = 1\n"

// incomingDir holds the private copies of bundles while they are imported, and bases while they are written.
const incomingDir = "incoming"

// Open opens the yard in dir, an absolute path, and creates it when dir is missing
// or empty. A folder that holds anything else is refused. Leftovers of git processes
// that died are removed if no other process has the yard open.
func Open(ctx context.Context, dir string) (_ *Yard, err error) {
	defer wrap(&err, "open yard %s", dir)
	if !filepath.IsAbs(dir) {
		return nil, errors.New("the path must be absolute")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := ensure(dir); err != nil {
		return nil, err
	}
	y := &Yard{dir: filepath.Clean(dir), extent: defaultExtent(), byHand: defaultByHand(), pack: defaultPackLimits(), memory: maxGitMemory, fetching: make(chan struct{}, 1)}
	if y.occupancy, err = occupy(y.dir); err != nil {
		return nil, err
	}
	y.reader.git = git{dir: y.dir, env: append(ownEnv(), "GIT_DIR="+y.dir), config: ownConfig()}
	return y, nil
}

// Close gives up this process's hold on the yard. Git processes that still run keep theirs.
func (y *Yard) Close() error { return errors.Join(y.reader.close(), y.occupancy.Close()) }

// Gone reports that the folder was removed or replaced after the yard was opened.
func (y *Yard) Gone() (bool, error) {
	opened, err := y.occupancy.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(filepath.Join(y.dir, occupancyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && !os.SameFile(opened, there), err
}

// Made is when the folder was made: a workspace that is older borrowed from one that is gone.
func (y *Yard) Made() (time.Time, error) {
	info, err := os.Lstat(filepath.Join(y.dir, "config")) // written once
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// Dir is the folder of the bare repository.
func (y *Yard) Dir() string { return y.dir }

func ensure(dir string) error {
	config, err := os.ReadFile(filepath.Join(dir, "config"))
	if err == nil {
		if !strings.Contains(string(config), yardMark) {
			return errors.New("the folder holds a repository that is not a yard; choose another state folder")
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return create(dir)
}

// create builds the yard beside its place and renames it, so a crash never leaves half of one.
func create(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".part-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(part) }() // only something to remove when the rename below did not happen
	if err := layRepository(part, layout{head: "ref: refs/heads/main", config: yardConfig, durable: true}); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(part, incomingDir), 0o700); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(part, emptyMark), nil, true); err != nil {
		return err
	}
	err = os.Remove(dir)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		err = os.Rename(part, dir)
	default:
		err = fmt.Errorf("the folder is neither empty nor a yard: %w", err)
	}
	if err != nil {
		if _, lost := os.Stat(filepath.Join(dir, "config")); lost == nil {
			return ensure(dir) // another process created it first
		}
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// git is the command prefix for this yard: explicit repository, durable writes.
func (y *Yard) git() git {
	return git{
		dir:    y.dir,
		env:    append(ownEnv(), "GIT_DIR="+y.dir),
		config: append(ownConfig(), "core.fsync=all", "core.fsyncMethod=fsync"),
		files:  []*os.File{y.occupancy},
	}
}
