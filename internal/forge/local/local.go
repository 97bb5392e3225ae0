// Package local is the forge of a machine without one: a pull request is a
// record with its base, head, diff and status, in a folder. The package must not
// push, merge or touch a repository; the engine does that.
package local

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// Forge keeps pull requests as files: one folder a project, two files each. One
// process writes them.
type Forge struct {
	dir string
	mu  sync.Mutex
}

var _ forge.Forge = (*Forge)(nil)

// New makes a forge in a folder.
func New(dir string) *Forge { return &Forge{dir: dir} }

// Open implements forge.Forge.
func (f *Forge) Open(ctx context.Context, req forge.PullRequest) (string, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	dir, err := f.folder(req.Project)
	if err != nil {
		return "", 0, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, fmt.Errorf("make the folder of pull requests: %w", err)
	}
	records, err := read(dir)
	if err != nil {
		return "", 0, err
	}
	record, found := find(records, req)
	if found && record.Status != forge.Open {
		return address(dir, record.Number), record.Number, nil
	}
	record.Run, record.Title, record.Body, record.Commit = req.Run, req.Title, req.Body, req.Commit
	diff, err := req.Diff(ctx)
	if err != nil {
		return "", 0, fmt.Errorf("the diff of the pull request: %w", err)
	}
	if err := record.writePage(dir, diff); err != nil {
		return "", 0, err
	}
	if err := record.write(dir); err != nil {
		return "", 0, err
	}
	return address(dir, record.Number), record.Number, nil
}

// find returns the record of the request's head and base that is open, or was
// decided on with the same commit; else a new one.
func find(records []Record, req forge.PullRequest) (Record, bool) {
	fresh := Record{
		Number: 1, Remote: req.Remote, Head: req.Head, Base: req.Base, Status: forge.Open, OpenedAt: time.Now().UTC(),
	}
	var found *Record
	for i := range records {
		r := &records[i]
		fresh.Number = max(fresh.Number, r.Number+1)
		if r.Remote != req.Remote || r.Head != req.Head || r.Base != req.Base {
			continue
		}
		if r.Status == forge.Open || r.Commit == req.Commit && (found == nil || found.Status != forge.Open && r.Number > found.Number) {
			found = r
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
	return (&url.URL{Scheme: "file", Path: page(dir, number)}).String()
}

func page(dir string, number int) string { return filepath.Join(dir, fmt.Sprintf("%d.md", number)) }
