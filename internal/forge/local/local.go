// Package local is the forge of a machine without one: a pull request is a
// record with its base, head, diff and status, in documents of the store. A file
// shows each to people. The package must not push, merge or touch a repository;
// the engine does that.
package local

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Forge keeps pull requests, also for several engines: of two that open one at the
// same time, each gets a number of its own.
type Forge struct {
	docs store.Documents
	dir  string
}

var _ forge.Forge = (*Forge)(nil)

// New makes a forge in a store. The pages that people read are written to dir, one
// folder a project; a page that is missing is written again.
func New(docs store.Documents, dir string) *Forge { return &Forge{docs, dir} }

// Open implements forge.Forge.
func (f *Forge) Open(ctx context.Context, req forge.PullRequest) (string, int, error) {
	dir, err := f.folder(req.Project)
	if err != nil {
		return "", 0, err
	}
	for {
		number, err := f.open(ctx, req)
		if errors.Is(err, store.ErrStale) {
			continue // another engine took the number, or changed the record
		}
		if err == nil {
			err = f.show(ctx, req.Project, number, true)
		}
		if err != nil {
			return "", 0, err
		}
		return address(dir, number), number, nil
	}
}

func (f *Forge) open(ctx context.Context, req forge.PullRequest) (int, error) {
	records, err := document.List[Record](ctx, f.docs, kindRecord, req.Project+"/")
	if err != nil {
		return 0, fmt.Errorf("list pull requests: %w", err)
	}
	k, found := find(records, req)
	if found && k.Value.Status != forge.Open {
		return k.Value.Number, nil
	}
	r := &k.Value
	r.Run, r.Title, r.Body, r.Commit = req.Run, req.Title, req.Body, req.Commit
	diff, err := req.Diff(ctx)
	if err != nil {
		return 0, fmt.Errorf("the diff of the pull request: %w", err)
	}
	record, err := document.Make(kindRecord, key(req.Project, r.Number), k.Version, *r)
	if err != nil {
		return 0, err
	}
	page, err := f.docs.Document(ctx, kindPage, record.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, fmt.Errorf("read the page of a pull request: %w", err)
	}
	page.Kind, page.Key, page.Data = kindPage, record.Key, r.page(diff)
	if _, err := f.docs.PutDocuments(ctx, []store.Document{record, page}); err != nil {
		return 0, fmt.Errorf("keep the pull request: %w", err)
	}
	return r.Number, nil
}

// find returns the record of the request's head and base that is open, or was
// decided on with the same commit; else a new one.
func find(records []document.Kept[Record], req forge.PullRequest) (document.Kept[Record], bool) {
	fresh := document.Kept[Record]{Value: Record{
		Number: 1, Remote: req.Remote, Head: req.Head, Base: req.Base, Status: forge.Open, OpenedAt: time.Now().UTC(),
	}}
	var found *document.Kept[Record]
	for i := range records {
		r := &records[i].Value
		fresh.Value.Number = max(fresh.Value.Number, r.Number+1)
		if r.Remote != req.Remote || r.Head != req.Head || r.Base != req.Base {
			continue
		}
		if r.Status == forge.Open || r.Commit == req.Commit && (found == nil || found.Value.Status != forge.Open && r.Number > found.Value.Number) {
			found = &records[i]
		}
	}
	if found == nil {
		return fresh, false
	}
	return *found, true
}

// folder is the folder of a project's pull requests. It refuses a name that would
// lead out of the forge's own folder.
func (f *Forge) folder(project string) (string, error) {
	if !filepath.IsLocal(project) {
		return "", fmt.Errorf("%w: %q is not a project's name", forge.ErrRefused, project)
	}
	return filepath.Join(f.dir, project), nil
}

func address(dir string, number int) string {
	return (&url.URL{Scheme: "file", Path: pageFile(dir, number)}).String()
}

func pageFile(dir string, number int) string { return filepath.Join(dir, fmt.Sprintf("%d.md", number)) }
