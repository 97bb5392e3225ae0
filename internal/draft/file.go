package draft

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// page is a file of the book: what one person wrote about one run.
type page struct {
	Person   string    `json:"person"`
	Comments []Comment `json:"comments"`
}

// path is where a person's comments on a run are. A person's name can be anything
// and is no file's.
func (b *Book) path(run, person string) (string, error) {
	if !filepath.IsLocal(run) || strings.ContainsAny(run, `/\`) || strings.HasPrefix(run, ".") {
		return "", core.Errorf(core.CodeInvalid, "%.80q is no run", run)
	}
	sum := sha256.Sum256([]byte(person))
	return filepath.Join(b.dir, run, hex.EncodeToString(sum[:16])+".json"), nil
}

func (b *Book) read(run, person string) ([]Comment, error) {
	path, err := b.path(run, person)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var p page
	if err == nil {
		err = strictjson.Unmarshal(data, &p)
	}
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "your comments that are not sent yet cannot be read", "look at "+path+", or move it away")
	}
	return p.Comments, nil
}

// write replaces a file whole, or removes it if nothing is left to keep.
func (b *Book) write(run, person string, list []Comment) error {
	path, err := b.path(run, person)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept(err)
		}
		_ = os.Remove(filepath.Dir(path)) // only if nobody else has comments on the run
		return nil
	}
	data, err := json.Marshal(page{Person: person, Comments: list})
	if err != nil {
		return kept(err)
	}
	if len(data) > maxBytes {
		return core.Errorf(core.CodeInvalid, "the comments have %d kB, and the limit is %d", len(data)>>10, maxBytes>>10).WithHint("send them, then go on")
	}
	if err := b.room(path, len(data)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return kept(err)
	}
	return kept(renameio.WriteFile(path, data, 0o600))
}

// room refuses a file of a size if there are too many, or they are too large: of
// what people wrote, nothing makes way for something else.
func (b *Book) room(path string, size int) error {
	files, err := filepath.Glob(filepath.Join(b.dir, "*", "*.json"))
	if err != nil {
		return fmt.Errorf("count the comments: %w", err)
	}
	others, total := 0, int64(size)
	for _, file := range files {
		if file == path {
			continue
		}
		if info, err := os.Lstat(file); err == nil { // otherwise it was sent, or its run went, this moment
			others, total = others+1, total+info.Size()
		}
	}
	if others >= maxReviews || total > maxTotal {
		return core.Errorf(core.CodeUnavailable, "comments on %d runs wait to be sent already, %d kB of them", others, total>>10).
			WithHint("send or remove those on another run first")
	}
	return nil
}

func kept(err error) error {
	if err == nil {
		return nil
	}
	return core.Wrap(core.CodeUnavailable, err, "the comment cannot be kept", "check the space and permissions of the engine's state folder")
}
