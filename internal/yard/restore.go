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

// Unrestored takes that back: something is missing again.
func (y *Yard) Unrestored() error { return writeFile(filepath.Join(y.dir, emptyMark), nil, true) }

// Lacks says why the yard does not have everything: whoever asks for a commit that is not there is told. A nil error takes it back.
func (y *Yard) Lacks(why error) { y.lacks.Store(&why) }

// absent is ErrNotFound about an object of a kind, with why it is not there if that is known.
func (y *Yard) absent(kind, rev string) error {
	err := fmt.Errorf("%s %q: %w", kind, rev, ErrNotFound)
	if !isHash(rev) {
		return err // a branch need not have been there
	}
	return y.explained(err)
}

// explained adds to a failure why an object that was not found is not there, if that is known.
func (y *Yard) explained(err error) error {
	why := y.lacks.Load()
	if why == nil || *why == nil || !errors.Is(err, ErrNotFound) && !stderrHas(err, "bad object") {
		return err
	}
	return fmt.Errorf("%w: %w", err, *why)
}

// Source is one bundle to restore, which was checked when it was made or imported. Reading it to its end fails if it is not
// what was checked.
type Source struct {
	Name string
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Restore brings the objects of bundles into the yard. It sets no ref. A bundle that rests on others comes after them; one that
// rests on commits which are nowhere stays out, so that whatever the yard has of a commit is all of it. The rest comes in, and
// the error is ErrPrerequisites. A thousand small bundles cost one process: their packs are joined into one. A large one is
// handed to git by itself.
func (y *Yard) Restore(ctx context.Context, sources []Source) (err error) {
	defer wrap(&err, "restore yard %s", y.dir)
	small, err := y.join()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, small.close()) }()
	var waiting []error
	for tried := 0; len(sources) > 0 && len(sources) != tried; {
		tried = len(sources)
		var later []Source
		waiting = nil
		for _, source := range sources {
			err := small.restore(ctx, source)
			if err != nil {
				err = fmt.Errorf("%s: %w", source.Name, err)
			}
			if errors.Is(err, errEarly) {
				later, waiting = append(later, source), append(waiting, err)
			} else if err != nil {
				return err
			}
		}
		sources = later
	}
	return errors.Join(append(waiting, small.flush(ctx))...)
}

// errEarly says that nothing of a bundle was taken in, because a commit that it rests on is not there.
var errEarly = fmt.Errorf("%w", ErrPrerequisites)

// restore takes one bundle in, or nothing of it with errEarly.
func (j *joined) restore(ctx context.Context, source Source) (err error) {
	from, err := source.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	in := bufio.NewReader(&cancellable{ctx, from})
	header, err := readBundleHeader(in)
	if err != nil {
		return err
	}
	for _, commit := range header.prerequisites {
		if err := j.has(ctx, commit); err != nil {
			return err
		}
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

// has looks for a commit among what was joined and in the yard.
func (j *joined) has(ctx context.Context, commit string) error {
	id, err := parseID(commit)
	if err != nil || j.known[id] != nil {
		return err
	}
	if _, err = j.yard.reader.look(ctx, commit); errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%w: it rests on commit %s", errEarly, commit)
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
