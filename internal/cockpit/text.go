package cockpit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// functions are what templates say things with.
func (c *cockpit) functions() template.FuncMap {
	return template.FuncMap{
		"ago":        func(t time.Time) string { return ago(c.opts.Now(), t) },
		"stamp":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"took":       took,
		"taskLamp":   taskLamp,
		"taskWord":   taskWord,
		"taskHere":   taskHere,
		"stageLamp":  stageLamp,
		"stageWord":  stageWord,
		"taskFacts":  taskFacts,
		"stageName":  stageName,
		"money":      wording.Money,
		"amount":     amount,
		"short":      short,
		"clip":       clip,
		"advice":     advice,
		"advises":    advises,
		"plural":     plural,
		"word":       word,
		"lamp":       lamp,
		"markdown":   markdown,
		"join":       strings.Join,
		"may":        may,
		"json":       asJSON,
		"gate":       gate,
		"answerForm": answerForm,
		"runnav":     runnav,
		"clock":      func(t time.Time) string { return t.UTC().Format("15:04:05") },
		"size":       func(n int64) string { return wording.Bytes(uint64(max(0, n))) },
		"document": func(run, digest, name string) artifactBody {
			return artifactBody{Artifact: core.Artifact{Digest: digest, Name: name}, Run: run}
		},
		"attempt":     attemptPath,
		"behind":      behind,
		"verdictLamp": verdictLamp,
		"verdictWord": verdictWord,
		"brief":       func(s string) bool { return len(s) <= 120 && !strings.Contains(s, "\n") },
		"outcome":     outcome,
		"arguments":   arguments,
		"rows":        rows,
		"setOut":      setOut,
		"comment":     withComment,
		"onedraft":    oneDraft,
		"merging":     merging,
		"pieces":      pieceList,
		"disagree":    disagreement,
		"isFact":      isFact,
		"here":        func(list []tab, key string) tabs { return tabs{Here: key, Tabs: list} },
		"grade":       gradeLamp,
		"sentence":    sentence,
		"branch":      func(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") },
		"headline":    headline,
		"inFull":      inFull,
		"whereabouts": c.whereabouts,
		"waitsFor":    waitsFor,
		"gateTitle":   gateTitle,
		"workOf":      workOf,
		"check":       nameCheck,
		"pauseOf":     pauseOf,
		"runhead":     runhead,
	}
}

func ago(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	switch d := now.Sub(t); {
	case d < -time.Minute:
		return "in " + took(-d)
	case d < 10*time.Second:
		return "just now"
	default:
		return took(d) + " ago"
	}
}

// took says a duration with as much detail as a person wants.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%d ms", max(1, d.Milliseconds()))
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour && d%time.Hour < time.Minute:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	default:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
}

// amount says a number with few digits.
func amount(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.0f k", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	}
}

// short is the beginning of a hash.
func short(hash string) string { return hash[:min(len(hash), 8)] }

// clip bounds a text that somebody else wrote.
func clip(most int, s string) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// word is how a status of a run, a project, a stage or a task is said.
func word(status string) string {
	words := map[string]string{
		string(core.StatusActive): "running", string(core.StatusAwaiting): "waits for you", string(core.StatusReview): "in review",
		"ended": "over", "requested": "asked for", "gated": "waits for you", "omitted": "left out", "admitted": "to do", string(core.StageOpen): "under way",
		api.PieceStuck: "stuck, waits for you",
	}
	if w, ok := words[status]; ok {
		return w
	}
	return strings.ReplaceAll(status, "_", " ")
}

// asJSON puts into a form what the page shows, so that it comes back.
func asJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

// stageName is what a stage is called.
func stageName(s api.Stage) string { return cmp.Or(s.Title, s.ID) }

// taskName is what a task is called in a list.
func taskName(t api.Task) string { return clip(100, cmp.Or(t.Prompt, t.Name, t.Act, t.Role)) }

// taskHere is what a task is called below its stage's name, which is not said
// again.
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
		facts = append([]string{plural(n, "attempt", "attempts")}, facts...)
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
	return word(t.Status)
}

// stageWord says a stage's status, and that of one that waits for a person because
// a task of it has no try left.
func stageWord(s api.Stage) string {
	if s.Status == string(core.StageOpen) && stageLamp(s) == track.Waiting {
		return word(api.PieceStuck)
	}
	return word(s.Status)
}
