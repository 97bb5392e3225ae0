package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
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

func (r Record) writePage(dir, diff string) error {
	text := fmt.Sprintf("# %s\n\n`%s` into `%s`, commit `%s`\n\n%s\n## Changes\n\n%s\n",
		plain.Line(r.Title, 200), r.Head, r.Base, r.Commit, plain.Text(r.Body), fenced(diff))
	if err := renameio.WriteFile(page(dir, r.Number), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the pull request: %w", err)
	}
	return nil
}

func (r Record) write(dir string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the pull request: %w", err)
	}
	if err := renameio.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", r.Number)), raw, 0o600); err != nil {
		return fmt.Errorf("write the pull request: %w", err)
	}
	return nil
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

func read(dir string) ([]Record, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	var records []Record
	for _, name := range names {
		r, err := readFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

func readFile(name string) (r Record, err error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return Record{}, fmt.Errorf("read a pull request: %w", err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Record{}, fmt.Errorf("read %s: %w", name, err)
	}
	return r, nil
}
