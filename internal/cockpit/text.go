package cockpit

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// functions are the functions of the templates.
func (c *cockpit) functions() template.FuncMap {
	return template.FuncMap{
		"ago":         func(t time.Time) string { return ago(c.opts.Now(), t) },
		"stamp":       func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"duration":    wording.Duration,
		"taskColour":  taskColour,
		"taskWord":    taskWord,
		"taskHere":    taskHere,
		"stageColour": stageColour,
		"stageWord":   stageWord,
		"taskFacts":   taskFacts,
		"numbered":    numbered,
		"titled":      core.IssueTitle,
		"issue":       func(issue string) string { return core.IssueTitle(issue, "") },
		"isAddress":   core.IssueAddress,
		"money":       wording.Money,
		"cost":        wording.Cost,
		"amount":      wording.Amount,
		"short":       wording.Short,
		"clip":        clip,
		"advice":      advice,
		"typed":       typed,
		"plural":      wording.Number,
		"calls":       calls,
		"word":        func(status any) string { return wording.Status(fmt.Sprint(status)) },
		"exit":        wording.Exit,
		"colour":      func(status any) track.State { return colour(fmt.Sprint(status)) },
		"markdown":    markdown,
		"join":        strings.Join,
		"may":         func(caller api.Caller, role string) bool { return caller.May(api.Role(role)) }, // only hides buttons
		"json":        asJSON,
		"args":        args,
		"settingsnav": settingsnav,
		"gate":        gate,
		"pausing":     pausing,
		"pullPath":    pullPath,
		"pullText":    pullText,
		"verdict":     verdict,
		"reviewWord":  reviewWord,
		"newKey":      rand.Text,
		"runnav":      runnav,
		"clock":       func(t time.Time) string { return t.UTC().Format("15:04:05") },
		"size":        func(n int64) string { return wording.Bytes(uint64(max(0, n))) },
		"document": func(run, digest, name string) artifactBody {
			return artifactBody{Artifact: core.Artifact{Digest: digest, Name: name}, Run: run}
		},
		"attempt":       attemptPath,
		"verdictColour": verdictColour,
		"verdictWord":   verdictWord,
		"brief":         func(s string) bool { return len(s) <= 120 && !strings.Contains(s, "\n") },
		"arguments":     func(input json.RawMessage) string { return clip(300, wording.Arguments(input)) },
		"setOut":        setOut,
		"comment":       withComment,
		"disagree":      disagreement,
		"isFact":        isFact,
		"sentence":      sentence,
		"branch":        func(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") },
		"headline":      headline,
		"inFull":        inFull,
		"whereabouts":   c.whereabouts,
		"waitsFor":      waitsFor,
		"gateTitle":     gateTitle,
		"workOf":        workOf,
		"check":         nameCheck,
		"owner":         func(o *api.Owner) []string { return wording.Owner(o.Host, o.Person, o.Forge, o.Model) },
	}
}

func ago(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	switch d := now.Sub(t); {
	case d < -time.Minute:
		return "in " + wording.Age(-d)
	case d < 10*time.Second:
		return "just now"
	default:
		return wording.Age(d) + " ago"
	}
}

// clip bounds a text that somebody else wrote.
func clip(most int, s string) string { return plain.Clip(s, most) }

// asJSON puts into a form what the page shows, so that it comes back.
func asJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

// args are named values, for a part of a page that needs several.
func args(pairs ...any) map[string]any {
	named := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		named[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return named
}

// stageName is what a stage is called.
func stageName(s api.Stage) string { return cmp.Or(s.Title, s.ID) }

// titleOf is what a stage is called whose id alone is known.
func titleOf(stages []api.Stage, id string) string {
	for i := range stages { // there may be hundreds, and as many names
		if stages[i].ID == id {
			return stageName(stages[i])
		}
	}
	return id
}

// numbered is that with the number of a phase before it, by which people name it
// at a terminal.
func numbered(s api.Stage) string { return strings.TrimSpace(s.Number + " " + stageName(s)) }

// taskName is what a task is called in a list.
func taskName(t api.Task) string { return clip(100, cmp.Or(t.Prompt, t.Name, string(t.Act), t.Role)) }

// taskHere is what a task is called below its stage's name, without repeating that.
func taskHere(s api.Stage, t api.Task) string {
	name := taskName(t)
	if strings.EqualFold(name, stageName(s)) {
		return cmp.Or(t.Role, name)
	}
	return name
}

// taskFacts is what is said of a task beside its name.
func taskFacts(name string, t api.Task) string {
	facts := []string{taskWord(t)}
	if n := len(t.Attempts); n > 0 {
		facts = append([]string{wording.Number(n, "attempt", "attempts")}, facts...)
	}
	if t.Role != "" && t.Role != name {
		facts = append([]string{clip(60, t.Role)}, facts...)
	}
	return strings.Join(facts, " · ")
}

// taskWord says a task's status, and that of one without a try left.
func taskWord(t api.Task) string {
	if stuck(t) {
		return "no try left"
	}
	return wording.Status(t.Status)
}

// stageWord says a stage's status, and that of one that waits for a person because
// a task of it has no try left.
func stageWord(s api.Stage) string {
	if s.Status == core.StageOpen && stageColour(s) == track.Waiting {
		return wording.Status(api.PieceStuck)
	}
	return wording.Status(s.Status)
}
