// Package local is the forge of a machine without one: a pull request is a
// record with its base, head, diff and status, in a folder. It must not push,
// merge or touch a repository; the engine does that.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// Forge keeps pull requests as files: one folder a project, two files each.
type Forge struct {
	dir string
	mu  sync.Mutex
}

var _ forge.Forge = (*Forge)(nil)

// Record is a pull request.
type Record struct {
	Number   int       `json:"number"`
	Run      string    `json:"run"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Remote   string    `json:"remote"`
	Head     string    `json:"head"`
	Base     string    `json:"base"`
	Commit   string    `json:"commit"`
	Status   string    `json:"status"`
	OpenedAt time.Time `json:"opened_at"`
}

// New makes a forge in a folder.
func New(dir string) *Forge { return &Forge{dir: dir} }

// Open implements forge.Forge: one pull request a run, however often asked.
func (f *Forge) Open(ctx context.Context, req forge.PullRequest) (string, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir := filepath.Join(f.dir, req.Project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, fmt.Errorf("make the folder of pull requests: %w", err)
	}
	records, err := read(dir)
	if err != nil {
		return "", 0, err
	}
	record := Record{Number: len(records) + 1, Run: req.Run, Status: "open", OpenedAt: time.Now().UTC()}
	for _, r := range records {
		record.Number = max(record.Number, r.Number+1)
	}
	for _, r := range records {
		if r.Run == req.Run {
			record = r
		}
	}
	record.Title, record.Body, record.Remote, record.Head = req.Title, req.Body, req.Remote, req.Head
	record.Base, record.Commit = req.Base, req.Commit
	page := filepath.Join(dir, fmt.Sprintf("%d.md", record.Number))
	if err := f.write(ctx, dir, page, record, req); err != nil {
		return "", 0, err
	}
	return (&url.URL{Scheme: "file", Path: page}).String(), record.Number, nil
}

func (f *Forge) write(ctx context.Context, dir, page string, record Record, req forge.PullRequest) error {
	diff, err := req.Diff(ctx)
	if err != nil {
		return fmt.Errorf("the diff of the pull request: %w", err)
	}
	text := fmt.Sprintf("# %s\n\n`%s` into `%s`, commit `%s`\n\n%s\n## Changes\n\n%s\n",
		plain.Line(record.Title, 200), record.Head, record.Base, record.Commit, plain.Text(record.Body), fenced(diff))
	if err := renameio.WriteFile(page, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the pull request: %w", err)
	}
	raw, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return fmt.Errorf("write the pull request: %w", err)
	}
	if err := renameio.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", record.Number)), raw, 0o600); err != nil {
		return fmt.Errorf("write the pull request: %w", err)
	}
	return nil
}

// fenced puts text into a fence longer than any inside it, without characters
// that a terminal or a page would obey.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "diff\n" + plain.Text(text) + "\n" + fence
}

func read(dir string) ([]Record, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	var records []Record
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a pull request: %w", err)
		}
		var r Record
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		records = append(records, r)
	}
	return records, nil
}
