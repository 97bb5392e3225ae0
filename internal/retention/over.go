package retention

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// over is a run that is over, while it is seen to.
type over struct {
	*pass
	row     store.RunRow
	history *history
	yard    *yard.Yard
}

func (o *over) item(kind, name string) Item { return Item{Kind: kind, Run: o.row.Alias, Name: name} }

// attempts handles the folders of attempts and of the commands of checks.
func (o *over) attempts(ctx context.Context) error {
	root := filepath.Join(o.State, "attempts", o.row.ID)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		proof, doubt := o.attempt(ctx, dir, e.Name())
		if err := ctx.Err(); err != nil {
			return err
		}
		o.folder(KindAttempt, dir, proof, doubt)
	}
	if o.Remove {
		_ = os.Remove(root) // only where it is empty
	}
	return nil
}

// folder removes one by what was proved about it, and keeps one in doubt.
func (o *over) folder(kind, dir, proof string, doubt error) {
	item := o.item(kind, filepath.Base(dir))
	if doubt != nil {
		o.keep(item, doubt.Error())
		return
	}
	item.Proof, item.Bytes = proof, sizeOf(dir)
	o.did(item, func() error { return drop(dir) })
}

// attempt proves that everything worth keeping of an attempt is kept elsewhere.
func (o *over) attempt(ctx context.Context, dir, name string) (proof string, doubt error) {
	if strings.HasPrefix(name, dropped) {
		return "it was proved before, and its removal cut short", nil
	}
	if core.IsCheckID(name) {
		return "the outputs of checks are among the objects", nil
	}
	exited, ended := o.history.attempts[name]
	if !ended {
		return "", errors.New("no event says how it ended")
	}
	if _, err := os.Lstat(filepath.Join(dir, "workspace")); !errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("it holds a workspace that could not be handed in: look at it, then remove the folder yourself")
	}
	if err := o.same(ctx, filepath.Join(dir, "out.jsonl"), exited.Transcript); err != nil {
		return "", fmt.Errorf("its transcript: %w", err)
	}
	if err := o.same(ctx, filepath.Join(dir, "prompt.md"), o.history.prompts[name]); err != nil {
		return "", fmt.Errorf("its prompt: %w", err)
	}
	if err := o.delivered(ctx, exited.Delivery); err != nil {
		return "", err
	}
	return "transcript, prompt and artifacts are among the objects, commits in the yard", nil
}

// same proves that a file is among the objects, if there is one.
func (o *over) same(ctx context.Context, path, digest string) error {
	got, err := digestOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case got != digest:
		return errors.New("it is not what the events speak of")
	}
	return o.Objects.Verify(ctx, digest)
}

// delivered proves that what an attempt handed in is kept.
func (o *over) delivered(ctx context.Context, d *core.Delivery) error {
	if d == nil {
		return nil
	}
	for _, a := range d.Artifacts {
		if err := o.Objects.Verify(ctx, a.Digest); err != nil {
			return fmt.Errorf("its artifact %s: %w", a.Name, err)
		}
	}
	if d.Ref == "" {
		return nil
	}
	if at, err := o.yard.Resolve(ctx, d.Ref); err == nil && at == d.Commit {
		return nil
	}
	// Whatever became of the ref, the branch may hold the commit.
	held, err := o.yard.Holds(ctx, o.row.Branch, d.Commit)
	if err == nil && !held {
		err = fmt.Errorf("its commit %.12s is under no ref", d.Commit)
	}
	return err
}

// work handles what a sweep had to leave. Whatever was done in it was handed in when its
// attempt ended.
func (o *over) work(ctx context.Context) error {
	dir := filepath.Join(o.State, "work", o.row.ID)
	for _, left := range []string{dir, filepath.Join(filepath.Dir(dir), dropped+o.row.ID)} {
		if _, err := os.Lstat(left); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		o.folder(KindWork, left, "everything that was handed in is in the yard and among the objects", o.all(ctx))
	}
	return ctx.Err()
}

// drafts handles comments that were written in the moment in which the run ended.
func (o *over) drafts(ctx context.Context) error {
	size, err := o.Drafts.Size(ctx, o.row.ID)
	if err != nil || size == 0 {
		return err
	}
	item := o.item(KindDraft, o.row.ID)
	item.Proof, item.Bytes = "the run is over, and takes no comments", size
	o.did(item, func() error { return o.Drafts.Forget(ctx, o.row.ID) })
	return ctx.Err()
}

// all proves that the deliveries of all attempts are kept.
func (o *over) all(ctx context.Context) error {
	for name, exited := range o.history.attempts {
		if err := o.delivered(ctx, exited.Delivery); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// transcripts handles the copies in the run's folder.
func (o *over) transcripts(ctx context.Context) error {
	if !o.Transcripts {
		return nil
	}
	for name, exited := range o.history.attempts {
		path := filepath.Join(o.State, "runs", o.row.ID, runfolder.TranscriptsDir, name+".jsonl")
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		item := o.item(KindTranscript, name)
		if doubt := o.same(ctx, path, exited.Transcript); doubt != nil {
			o.keep(item, doubt.Error())
			continue
		}
		item.Proof, item.Bytes = "it is object "+exited.Transcript[:12], info.Size()
		o.did(item, func() error { return os.Remove(path) })
	}
	return ctx.Err()
}

// refs handles the refs of attempts. Those that hold the only copy of work stay, and so does
// everything below refs/kept.
func (o *over) refs(ctx context.Context) error {
	refs, err := o.yard.Refs(ctx, yard.Attempts+o.row.ID+"/")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		item := o.item(KindRef, ref.Name)
		held, err := o.yard.Holds(ctx, o.row.Branch, ref.Commit)
		if err != nil {
			return err
		}
		if !held {
			o.keep(item, "it holds work that "+o.row.Branch+" does not")
			continue
		}
		item.Proof = fmt.Sprintf("%.12s is part of %s", ref.Commit, o.row.Branch)
		o.did(item, func() error { return o.yard.Release(ctx, ref.Name, ref.Commit, o.row.Branch) })
	}
	return nil
}

// digestOf is the hex SHA-256 of a regular file.
func digestOf(path string) (digest string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// sizeOf is what a folder holds, as far as it can be read.
func sizeOf(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error { // what cannot be read is not counted
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // as above
		}
		if info, err := entry.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}
