package shim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	// checkpointPrefix begins the folders of checkpoints; a number follows.
	checkpointPrefix = "checkpoint-"
	// maxCheckpoint bounds the bundle of a checkpoint, and its documents.
	maxCheckpoint = 64 << 20
	// checkpointTimeout ends one. Nothing that the agent put there is removed while it is at work, so git may wait for it.
	checkpointTimeout = time.Minute
)

// Checkpoints saves, from time to time, what a running attempt has done so far, as a salvage would find it.
type Checkpoints struct {
	folder   string
	opts     Options
	redactor Redactor
	began    time.Time
	count    int
	last     Exit
}

// NewCheckpoints makes ready to save an attempt's work. It takes the attempt's secrets from the variables of this process, to
// remove them from what is saved.
func NewCheckpoints(folder string, opts Options) (*Checkpoints, error) {
	spec, err := ReadSpec(folder)
	if err != nil {
		return nil, err
	}
	secrets, err := takePresent(append(spec.Secrets, spec.Redact...))
	if err != nil {
		return nil, err
	}
	redactor, err := opts.NewRedactor(values(secrets))
	if err != nil {
		return nil, fmt.Errorf("prepare the removal of secrets: %w", err)
	}
	return &Checkpoints{folder: folder, opts: opts, redactor: redactor, began: time.Now().UTC()}, nil
}

// Save makes a folder with the bundle, the documents and an exit.json of an attempt that is lost, unless nothing has changed
// since the last one. The agent may be at work: nothing is changed that it sees, and what it changes meanwhile may be missing.
func (c *Checkpoints) Save(ctx context.Context) (err error) {
	spec, err := ReadSpec(c.folder)
	if err != nil {
		return err
	}
	dir := filepath.Join(c.folder, "."+checkpointPrefix+"new")
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return fmt.Errorf("make a checkpoint: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	exit := Exit{
		Proto: Proto, Attempt: spec.Attempt, Isolation: spec.Isolation, Reason: ReasonLost, ExitCode: -1, StartedAt: c.began, EndedAt: time.Now().UTC(),
		Detail:  "the attempt was lost; its last checkpoint was kept",
		Outcome: agent.Outcome{Class: agent.ClassCrashed, Message: "the attempt was interrupted"},
	}
	if err := copyOutput(spec.Job.Out, filepath.Join(dir, "out")); err != nil {
		return fmt.Errorf("make a checkpoint of the documents: %w", err)
	}
	exit.Outputs, exit.Refused = collect(filepath.Join(dir, "out"), spec.limits(), c.redactor)
	if spec.Writes == core.WritesCode {
		handed, err := c.handIn(ctx, dir, spec)
		if err != nil {
			return fmt.Errorf("make a checkpoint of the workspace: %w", err)
		}
		if handed.Gone != "" { // it may be on its way; the last one has more
			return fmt.Errorf("make a checkpoint of the workspace: %s", handed.Gone)
		}
		exit.HandIn = &handed
	}
	exit.redact(c.redactor)
	if c.same(exit) {
		return nil
	}
	if err := writeExit(dir, exit); err != nil {
		return err
	}
	c.count++
	c.last = exit
	if err := os.Rename(dir, c.name(c.count)); err != nil {
		return fmt.Errorf("keep a checkpoint: %w", err)
	}
	return os.RemoveAll(c.name(c.count - 2)) // somebody may be reading the one before
}

// LastCheckpoint is the folder of an attempt's newest checkpoint, "" if there is none.
func LastCheckpoint(folder string) (string, error) {
	all, err := filepath.Glob(filepath.Join(folder, checkpointPrefix+"*"))
	if err != nil || len(all) == 0 {
		return "", err
	}
	return slices.MaxFunc(all, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }), nil
}

func (c *Checkpoints) name(n int) string {
	return filepath.Join(c.folder, fmt.Sprintf("%s%d", checkpointPrefix, n))
}

// same tells that an exit names what the last one named.
func (c *Checkpoints) same(exit Exit) bool {
	if c.count == 0 {
		return len(exit.Outputs) == 0 && (exit.HandIn == nil || exit.HandIn.Empty)
	}
	return slices.Equal(exit.Outputs, c.last.Outputs) &&
		(exit.HandIn == nil || exit.HandIn.Commit == c.last.HandIn.Commit && slices.Equal(exit.HandIn.Left, c.last.HandIn.Left))
}

// handIn bundles the workspace into the folder of a checkpoint. The same work gives the same commit.
func (c *Checkpoints) handIn(ctx context.Context, dir string, spec Spec) (HandIn, error) {
	if kept := keptIndex(c.folder); kept != "" {
		if err := os.Link(kept, IndexFile(dir)); err != nil {
			return HandIn{}, err
		}
	}
	spec.HandInTimeout = min(spec.HandInTimeout, Duration(checkpointTimeout))
	return tryHandIn(ctx, dir, spec, c.opts, func(r *HandInRequest) { r.Live, r.When, r.MaxBytes = true, c.began, maxCheckpoint })
}

// copyOutput copies the documents of an agent that may be writing them.
func copyOutput(from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	root, err := OpenOutput(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	left := int64(maxCheckpoint)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !OutputName(name) || strings.Count(name, "/") >= maxOutputDepth {
			return skipDir(entry) // it may be gone, and what is wrong with it is said at the end
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		file, err := openRegular(root, name)
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		copied, err := os.OpenFile(filepath.Join(to, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return errors.Join(err, file.Close())
		}
		n, err := io.Copy(copied, io.LimitReader(file, left+1))
		if left -= n; left < 0 {
			err = errors.Join(err, fmt.Errorf("they have more than %d bytes", maxCheckpoint))
		}
		return errors.Join(err, copied.Close(), file.Close())
	})
	return errors.Join(err, root.Close())
}
