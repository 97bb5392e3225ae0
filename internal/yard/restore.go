package yard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// emptyMark is in a yard that was made and does not have yet what the events say it had.
const emptyMark = "stellwerk.empty"

// Empty reports a yard that is new: whatever its project had is yet to be restored.
func (y *Yard) Empty() (bool, error) {
	_, err := os.Lstat(filepath.Join(y.dir, emptyMark))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Restored records that the yard has everything.
func (y *Yard) Restored() error {
	if err := os.Remove(filepath.Join(y.dir, emptyMark)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncDir(y.dir)
}

// Source is one bundle to restore, which was checked when it was made or imported. Reading it to its end fails if it is not
// what was checked.
type Source struct {
	Name string
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Restore brings the objects of bundles into the yard, in this order, because each may rest on those before it. It sets no
// ref. A thousand small bundles cost one process: their packs are joined into one. A large one is handed to git by itself.
func (y *Yard) Restore(ctx context.Context, sources []Source) (err error) {
	defer wrap(&err, "restore yard %s", y.dir)
	small, err := y.join()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, small.close()) }()
	for _, source := range sources {
		if err := small.restore(ctx, source); err != nil {
			return fmt.Errorf("%s: %w", source.Name, err)
		}
	}
	return small.flush(ctx)
}

// restore takes one bundle in.
func (j *joined) restore(ctx context.Context, source Source) (err error) {
	from, err := source.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	in := bufio.NewReader(&cancellable{ctx, from})
	if _, err := readBundleHeader(in); err != nil {
		return err
	}
	pack, err := io.ReadAll(io.LimitReader(in, maxJoined+1))
	if err != nil {
		return err
	}
	if len(pack) > maxJoined {
		return j.alone(ctx, io.MultiReader(bytes.NewReader(pack), in))
	}
	if len(pack) < packHead+packTrailer {
		return cutOff(io.ErrUnexpectedEOF)
	}
	err = j.add(ctx, pack[:len(pack)-packTrailer])
	if errors.Is(err, errUnjoinable) {
		return j.alone(ctx, bytes.NewReader(pack))
	}
	if err == nil && j.at > maxBatch {
		err = j.flush(ctx)
	}
	return err
}

// alone has git take one pack in, after what was joined so far. All of the pack is read before git sees any of it.
func (j *joined) alone(ctx context.Context, pack io.Reader) (err error) {
	if err := j.flush(ctx); err != nil {
		return err
	}
	if _, err := io.Copy(io.NewOffsetWriter(j.spool, 0), pack); err != nil {
		return err
	}
	if _, err := j.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return errors.Join(j.yard.index(ctx, j.spool), j.spool.Truncate(0))
}

// index has git take a pack in.
func (y *Yard) index(ctx context.Context, pack io.Reader) error {
	err := y.git().stream(ctx, pack, io.Discard, "index-pack", "--stdin", "--fix-thin")
	if err == nil || ctx.Err() != nil || stderrHas(err, "No space left", "Read-only file system", "Permission denied", "Disk quota") {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// FetchCommits fetches exact commits of a repository on this machine, also those that no branch of it has any more.
func (y *Yard) FetchCommits(ctx context.Context, dir string, commits []string) error {
	for _, commit := range commits {
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
	}
	return y.fetchRefs(ctx, dir, commits, []string{"uploadpack.allowAnySHA1InWant=true"})
}
