package cockpit

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// headline is the first thing that a reason says. The evidence below it shows the
// rest.
func headline(reason string) string {
	first, _, _ := strings.Cut(reason, "; ")
	return sentence(first)
}

// inFull is a moment with its date.
func inFull(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// whereabouts is a repository or a folder as a person calls it: without git's own
// folder, and relative to the home of the person who runs the engine.
func (c *cockpit) whereabouts(path string) string {
	path = strings.TrimSuffix(path, "/.git")
	if home := strings.TrimSuffix(c.opts.Home, "/"); home != "" {
		if below, ok := strings.CutPrefix(path, home+"/"); ok {
			return "~/" + below
		}
	}
	return path
}

// waitsFor is what waits for a person, in a line.
func waitsFor(w api.Waiting) string {
	switch {
	case w.Question != nil:
		return w.Question.Text
	case w.Gate != nil:
		return awaits(w.Run.Stage)
	}
	return headline(w.Reason)
}

func awaits(stage string) string { return sentence(cmp.Or(stage, "it")) + " is waiting for approval" }

// gateTitle is what the stage is called that waits for an approval.
func gateTitle(d api.RunDetail) string { return awaits(titleOf(d.Stages, d.Stage)) }

// work is a task or an attempt by its stage's title, and which of them it is.
type work struct{ Title, Which string }

// workOf names a task or an attempt whose id alone is known; it may be one of an
// earlier round.
func workOf(stages []api.Stage, id string) work {
	parts := strings.Split(id, ".")
	w := work{Title: titleOf(stages, parts[0])}
	if w.Title == parts[0] {
		w.Title = sentence(w.Title)
	}
	var which, counted []string
	for _, p := range parts[1:] {
		n, err := strconv.Atoi(p[min(1, len(p)):])
		switch {
		case err == nil && p[0] == 'r' && n == 1:
		case err == nil && p[0] == 'r':
			counted = append(counted, fmt.Sprint("round ", n))
		case err == nil && p[0] == 'a':
			counted = append(counted, fmt.Sprint("attempt ", n))
		case !strings.EqualFold(p, w.Title):
			which = append(which, p)
		}
	}
	w.Which = strings.Join(append(which, counted...), " · ")
	return w
}

func (w work) String() string {
	if w.Which == "" {
		return w.Title
	}
	return w.Title + " · " + w.Which
}

// ids are those of tasks and attempts within a text, and that of a stage which it
// begins with.
var ids = regexp.MustCompile(`\b[a-z0-9-]+\.r[0-9]+(?:\.[a-z0-9-]+)*|^[a-z0-9-]+\b`)

// byName says by their stages' titles what a text says by ids.
func byName(stages []api.Stage, text string) string {
	titles := map[string]bool{}
	for _, s := range stages {
		titles[s.ID] = s.Title != ""
	}
	return ids.ReplaceAllStringFunc(text, func(id string) string {
		if stage, _, _ := strings.Cut(id, "."); !titles[stage] {
			return id
		}
		return workOf(stages, id).String()
	})
}

// checkName is a check as a person reads it: what kind of check it is, and what
// it was written with.
type checkName struct{ Kind, With string }

func nameCheck(check string) checkName {
	kind, with, found := strings.Cut(check, ": ")
	if !found || len(kind) > 12 || strings.ContainsAny(kind, "()") {
		return checkName{Kind: sentence(check)}
	}
	return checkName{Kind: sentence(kind), With: with}
}
