package guard_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// TestOrchestratorCorpus runs what an orchestrator might type, to see what it truly reads and changes, and compares
// that with the verdicts.
func TestOrchestratorCorpus(t *testing.T) {
	s := newStage(t)
	for i, e := range readCorpus(t, "testdata/orchestrator.txt") {
		t.Run(strconv.Itoa(e.line), func(t *testing.T) {
			t.Parallel()
			if program := missing(e.command, s.core); program != "" {
				t.Skipf("%s is not on this machine", program)
			}
			w := s.open(t, "orchestrator"+strconv.Itoa(i), s.template)
			truth := w.discipline(t, e.command)
			if truth != e.truth {
				t.Errorf("line %d: truly %s, the table says %s: %s", e.line, truth, e.truth, e.command)
			}
			verdict := guard.Policy{Subject: guard.Orchestrator, Dir: w.work()}.Command(w.fill.Replace(e.command))
			if verdict.Deny != (e.verdict == "deny") {
				t.Errorf("line %d: the guard says %+v, the table says %s: %s", e.line, verdict, e.verdict, e.command)
			}
			if !verdict.Deny && (truth == "reads" || truth == "edits") {
				t.Errorf("line %d: the orchestrator %s code: %s", e.line, truth, e.command)
			}
		})
	}
}

// discipline runs a command and says whether it showed or changed code.
func (w world) discipline(t *testing.T, command string) string {
	t.Helper()
	before := code(t, w.work())
	out, _ := w.script(t.Context(), command) // many of these end with an error, and matter all the same
	switch {
	case !slices.Equal(before, code(t, w.work())):
		return "edits"
	case strings.Contains(out, "CODE-7f3a") || strings.Contains(out, "// ahead"):
		return "reads"
	case strings.Contains(out, "main.go"):
		return "lists"
	}
	return "harmless"
}

// code lists the files that are none of the open kinds, with what is in them.
func code(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if entry.IsDir() || slices.Contains([]string{".md", ".json", ".yml", ".yaml", ".sh", ".gitignore", ".txt"}, filepath.Ext(file)) {
			return nil
		}
		text, err := os.ReadFile(file)
		found = append(found, file+"\n"+string(text))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a link to nowhere
		}
		return err
	})
	must(t, err)
	return found
}
