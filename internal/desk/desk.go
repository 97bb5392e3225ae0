// Package desk is where a manager writes: a folder that holds the plan's
// documents, and a note of what they were made from. The engine lays it out, and
// of it reads again only whether a call was unheard; the manager's tools read the
// documents and send what was changed. It must not judge a document: that is the
// engine's.
package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// Folder is what the documents are in, below the desk. PlanFile is the one that
// changes are told apart by.
const (
	Folder   = ".ai"
	PlanFile = "plan.md"
)

// Bounds of what is read.
const (
	maxDocuments = 64
	maxDocument  = 1 << 20
)

// Origin says what the documents of a desk were made from.
type Origin struct {
	Dir   string            `json:"dir"`   // the desk
	Plan  string            `json:"plan"`  // digest of plan.md as the engine knows it; empty if there is none
	Files map[string]string `json:"files"` // digests of the documents as they lay there
	// Unheard is that a call found no engine for so long that it was given up.
	Unheard bool `json:"unheard,omitempty"`
}

// Unheard reports a desk whose note, at path, says that a call was given up. The
// note lies in the agent's hands: what cannot be read says nothing.
func Unheard(path string) bool {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }() // only read from
	text, err := document(root, filepath.Base(path))
	var origin Origin
	return err == nil && strictjson.Unmarshal([]byte(text), &origin) == nil && origin.Unheard
}

// Lay notes in the file at path what the documents in dir are made from.
func Lay(dir, path string) error {
	files, err := Documents(dir)
	if err != nil {
		return err
	}
	origin := Origin{Dir: dir, Files: map[string]string{}}
	for name, text := range files {
		origin.Files[name] = digest(text)
	}
	origin.Plan = origin.Files[PlanFile]
	return origin.Write(path)
}

// Read reads the note at path.
func Read(path string) (Origin, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Origin{}, fmt.Errorf("read what the plan was made from: %w", err)
	}
	var origin Origin
	if err := strictjson.Unmarshal(data, &origin); err != nil {
		return Origin{}, fmt.Errorf("read what the plan was made from, in %s: %w", path, err)
	}
	return origin, nil
}

// Write replaces the note at path.
func (o Origin) Write(path string) error {
	data, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fmt.Errorf("note what the plan is made from: %w", err)
	}
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("note what the plan is made from: %w", err)
	}
	return nil
}

// Changed are those of the documents that are not as they were laid out.
func (o Origin) Changed(documents map[string]string) map[string]string {
	changed := map[string]string{}
	for name, text := range documents {
		if o.Files[name] != digest(text) {
			changed[name] = text
		}
	}
	return changed
}

// Committed takes documents that were committed as what the desk is made from;
// plan is the digest of the plan after that.
func (o *Origin) Committed(documents map[string]string, plan string) {
	if o.Files == nil {
		o.Files = map[string]string{}
	}
	for name, text := range documents {
		o.Files[name] = digest(text)
	}
	o.Plan = plan
}

// Documents reads the documents of the desk at dir: the Markdown files right in
// its folder, neither those nor the folder through a link. A person's desk may be a
// repository that somebody gave them, whose links could lead to files of theirs.
func Documents(dir string) (found map[string]string, err error) {
	root, err := folder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the plan's folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list the plan's folder: %w", err)
	}
	found = map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".md") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(found) == maxDocuments {
			return nil, fmt.Errorf("%s has more than %d documents", Folder, maxDocuments)
		}
		if found[name], err = document(root, name); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// folder opens the folder of the documents itself, and nothing outside dir.
func folder(dir string) (opened *os.Root, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	info, err := root.Lstat(Folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", filepath.Join(dir, Folder))
	}
	return root.OpenRoot(Folder)
}

func document(root *os.Root, name string) (text string, err error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("open %s/%s: %w", Folder, name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(fmt.Errorf("%s/%s is no plain file", Folder, name), err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return "", fmt.Errorf("read %s/%s: %w", Folder, name, err)
	}
	if len(data) > maxDocument {
		return "", fmt.Errorf("%s/%s has more than %d bytes", Folder, name, maxDocument)
	}
	return string(data), nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
