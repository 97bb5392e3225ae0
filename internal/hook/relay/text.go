package relay

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

//go:embed *.md.tmpl
var texts embed.FS

// MaxText bounds what a hook adds to a session's context, in bytes: it stays
// the same however many stages a run has.
const MaxText = 2500

// render fills in one of the texts beside this file.
func render(name string, data any) (string, error) {
	t, err := template.New(name+".md.tmpl").Funcs(template.FuncMap{
		"line": line, "slash": slash, "elsewhere": elsewhere, "standing": standing, "where": where, "approve": means(core.MeansApprove), "skip": means(core.MeansSkip), "cancel": means(core.MeansCancel),
		"title": title, "suggested": suggested, "files": files, "words": words, "acts": acts, "leaks": leaks, "distant": func(r *api.Run) bool { return r.Remote != "" },
	}).ParseFS(texts, name+".md.tmpl")
	if err != nil {
		return "", fmt.Errorf("read the text %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("write the text %s: %w", name, err)
	}
	return plain.ClipBytes(strings.TrimSpace(b.String()), MaxText), nil
}

// line is a text of somebody else on one line, of bounded length.
func line(v any) string { return plain.Line(fmt.Sprint(v), 300) }

// standing is how a run stands, for a sentence.
func standing(status core.RunStatus) string { return line(status.InWords()) }

// where says which stage of how many a run is in.
func where(t api.Turn) string {
	s := fmt.Sprintf("stage %s (%d of %d", line(t.Stage), t.At, t.Stages)
	if t.Number != "" {
		s = fmt.Sprintf("stage %s (phase %s, %d of %d", line(t.Stage), line(t.Number), t.At, t.Stages)
	}
	if t.Round > 1 {
		s += fmt.Sprintf(", round %d", t.Round)
	}
	return s + ")"
}

// title is what a run is for, with its issue if it has one.
func title(v any) string {
	switch r := v.(type) {
	case *api.Run:
		return line(core.IssueTitle(r.Issue, r.Title))
	case api.Run:
		return line(core.IssueTitle(r.Issue, r.Title))
	}
	return line(v)
}

// suggested is the stage that the findings of a gate point to, with its number if it
// has one.
func suggested(t api.Turn) string {
	for _, b := range t.Back {
		if number, id, found := strings.Cut(b, " "); found && id == t.Gate.Suggestion {
			return fmt.Sprintf("%s (phase %s)", line(id), line(number))
		}
	}
	return line(t.Gate.Suggestion)
}

// maxFiles is how many files of findings a text names.
const maxFiles = 5

// files are those that the findings of a gate are about.
func files(findings []core.Finding) string {
	var names []string
	for _, f := range findings {
		if name := line(f.File); f.File != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	more := len(names) - maxFiles
	if more <= 0 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxFiles], ", "), more)
}

func means(want core.Meaning) func(api.Turn) bool {
	return func(t api.Turn) bool { return t.Heard == want }
}

// words are the messages that approve, of which the person can type any.
func words(t api.Turn) string {
	quoted := []string{"`approve`"}
	for _, w := range t.Words {
		if q := "`" + line(w) + "`"; !slices.Contains(quoted, q) {
			quoted = append(quoted, q)
		}
	}
	return strings.Join(quoted, " or ")
}

// acts reports that feedback goes to another stage than the one that is waiting.
func acts(t api.Turn) bool { return t.Acts != "" && t.Acts != t.Stage }

// leaks reports that the gate names what looks like a secret, which a session cannot
// approve.
func leaks(turn api.Turn) bool { return turn.Gate != nil && len(turn.Gate.Leaks) > 0 }

// startText tells a session what to start. Offers that do not fit come with the next
// turn: an offer stands until it is taken.
func startText(turn api.Turn) (string, error) {
	for {
		text, err := render("start", turn)
		if err != nil || !strings.HasSuffix(text, "…") || len(turn.Offers) <= 1 {
			return text, err
		}
		turn.Offers = turn.Offers[:len(turn.Offers)-1]
	}
}

// heardText tells the model what it may do with what the person said.
func heardText(turn api.Turn) (string, error) {
	switch turn.Kind {
	case api.TurnGate:
		return render("heard_gate", turn)
	case api.TurnPaused:
		return render("heard_paused", turn)
	case api.TurnStart, api.TurnWorking, api.TurnVerify:
		return render("heard_active", turn)
	case api.TurnOver, api.TurnNone:
	}
	return "", nil
}

// NextText tells a session that steered its run what to do next.
func NextText(turn api.Turn) (string, error) {
	switch turn.Kind {
	case api.TurnStart:
		return startText(turn)
	case api.TurnGate:
		return render("gate", turn)
	case api.TurnPaused:
		return render("paused", turn)
	case api.TurnOver:
		return render("over", turn)
	case api.TurnVerify, api.TurnWorking:
		return render("verify", turn)
	case api.TurnNone:
	}
	return "", nil
}

// tell shows the person a text about a turn, or about trouble.
func tell(name string, about any) (reply, error) {
	text, err := render(name, about)
	return reply{Answer: hook.Tell(text)}, err
}
