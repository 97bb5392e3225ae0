package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// waved holds what must be true of a run of the stories in waves beyond what is of
// any run.
func (w *world) waved(h history) {
	w.t.Helper()
	if refused := bodiesOf[core.CommandRefused](h); len(refused) > 0 {
		w.t.Fatalf("run %s: the law refused %+v", h.row.Branch, refused)
	}
	w.delegatedOnce(h)
	w.wavesInTurn(h)
	w.askedOnce(h)
	w.folderWhole(h)
	if w.story.code {
		w.mergedBranches(h)
		w.lineage(h)
		w.branchesGone(h)
		w.publishedOnce(h)
	} else if n := w.pulls(h); n != 0 || w.git("branch", "--list", h.row.Branch) != "" {
		w.t.Fatalf("run %s: documents were published, in %d pull requests", h.row.Branch, n)
	}
}

// delegatedOnce: what the planner wanted done was let through or refused once, was
// begun once and again after its answers, and a crash cost no attempt. Nothing
// began before what it depends on was done.
func (w *world) delegatedOnce(h history) {
	w.t.Helper()
	have, done := map[string]int{}, map[string]bool{}
	for _, body := range h.bodies {
		switch b := body.(type) {
		case core.BriefAdmitted:
			have["admitted "+b.Brief.ID]++
		case core.BriefRefused:
			have["refused "+b.ID]++
		case core.BriefEnded, core.StageDiscarded, core.CourseRefused:
			w.t.Fatalf("run %s: %+v was not wanted:\n%s", h.row.Branch, b, h)
		case core.VerifyConcluded:
			if b.Output != nil && b.Output.Status == core.OutputCompleted {
				id, _, _ := strings.Cut(b.Attempt, ".")
				done[id] = true
			}
		case core.AttemptRequested:
			if !strings.HasPrefix(b.Attempt, core.PlannerStage+".") {
				have["attempt "+b.Attempt]++
			}
			if b.Attempt == "advice.r1.a1" && (!done["files"] || !done["licence"] || !done["tone"]) {
				w.t.Fatalf("run %s: advice began before what it depends on was done: %v", h.row.Branch, done)
			}
		default:
		}
	}
	want := map[string]int{"refused paint": 1}
	for _, id := range []string{"survey", "files", "licence", "tone", "advice", "report"} {
		want["admitted "+id], want["attempt "+id+".r1.a1"] = 1, 1
	}
	want["attempt files.r1.a2"], want["attempt licence.r1.again2.a1"], want["attempt tone.r1.again2.a1"] = 1, 1, 1
	if w.story.code {
		want["attempt "+w.last(h)+".r1.resolve.a1"] = 1
	}
	if !maps.Equal(have, want) {
		w.t.Fatalf("run %s: there were %v, not %v:\n%s", h.row.Branch, have, want, h)
	}
}

// wavesInTurn: waves were opened one after the other, each closed by the planner
// before the next; it took one attempt each time, but for the rubbish at first.
func (w *world) wavesInTurn(h history) {
	w.t.Helper()
	var attempts, want []string
	opened, closed, isOpen := 0, 0, false
	for _, body := range h.bodies {
		switch b := body.(type) {
		case core.WaveOpened:
			if opened++; b.Wave != opened || isOpen {
				w.t.Fatalf("run %s: wave %d was opened after %d:\n%s", h.row.Branch, b.Wave, opened-1, h)
			}
			isOpen = true
		case core.WaveClosed:
			if closed++; b.Wave != opened {
				w.t.Fatalf("run %s: wave %d was closed in place of %d:\n%s", h.row.Branch, b.Wave, opened, h)
			}
			isOpen = false
			want = append(want, fmt.Sprintf("planner.r%d.a1", closed))
		case core.AttemptRequested:
			if strings.HasPrefix(b.Attempt, core.PlannerStage+".") {
				attempts = append(attempts, b.Attempt)
			}
		default:
		}
	}
	if want = slices.Insert(want, 1, "planner.r1.a2"); !slices.Equal(attempts, want) || isOpen || opened < 2 {
		w.t.Fatalf("run %s: %d waves were closed %d times, by %v:\n%s", h.row.Branch, opened, closed, attempts, h)
	}
}

