package dispatch

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

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/archive"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// keepWorkspace moves a workspace whose work is nowhere else into the attempt's folder, which
// nobody cleans up. It may be called again after a crash: if the workspace was moved already,
// the rest is done now. A note says what of it could not be disarmed.
func (d *Dispatcher) keepWorkspace(run *core.Run, attempt string) (kept, note string, err error) {
	folder := d.Layout.Attempt(run.ID, attempt)
	kept, from := filepath.Join(folder, "workspace"), d.workspace(run, attempt)
	if !d.here(run, attempt) { // its worker has sent it
		from = filepath.Join(folder, ".workspace")
		packed := filepath.Join(folder, wire.FileWorkspace)
		if err := unpack(packed, from, kept); err != nil {
			d.Log.Warn("a workspace that could not be handed in is kept packed", "run", run.Alias, "attempt", attempt, "error", err)
			return packed, "", nil // to try again would not help
		}
	}
	if err := os.Rename(from, kept); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", "", fmt.Errorf("keep a workspace: %w", err)
	}
	if err := disarm(kept); err != nil { // to try again would not help
		note = "do not run git in the kept workspace: a repository there could not be disarmed: " + err.Error()
	}
	return kept, note, nil
}

// unpack makes a folder of an archive, in the place of whatever an engine that was killed has made of it, and then removes the
// archive. There is nothing to do if it is kept already, or the archive is gone because the folder is complete.
func unpack(packed, folder, kept string) error {
	if _, err := os.Lstat(kept); err == nil {
		return errors.Join(os.RemoveAll(packed), yard.RemoveWorkspace(folder))
	}
	file, err := os.Open(packed)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = renew(folder)
	if err == nil {
		err = archive.Read(file, folder, archive.Bounds{Entries: maxKeptEntries, Bytes: maxKept})
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, yard.RemoveWorkspace(folder))
	}
	return os.Remove(packed)
}

// maxKept is how large a kept workspace may be, and maxKeptEntries how many files and folders it may have. An archive of a larger
// one stays packed. What is larger than maxKept when packed is not put among the objects.
const (
	maxKept        = 4 << 30
	maxKeptEntries = 1_000_000
)

// archive puts a kept workspace among the objects, so that it outlasts this machine, and returns its digest. One that is still
// packed is put there as it is. One that cannot be read is kept in its folder alone, and notes say what is missing: to try again
// would not help.
func (d *Dispatcher) archive(ctx context.Context, kept string) (digest string, notes []string, err error) {
	info, err := os.Lstat(kept)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil, nil // there never was one
	} else if err != nil {
		return "", nil, err
	}
	write := archive.Write
	switch {
	case info.Mode().IsRegular():
		write = copyPacked
	case !info.IsDir(): // whatever it leads to is not the attempt's work
		return "", []string{"the workspace is not among the objects, because something else was put in its place"}, nil
	}
	in, out := io.Pipe()
	type packing struct {
		left []string
		err  error
	}
	packed := make(chan packing, 1)
	go func() {
		left, err := write(out, kept)
		packed <- packing{left, errors.Join(err, out.CloseWithError(err))}
	}()
	digest, _, err = d.Objects.Put(ctx, in, maxKept)
	err = errors.Join(err, in.Close())
	pack := <-packed
	if failed := ignorePipe(pack.err); failed != nil {
		return "", []string{"the workspace is not among the objects, because it cannot be read: " + failed.Error()}, nil //nolint:nilerr // the record has it
	}
	if _, large := errors.AsType[*object.TooLarge](err); large {
		return "", []string{"the workspace is too large to be put among the objects"}, nil
	}
	const most = 5
	if n := len(pack.left); n > 0 {
		notes = []string{fmt.Sprintf("%d entries of the workspace cannot be read and are not in its archive: %s", n, strings.Join(pack.left[:min(n, most)], ", "))}
	}
	return digest, notes, err
}

// copyPacked copies an archive that could not be unpacked.
func copyPacked(w io.Writer, path string) (left []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from
	_, err = io.Copy(w, file)
	return nil, err
}

// ignorePipe drops what is said about a reader that had enough, and says so itself.
func ignorePipe(err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// disarm renames everything that makes a folder a git repository: a person who ran git there
// would have it obey the agent's configuration, outside of any sandbox. It does as much as it can
// and returns what it met first in its way. A missing folder needs nothing.
func disarm(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	first := yard.OpenFolders(dir)
	var armed []string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (strings.EqualFold(entry.Name(), ".git") || bareHead(path)) {
			armed = append(armed, path)
		}
		first = cmp.Or(first, err)
		return nil
	})
	for _, path := range slices.Backward(armed) { // what is inside before what is around it
		first = cmp.Or(first, rename(path))
	}
	return first
}

// rename gives what makes a repository a name that git does not know.
func rename(path string) error {
	name := "dot-" + strings.TrimPrefix(strings.ToLower(filepath.Base(path)), ".")
	free, err := freeName(filepath.Join(filepath.Dir(path), name))
	if err != nil {
		return err
	}
	return os.Rename(path, free)
}

// bareHead reports the HEAD without which git does not take a folder for a
// repository. A bare one needs no .git, and what was a .git is one.
func bareHead(path string) bool {
	if !strings.EqualFold(filepath.Base(path), "HEAD") {
		return false
	}
	for _, beside := range []string{"objects", "commondir"} {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(path), beside)); err == nil {
			return true
		}
	}
	return false
}

// freeName is the path, or if that exists the first free one with a number.
func freeName(path string) (string, error) {
	for name, n := path, 2; ; n++ {
		_, err := os.Lstat(name)
		if errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = fmt.Sprintf("%s-%d", path, n)
	}
}
