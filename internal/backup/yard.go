package backup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxPasses is how often the objects of a yard are looked through for what was
// put together anew meanwhile.
const maxPasses = 20

// copyYards copies every yard while it is written to: first the refs, then the
// objects, so that no ref names an object that is not there.
func copyYards(ctx context.Context, from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the yards cannot be read", "check "+from)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the backup cannot be written", "check the space and permissions of "+filepath.Dir(to))
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' { // one that is being made
			continue
		}
		if err := copyYard(ctx, filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyYard(ctx context.Context, from, to string) error {
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, from+" cannot be copied", "check the space and permissions of "+filepath.Dir(to))
	}
	for _, e := range entries {
		if e.Name() == "objects" {
			continue
		}
		if err := copyAll(ctx, filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), locked); err != nil {
			return err
		}
	}
	for range maxPasses {
		whole, err := copyObjects(ctx, filepath.Join(from, "objects"), filepath.Join(to, "objects"))
		if err != nil || whole {
			return err
		}
	}
	return core.Errorf(core.CodeUnavailable, "%s changes faster than it can be copied", from).WithHint("try again when less happens in it")
}

// copyObjects copies what is not there yet. Objects never change, but packs are
// put together anew and the old ones removed: it is whole if nothing that was
// listed vanished before it was copied.
func copyObjects(ctx context.Context, from, to string) (whole bool, err error) {
	whole = true
	err = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = copyObject(path, filepath.Join(to, path[len(from):]), entry)
		}
		if errors.Is(err, fs.ErrNotExist) && path != from {
			whole = false
			return nil
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		return false, core.Wrap(core.CodeUnavailable, err, from+" cannot be copied", "check the space and permissions of "+filepath.Dir(to))
	}
	return whole, err
}

func copyObject(from, to string, entry fs.DirEntry) error {
	err := copyOne(from, to, entry, halfWritten)
	if errors.Is(err, fs.ErrExist) {
		return nil // of a pass before
	}
	return err
}