// askedOnce: each question was asked once, though engines died, and has one
// answer from whom it was for.
func (w *world) askedOnce(h history) {
	w.t.Helper()
	texts, have := map[string]string{}, map[string]int{}
	for i, body := range h.bodies {
		switch b := body.(type) {
		case core.QuestionAsked:
			texts[b.ID] = b.Text
			have["asked "+b.Text]++
		case core.QuestionAnswered:
			have[fmt.Sprintf("%s %s (%s, by default %t)", texts[b.ID], b.Text, h.events[i].Actor.Kind, b.Default)]++
		default:
		}
	}
	want := map[string]int{
		"asked Which licence?": 1, fmt.Sprintf("Which licence? %s (%s, by default false)", wordColour, core.ActorPerson): 1,
		"asked In which tone?": 1, fmt.Sprintf("In which tone? plainly (%s, by default true)", core.ActorDecider): 1,
	}
	if !maps.Equal(have, want) || w.person.troubled() != nil {
		w.t.Fatalf("run %s: there were %v, not %v (%v):\n%s", h.row.Branch, have, want, w.person.troubled(), h)
	}
}

// mergedBranches: every delegation was merged once, from work that was verified,
// and the one conflict was put right once.
func (w *world) mergedBranches(h history) {
	w.t.Helper()
	verified, delivered := map[string]bool{}, h.deliveries()
	for _, b := range bodiesOf[core.VerifyConcluded](h) {
		if b.Passed && delivered[b.Attempt] != nil {
			verified[delivered[b.Attempt].Commit] = true
		}
	}
	have := map[string]int{}
	for _, b := range bodiesOf[core.MergeConcluded](h) {
		id, _, _ := strings.Cut(b.Task, ".")
		switch {
		case !b.Passed && slices.Equal(b.Conflicts, []string{"shared.txt"}):
			have["conflict of "+id]++
		case b.Passed && verified[b.From] && passed(b.Results):
			have[id]++
		default:
			w.t.Fatalf("run %s: a merge is not as it should be: %+v", h.row.Branch, b)
		}
	}
	want := map[string]int{"survey": 1, "files": 1, "licence": 1, "conflict of " + w.last(h): 1, "tone": 1, "advice": 1, "report": 1}
	if n := w.git("rev-list", "--count", "--merges", h.ground()+".."+h.row.Branch); !maps.Equal(have, want) || n != "7" {
		w.t.Fatalf("run %s: merged were %v, not %v, with %s merge commits:\n%s", h.row.Branch, have, want, n, h)
	}
}

// last is which of the two that write one file is merged second.
func (w *world) last(h history) string {
	for _, b := range bodiesOf[core.MergeConcluded](h) {
		if id, _, _ := strings.Cut(b.Task, "."); b.Passed && id == "files" {
			return "licence"
		} else if b.Passed && id == "licence" {
			return "files"
		}
	}
	w.t.Fatalf("run %s: neither files nor licence was merged", h.row.Branch)
	return ""
}

// publishedOnce: what was pushed, once, is what was verified and approved.
func (w *world) publishedOnce(h history) {
	w.t.Helper()
	tip := w.git("rev-parse", h.row.Branch)
	prepared, granted := bodiesOf[core.PublishPrepared](h), bodiesOf[core.ApprovalGranted](h)
	requested, concluded := bodiesOf[core.PublishRequested](h), bodiesOf[core.PublishConcluded](h)
	if len(prepared) != 1 || len(granted) != 1 || len(requested) != 1 || len(concluded) != 1 || !concluded[0].OK {
		w.t.Fatalf("run %s was not published once:\n%s", h.row.Branch, h)
	}
	if !prepared[0].Passed || !passed(prepared[0].Results) || granted[0].Subject != prepared[0].Subject || requested[0].Subject.Commit != tip || prepared[0].Subject.Commit != tip {
		w.t.Fatalf("run %s: %s is published, which was not verified and approved: %+v", h.row.Branch, tip, prepared[0])
	}
	if n := w.pulls(h); n != 1 {
		w.t.Fatalf("run %s has %d pull requests", h.row.Branch, n)
	}
}
