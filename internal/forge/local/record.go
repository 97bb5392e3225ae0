package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Record is a pull request.
type Record struct {
	Number   int          `json:"number"`
	Run      string       `json:"run"`
	Title    string       `json:"title"`
	Body     string       `json:"body"`
	Remote   string       `json:"remote"`
	Head     string       `json:"head"`
	Base     string       `json:"base"`
	Commit   string       `json:"commit"`
	Status   forge.State  `json:"status"`
	Merge    string       `json:"merge,omitempty"`
	CI       forge.CI     `json:"ci,omitempty"`
	Preview  string       `json:"preview,omitempty"`
	Notes    []forge.Note `json:"notes,omitempty"`
	OpenedAt time.Time    `json:"opened_at"`
}

// Kinds of documents. Both are known by project and number.
const (
	kindRecord = "pull"
	kindPage   = "pull.page"
)

func key(project string, number int) string { return fmt.Sprintf("%s/%08d", project, number) }

// page is what people read. A diff that is too long for a document is cut.
func (r Record) page(diff string) []byte {
	head := fmt.Sprintf("# %s\n\n`%s` into `%s`, commit `%s`\n\n%s\n## Changes\n\n",
		plain.Line(r.Title, 200), r.Head, r.Base, r.Commit, plain.Text(r.Body))
	return clip(head + fenced(diff) + "\n")
}

const cut = "\n\n… cut: the diff is longer than what is kept of it here.\n"

func clip(text string) []byte {
	if len(text) <= store.MaxDocument {
		return []byte(text)
	}
	return []byte(strings.ToValidUTF8(text[:store.MaxDocument-len(cut)], "") + cut)
}

// fenced puts text into a fence longer than any inside it, without characters
// that a terminal or a page would obey.
func fenced(text string) string {
	text = plain.Text(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "diff\n" + text + "\n" + fence
}

// show writes the page of a pull request where people find it, if it is not there or
// has changed.
func (f *Forge) show(ctx context.Context, project string, number int, changed bool) error {
	dir, err := f.folder(project)
	if err != nil {
		return err
	}
	file := pageFile(dir, number)
	if _, err := os.Stat(file); err == nil && !changed {
		return nil
	}
	page, err := f.docs.Document(ctx, kindPage, key(project, number))
	if errors.Is(err, store.ErrNotFound) {
		return nil // an earlier version had lost it
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(file, page.Data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the page of a pull request: %w", err)
	}
	return nil
}

// Old turns files pulls/PROJECT/N.json and N.md, in which versions before documents
// kept a pull request, into the documents that replace them.
func Old(project string, record, page []byte) ([]store.Document, error) {
	var r Record
	if err := json.Unmarshal(record, &r); err != nil {
		return nil, err
	}
	d, err := document.Make(kindRecord, key(project, r.Number), 0, r)
	if err != nil || page == nil {
		return []store.Document{d}, err
	}
	return []store.Document{d, {Kind: kindPage, Key: d.Key, Data: clip(string(page))}}, nil
}
