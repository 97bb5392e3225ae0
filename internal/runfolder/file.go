package runfolder

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Artifact copies an artifact that a round of a stage handed in to
// artifacts/<stage>.r<round>/<name>, and to artifacts/latest/<name> as the
// newest of its name.
func (f *Folder) Artifact(stage string, round int, name string, content io.Reader) error {
	versioned := path.Join(ArtifactsDir, fmt.Sprintf("%s.r%d", stage, round), name)
	newest := path.Join(ArtifactsDir, "latest", name)
	if !plainName(stage) || strings.Contains(stage, "/") || !plainName(name) || strings.Contains(name, "/") {
		return core.Errorf(core.CodeInvalid, "artifact %.80q of stage %.80q cannot be stored: its name is not a plain file name", name, stage)
	}
	a, err := f.begin(versioned)
	if err != nil {
		return err
	}
	b, err := f.begin(newest)
	if err != nil {
		return errors.Join(err, a.drop())
	}
	if _, err := io.Copy(io.MultiWriter(a.file, b.file), content); err != nil {
		return explain(errors.Join(err, a.drop(), b.drop()), f.at(versioned))
	}
	second := make(chan error, 1)
	go func() { second <- b.end(true) }() // each waits for the disk
	return cmp.Or(a.end(true), <-second)
}

// TakeArtifacts copies the artifacts of another folder of the same run. Those that are
// here already stay as they are.
func (f *Folder) TakeArtifacts(from fs.FS) error {
	return fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !plainName(name) || strings.Count(name, "/") != 1 {
			return err
		}
		to := path.Join(ArtifactsDir, name)
		if _, err := f.root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return explain(err, f.at(to))
		}
		file, err := from.Open(name)
		if err != nil {
			return fmt.Errorf("read the artifact %s: %w", name, err)
		}
		return errors.Join(f.replace(to, file, true), file.Close())
	})
}

// Pack keeps a pack of commits under its digest, once. If link can give it a second name, it is not copied.
func (f *Folder) Pack(digest string, link func(path string) error, open func() (io.ReadCloser, error)) error {
	if !plainName(digest) || strings.Contains(digest, "/") {
		return core.Errorf(core.CodeInvalid, "the pack %.80q cannot be stored: its name is no digest", digest)
	}
	name := path.Join(PacksDir, digest)
	if _, err := f.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return explain(err, f.at(name))
	}
	if err := f.root.MkdirAll(PacksDir, 0o700); err != nil {
		return explain(err, f.at(PacksDir))
	}
	if link(f.at(name)) == nil {
		return explain(f.syncNames(PacksDir), f.at(name))
	}
	content, err := open()
	if err != nil {
		return err
	}
	return errors.Join(f.replace(name, content, true), content.Close())
}

// Transcript keeps what an attempt said, one JSON value per line, and what it did to anything but its workspace. Whoever finds the
// transcript finds the latter, too.
func (f *Folder) Transcript(attempt string, content io.Reader, effects ...SideEffect) error {
	if !plainName(attempt) || strings.Contains(attempt, "/") {
		return core.Errorf(core.CodeInvalid, "the transcript of attempt %.80q cannot be stored: its name is not a plain file name", attempt)
	}
	name := path.Join(TranscriptsDir, attempt+".jsonl")
	u, err := f.begin(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(u.file, content); err != nil {
		return explain(errors.Join(err, u.drop()), f.at(name))
	}
	synced := make(chan error, 1)
	go func() { synced <- explain(u.sync(), f.at(name)) }() // the other has to wait for the disk, too
	if err := cmp.Or(f.SideEffects(effects...), <-synced); err != nil {
		return errors.Join(err, u.drop())
	}
	return u.end(true)
}

// HasTranscript reports whether an attempt's transcript is in the folder.
func (f *Folder) HasTranscript(attempt string) bool {
	_, err := f.root.Lstat(path.Join(TranscriptsDir, attempt+".jsonl"))
	return err == nil
}

// HasArtifact reports whether the folder has an artifact as Artifact leaves it, the second copy included. Another of the
// same name may have taken its place: a later attempt of the round hands in its own.
func (f *Folder) HasArtifact(stage string, round int, a core.Artifact) bool {
	return f.holds(path.Join(ArtifactsDir, fmt.Sprintf("%s.r%d", stage, round), a.Name), a) && f.holds(path.Join(ArtifactsDir, "latest", a.Name), a)
}

func (f *Folder) holds(name string, a core.Artifact) bool {
	file, err := f.root.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // only read from
	if info, err := file.Stat(); err != nil || info.Size() != a.Size {
		return false
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == a.Digest
}

// WriteState writes workflow-state.json from the run. It does not wait for the
// disk: the file is derived, and soon replaced. One that says the same already stays as it is.
func (f *Folder) WriteState(r *core.Run) error {
	data, err := State(r)
	if err != nil {
		return err
	}
	if has, err := f.root.ReadFile(StateFile); err == nil && bytes.Equal(has, data) {
		return nil
	}
	return f.replace(StateFile, bytes.NewReader(data), false)
}

// plainName reports a clean relative path. The root already refuses to leave the
// folder; this keeps a name from meaning another file inside it.
func plainName(name string) bool {
	return filepath.IsLocal(name) && path.Clean(name) == name && !strings.HasPrefix(path.Base(name), ".") &&
		!strings.ContainsAny(name, "\x00\n\\")
}

// replace writes a file so that a reader sees the old content or the new. If it is to be durable, a crash of the machine
// leaves it there, too, once replace has returned.
func (f *Folder) replace(name string, content io.Reader, durable bool) error {
	p, err := f.begin(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(p.file, content); err != nil {
		return explain(errors.Join(err, p.drop()), f.at(name))
	}
	return p.end(durable)
}

// unfinished is a file that takes the place of another when it is whole.
type unfinished struct {
	folder     *Folder
	name, path string // what it is to be called, and what it is called meanwhile
	file       *os.File
	synced     bool
}

// begin makes a new file beside name under a name nobody else has.
func (f *Folder) begin(name string) (*unfinished, error) {
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return nil, explain(err, f.at(name))
	}
	for n := 0; ; n++ {
		at := path.Join(path.Dir(name), fmt.Sprintf(".%s.%s-%d", path.Base(name), writer, n))
		file, err := f.root.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return &unfinished{folder: f, name: name, path: at, file: file}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, explain(err, f.at(name))
		}
	}
}

// drop removes the file.
func (u *unfinished) drop() error { return errors.Join(u.file.Close(), u.folder.root.Remove(u.path)) }

// sync has the file's content survive a crash of the machine.
func (u *unfinished) sync() error {
	if u.synced {
		return nil
	}
	u.synced = true
	return u.file.Sync()
}

// end gives the file its name.
func (u *unfinished) end(durable bool) error {
	var err error
	if durable {
		err = u.sync()
	}
	err = errors.Join(err, u.file.Close())
	if err == nil {
		err = u.folder.root.Rename(u.path, u.name)
	}
	if err != nil {
		return explain(errors.Join(err, u.folder.root.Remove(u.path)), u.folder.at(u.name))
	}
	if durable {
		return explain(u.folder.syncNames(path.Dir(u.name)), u.folder.at(u.name))
	}
	return nil
}
