package crash

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// deed is what the ledger has of one attempt.
type deed struct {
	begins, ends int
	made         []string // code:PATH and out:NAME
}

// deeds reads the ledger: for each run, its attempts as their agents tell it.
func (w *world) deeds() map[string]map[string]*deed {
	w.t.Helper()
	files := []string{w.ledger}
	if w.ledger == "" {
		var err error
		if files, err = filepath.Glob(filepath.Join(w.state, "attempts", "*", "*", "out", "ledger")); err != nil {
			w.t.Fatal(err)
		}
	}
	deeds := map[string]map[string]*deed{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			w.enter(deeds, strings.Fields(line))
		}
	}
	return deeds
}

func (w *world) enter(deeds map[string]map[string]*deed, words []string) {
	w.t.Helper()
	if len(words) < 3 {
		w.t.Fatalf("an unreadable line of the ledger: %q", words)
	}
	run, attempt := words[1], words[2]
	if deeds[run] == nil {
		deeds[run] = map[string]*deed{}
	}
	d := deeds[run][attempt]
	if d == nil {
		d = &deed{}
		deeds[run][attempt] = d
	}
	switch words[0] {
	case "begin":
		d.begins++
	case "end":
		d.ends++
		d.made = append(d.made, words[3:]...)
	}
}
