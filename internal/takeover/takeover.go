// Package takeover brings what earlier versions kept in files of a state folder
// into the store, each file once, and sets the file aside. It must not read a file
// again whose content is in the store already: people have gone on since.
package takeover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Aside is the folder in the state folder where the files are kept that were taken
// over. Nothing reads them any more.
const Aside = "taken-over"

// kind is that of the marks: a document for each piece of an engine that was taken over.
const kind = "takeover"

// piece is what one file or folder held.
type piece struct {
	name string // in the state folder
	// files are those to read and set aside, below the state folder.
	files func(dir string) ([]string, error)
	// read turns them into documents.
	read func(o Options, files []string) ([]store.Document, error)
}

// Options say what is taken over.
type Options struct {
	Dir    string // the state folder
	Engine string // whose it was
	Store  store.Documents
	Log    *slog.Logger
}

// Run takes over what is there. The documents of a piece and the mark that it was
// taken over are put in one transaction, and only then its files are set aside: if
// that is cut short, the next engine sets aside the rest.
func Run(ctx context.Context, o Options) error {
	for _, p := range pieces() {
		if err := o.take(ctx, p); err != nil {
			return core.Wrap(core.CodeUnavailable, err, filepath.Join(o.Dir, p.name)+" is of an earlier version and cannot be taken over",
				"look at what is in it; then mend it, restore it from a backup, or move it away")
		}
	}
	return nil
}

func (o Options) take(ctx context.Context, p piece) error {
	files, err := p.files(o.Dir)
	if err != nil || len(files) == 0 {
		return err
	}
	taken, err := o.taken(ctx, p)
	if err == nil && !taken {
		err = o.put(ctx, p, files)
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := o.setAside(file); err != nil {
			return err
		}
	}
	return nil
}

// markOf is the key of a piece's mark among those of all engines on the store.
func markOf(engine, piece string) string { return engine + "/" + piece }

// taken reports that the files of a piece are in the store. A mark without an engine is of a
// store that only one had.
func (o Options) taken(ctx context.Context, p piece) (bool, error) {
	for _, key := range []string{markOf(o.Engine, p.name), p.name} {
		_, err := o.Store.Document(ctx, kind, key)
		if !errors.Is(err, store.ErrNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}

func (o Options) put(ctx context.Context, p piece, files []string) error {
	all, err := p.read(o, files)
	if err != nil {
		return err
	}
	if _, err := o.Store.PutDocuments(ctx, append(all, store.Document{Kind: kind, Key: markOf(o.Engine, p.name)})); err != nil {
		return err
	}
	o.Log.Info("files of an earlier version were taken over", "name", p.name, "documents", len(all), "aside", filepath.Join(o.Dir, Aside))
	return nil
}

func (o Options) setAside(file string) error {
	to := filepath.Join(o.Dir, Aside, file)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("set it aside: %w", err)
	}
	if err := os.Rename(filepath.Join(o.Dir, file), to); err != nil {
		return fmt.Errorf("set it aside: %w", err)
	}
	o.tidy(filepath.Dir(file))
	return nil
}

// tidy removes a folder that is empty now, and those above it.
func (o Options) tidy(dir string) {
	for ; dir != "."; dir = filepath.Dir(dir) {
		if os.Remove(filepath.Join(o.Dir, dir)) != nil {
			return // it holds something else
		}
	}
}

// one is a piece of a single file.
func one(name string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		_, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return []string{name}, err
	}
}

// each is a piece of all files of a pattern.
func each(pattern string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		files, err := fs.Glob(os.DirFS(dir), pattern)
		return files, err
	}
}
