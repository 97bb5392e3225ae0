package cockpit

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Bounds of what a page about a task shows at once.
const (
	maxPrompt     = 256 << 10 // bytes
	longPrompt    = 30        // lines that are folded
	shownEffects  = 20
	shownRecords  = 100
	shownArtifact = 6
)

// taskBody is a task: what was asked, and every attempt at it.
type taskBody struct {
	Run      api.Run
	Stage    api.Stage
	Task     api.Task
	Opened   *api.PullRequest // by the engine, if that is what the task is for
	Past     int64            // number of the event after which it was as shown; 0 if it still is
	Prompt   *told
	Attempts []attemptBody // newest first
}

// told is what an attempt was told.
type told struct {
	rendered
	Attempt string
	Lines   int
	Long    bool
}

// attemptBody is an attempt; what lies behind it is looked up for the one that
// is opened.
type attemptBody struct {
	api.Attempt
	Run        api.Run
	Stages     []api.Stage
	Open       bool
	Bounds     []wording.Bound // nil if nothing bounded it, or while it runs
	Refused    string          // connections; empty if none was
	Allow      string          // how to allow them
	Documents  []artifactBody
	Effects    api.Effects
	Transcript *transcriptBody
}

func (c *cockpit) task(r *http.Request) (page, error) {
	seen, err := c.findTask(r.Context(), r.PathValue("run"), r.PathValue("task"))
	if err != nil {
		return page{}, err
	}
	d, t := seen.run, seen.task
	body := taskBody{Run: d.Run, Stage: seen.stage, Task: t, Past: seen.past}
	if t.Act == core.ActPullRequest && t.Status == core.TaskDone {
		body.Opened = d.PullRequest
	}
	open := r.URL.Query().Get("attempt")
	if !slices.ContainsFunc(t.Attempts, func(a api.Attempt) bool { return a.ID == open }) {
		open = ""
	}
	for i, a := range slices.Backward(t.Attempts) {
		b := attemptBody{
			Attempt: a, Run: d.Run, Stages: []api.Stage{seen.stage}, Open: a.ID == open || open == "" && i == len(t.Attempts)-1,
			Refused: wording.Refused(a.Traffic), Allow: wording.Allowing(a.Traffic),
		}
		if a.Resources != nil {
			b.Bounds = wording.Bounds(*a.Resources, d.Resources.Attempt)
		}
		for _, doc := range a.Artifacts {
			b.Documents = append(b.Documents, artifactBody{Artifact: doc, Run: d.Alias})
		}
		if b.Open {
			if err := c.lookInto(r, &b); err != nil {
				return page{}, err
			}
			if body.Prompt, err = c.told(r, d.ID, a.ID); err != nil {
				return page{}, err
			}
		}
		body.Attempts = append(body.Attempts, b)
	}
	return c.aboutRun(r, d, page{Name: "task", Title: taskTitle(seen.stage, t), Body: body})
}

// taskTitle is what was asked for, in a line.
func taskTitle(s api.Stage, t api.Task) string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.Prompt), "\n")
	if line = strings.TrimLeft(line, "# "); line != "" {
		return line
	}
	title, label := stageName(s), taskLabel(s, t)
	if strings.EqualFold(title, label) {
		return title
	}
	return title + ": " + label
}

// lookInto adds what lies behind an attempt.
func (c *cockpit) lookInto(r *http.Request, b *attemptBody) error {
	for i := range min(shownArtifact, len(b.Documents)) {
		if err := c.render(r.Context(), b.Run.ID, &b.Documents[i], maxShown); err != nil {
			return err
		}
	}
	var err error
	b.Effects, err = c.svc.Effects(r.Context(), b.Run.ID, api.EffectQuery{Attempt: b.ID, Limit: shownEffects})
	if err != nil && core.CodeOf(err) != core.CodeNotFound {
		return err
	}
	piece, err := c.svc.Transcript(r.Context(), b.Run.ID, b.ID, api.TranscriptQuery{Limit: shownRecords})
	if core.CodeOf(err) == core.CodeNotFound {
		return nil // what it said was not kept
	}
	b.Transcript = transcriptOf(b.Run.Alias, piece)
	return err
}

// told is what an attempt was told; nil if that is not known yet or any more.
func (c *cockpit) told(r *http.Request, run, attempt string) (*told, error) {
	text := capped{most: maxPrompt}
	err := c.svc.Prompt(r.Context(), run, attempt, &text)
	if core.CodeOf(err) == core.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Count(text.text.String(), "\n") + 1
	return &told{rendered: text.render("prompt.md"), Attempt: attempt, Lines: lines, Long: lines > longPrompt || text.text.Len() > 4000}, nil
}

// verdictWord says how an attempt stands: what the checks said of it, or else how
// it ended.
func verdictWord(a api.Attempt) string {
	switch {
	case a.Status.Active():
		return wording.Status(a.Status)
	case a.Verdict != "":
		return string(a.Verdict) + " the checks"
	case a.Exit != "":
		return wording.Exit(a.Exit)
	}
	return wording.Status(a.Status)
}

func verdictColour(a api.Attempt) track.State {
	switch {
	case a.Status.Active():
		return track.Under
	case a.Verdict == core.VerdictPassed:
		return track.Passed
	case a.Verdict != "", a.Exit != "" && a.Exit != core.ExitFinished:
		return track.Failed
	}
	return track.Still
}
