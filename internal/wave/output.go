package wave

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// ReadOutput reads a worker's answer to a delegation with the given criteria. The findings note accepted deviations; an
// *Error holds all mistakes. In the result, every criterion is in exactly one list of the coverage, word for word.
func ReadOutput(data []byte, criteria []core.Criterion) (core.WorkerOutput, []Finding, error) {
	r := &reader{name: core.OutputArtifact, form: outputForm()}
	return read(r, data, func(out *core.WorkerOutput) {
		r.questions("/blocking_questions", out.Blocking)
		r.questions("/optional_questions", out.Optional)
		r.questions("/missing_info_requests", out.Missing)
		r.covers(out, criteria)
		blocked := out.Status == core.OutputBlocked && len(out.Blocking)+len(out.Missing) == 0
		if blocked && r.sound("/blocking_questions", "/missing_info_requests") {
			r.problemf("/status", "is blocked, but nothing says by what: put a question into blocking_questions, or an input into missing_info_requests")
		}
	})
}

// questions checks the times of questions.
func (r *reader) questions(path string, asked []core.Asked) {
	for i, q := range asked {
		if q.After == "" {
			continue
		}
		if after, err := time.ParseDuration(q.After); err != nil || after <= 0 || after > MaxAfter {
			r.problemf(fmt.Sprintf("%s/%d/after", path, i), "is %s; it is a time above 0 and of at most %.0fh, such as 2h", quoted(q.After), MaxAfter.Hours())
		}
	}
}

// covers checks a coverage against the criteria, and completes it: a criterion that it does not mention is unmet.
func (r *reader) covers(out *core.WorkerOutput, criteria []core.Criterion) {
	if !r.sound("/coverage") {
		return
	}
	c := claims{reader: r, criteria: map[string]string{}, claimed: map[string]claim{}}
	var all []string
	for _, criterion := range criteria {
		key := squeezed(criterion.Text)
		if _, twice := c.criteria[key]; !twice {
			c.criteria[key] = criterion.Text
			all = append(all, criterion.Text)
		}
	}
	out.Coverage.Met = c.list("/coverage/criteria_met", out.Coverage.Met)
	out.Coverage.Unmet = c.list("/coverage/criteria_unmet", out.Coverage.Unmet)
	var silent []string
	for _, text := range all {
		if _, mentioned := c.claimed[text]; !mentioned {
			silent = append(silent, text)
		}
	}
	for _, strange := range c.strange {
		r.problemf(strange.path, "%s is no criterion of this delegation; %s", quoted(strange.text), offer(silent))
	}
	if !r.sound("/coverage") {
		return
	}
	for _, text := range silent {
		out.Coverage.Unmet = append(out.Coverage.Unmet, text)
		r.notef("/coverage", "does not mention the criterion %s, so it counts as unmet", quoted(text))
	}
	switch {
	case out.Status != core.OutputCompleted:
	case len(silent) > 0:
		r.problemf("/status", "is completed, but coverage does not mention every criterion: put those that are met into criteria_met, or say partial. Missing: %s", listed(silent))
	case len(out.Coverage.Unmet) > 0:
		r.problemf("/status", "is completed, but criteria are unmet: say partial. Unmet: %s", listed(out.Coverage.Unmet))
	}
}

// claims collects what a coverage says about each criterion.
type claims struct {
	*reader
	criteria map[string]string // wording of each, by its text with single spaces
	claimed  map[string]claim  // by wording
	strange  []claim           // entries that are no criterion
}

type claim struct{ list, path, text string }

// list reads one of the two lists and returns it in the wording of the criteria.
func (c *claims) list(list string, entries []string) []string {
	out := make([]string, 0, len(entries))
	for i, entry := range entries {
		here := claim{list: list, path: fmt.Sprintf("%s/%d", list, i), text: entry}
		text, known := c.criteria[squeezed(entry)]
		if !known {
			c.strange = append(c.strange, here)
			continue
		}
		switch earlier, again := c.claimed[text]; {
		case !again:
			c.claimed[text] = here
			out = append(out, text)
		case earlier.list == list:
			c.notef(here.path, "repeats %s", earlier.path)
		default:
			c.problemf(here.path, "%s is at %s, too: a criterion is met or it is not, so leave it in one list", quoted(entry), earlier.path)
		}
	}
	return out
}

// squeezed is a text with single spaces between its words.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

func offer(silent []string) string {
	if len(silent) == 0 {
		return "leave it out: every criterion is mentioned already, or there is none"
	}
	return "copy one that coverage does not mention yet, word for word: " + listed(silent)
}

// listed quotes texts within a bounded length.
func listed(texts []string) string {
	words := make([]string, len(texts))
	for i, text := range texts {
		words[i] = quoted(text)
	}
	return plain.Line(strings.Join(words, ", "), 600)
}
