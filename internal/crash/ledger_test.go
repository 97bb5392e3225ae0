package crash

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// deed is what the ledger has of one attempt.
type deed struct {
	begins, ends int
	made         []string // code:PATH and out:NAME
}

// deeds reads the ledger: for each run, its attempts as their agents tell it.
// Isolated agents keep it among their documents, where it is collected with
// what they handed in.
func (w *world) deeds(runs ...history) map[string]map[string]*deed {
	w.t.Helper()
	deeds := map[string]map[string]*deed{}
	if w.ledger == "" {
		for _, h := range runs {
			for attempt, delivery := range h.deliveries() {
				// A retry is given the documents of the attempt before it.
				w.enter(deeds, w.document(delivery, "ledger"), attempt)
			}
		}
		return deeds
	}
	content, err := os.ReadFile(w.ledger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	w.enter(deeds, string(content), "")
	return deeds
}

// enter reads lines of the ledger, all or those of one attempt.
func (w *world) enter(deeds map[string]map[string]*deed, ledger, only string) {
	w.t.Helper()
	for line := range strings.Lines(ledger) {
		words := strings.Fields(line)
		if len(words) < 3 {
			w.t.Fatalf("an unreadable line of the ledger: %q", line)
		}
		if run, attempt := words[1], words[2]; only == "" || attempt == only {
			if deeds[run] == nil {
				deeds[run] = map[string]*deed{}
			}
			if deeds[run][attempt] == nil {
				deeds[run][attempt] = &deed{}
			}
			deeds[run][attempt].add(words)
		}
	}
}

func (d *deed) add(words []string) {
	switch words[0] {
	case "begin":
		d.begins++
	case "end":
		d.ends++
		d.made = append(d.made, words[3:]...)
	}
}
