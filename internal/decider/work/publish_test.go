package work_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestWhoApprovesAPublicationIsToldAllOfIt: what is unenforced, what the change touches, and what looks like a secret.
func TestWhoApprovesAPublicationIsToldAllOfIt(t *testing.T) {
	leaks := []core.Leak{{Rule: "github-token", File: "a.env", Line: 3}}
	s := &core.Stage{ID: "publish", Status: core.StageOpen, Tasks: []*core.Task{{
		ID: "publish", Prepared: &core.PublishPrepared{Notices: []string{"changes CLAUDE.md"}, Leaks: leaks},
	}}}
	for isolation, first := range map[string][]string{"sandbox": nil, "none": {"unenforced: this run's agents are not isolated"}} {
		r := &core.Run{Isolation: isolation, Stages: []*core.Stage{s}}
		bodies := work.Prepare(r, s)
		if len(bodies) != 1 {
			t.Fatalf("%v", bodies)
		}
		asked, ok := bodies[0].(core.ApprovalRequested)
		if want := append(slices.Clone(first), "changes CLAUDE.md"); !ok || !slices.Equal(asked.Notices, want) || !slices.Equal(asked.Leaks, leaks) {
			t.Errorf("isolation %s: asked with %+v, want the notices %q", isolation, bodies[0], want)
		}
	}
}

// published is a run all of whose work is in its pull request.
func published(change func(r *core.Run)) *core.Run {
	r := &core.Run{
		Alias: "r", Title: "add x", Status: core.StatusActive, Head: "c2", Verified: "c2",
		Stages:      []*core.Stage{{ID: "step-1", Status: core.StageDone}},
		PullRequest: &core.PullRequest{Commit: "c2", State: core.PullRequestOpen},
	}
	change(r)
	return r
}

// TestARunRestsOrEndsOnlyWithAllItsWork: it waits for the review of its pull request,
// and ends with that, only while nothing is left to do or to publish.
func TestARunRestsOrEndsOnlyWithAllItsWork(t *testing.T) {
	rests, ends, pauses := core.TypeReviewAwaited, core.TypeRunCompleted, core.TypeRunPaused
	as := func(state core.PullRequestState, change func(r *core.Run)) func(r *core.Run) {
		return func(r *core.Run) { r.PullRequest.State = state; change(r) }
	}
	all := func(*core.Run) {}
	open := func(r *core.Run) { r.Stages[0].Status = core.StageOpen }
	later := func(r *core.Run) { r.Verified = "c3" }
	wish := func(r *core.Run) { r.Driving.Changes = []core.Changes{{ID: "1"}} }
	for name, c := range map[string]struct {
		change func(r *core.Run)
		want   core.Type // "" where nothing follows
	}{
		"open":                       {as(core.PullRequestOpen, all), rests},
		"open, work goes on":         {as(core.PullRequestOpen, open), ""},
		"open, and more is merged":   {as(core.PullRequestOpen, later), ""},
		"open, changes are wanted":   {as(core.PullRequestOpen, wish), ""},
		"open, it rests already":     {as(core.PullRequestOpen, func(r *core.Run) { r.Status = core.StatusReview }), ""},
		"none":                       {func(r *core.Run) { r.PullRequest = nil }, ""},
		"merged":                     {as(core.PullRequestMerged, all), ends},
		"merged, work goes on":       {as(core.PullRequestMerged, open), ""},
		"merged without the newest":  {as(core.PullRequestMerged, later), ""},
		"merged, changes are wanted": {as(core.PullRequestMerged, wish), ""},
		"closed":                     {as(core.PullRequestClosed, all), pauses},
		"closed, work goes on":       {as(core.PullRequestClosed, open), pauses},
	} {
		r := published(c.change)
		bodies := work.Ended(r)
		if len(bodies) == 0 {
			bodies = work.Review(r)
		}
		var got core.Type
		if len(bodies) > 0 {
			got = core.TypeOf(bodies[0])
		}
		if got != c.want || len(bodies) > 1 {
			t.Errorf("%s: %+v follows, want %q", name, bodies, c.want)
		}
		if p, ok := first(bodies).(core.RunPaused); ok && (p.Code != core.PausePublish || p.Stage != core.PublishStage || p.Reason == "" || wording.Advice(p.Code, p.Advice) != "`stellwerk resume r` tries again, `stellwerk cancel r` gives the work up") {
			t.Errorf("%s: paused with %+v", name, p)
		}
	}
}

func first(bodies []core.Body) core.Body {
	if len(bodies) == 0 {
		return nil
	}
	return bodies[0]
}

// TestTheCourseOfAPublication: it is prepared, asked about, published as it was
// approved and under the run's title, and only then passed.
func TestTheCourseOfAPublication(t *testing.T) {
	shown := core.Subject{Stage: core.PublishStage, Round: 2, Commit: "c2", Ref: "x"}
	approved := &core.Gate{Subject: shown, Approved: true}
	for name, c := range map[string]struct {
		next func(r *core.Run, s *core.Stage) []core.Body
		gate *core.Gate
		task core.Task
		want core.Body
	}{
		"to be prepared":         {work.Prepare, nil, core.Task{Status: core.TaskWaiting, Act: core.ActPullRequest}, core.VerifyRequested{Task: "p", Fresh: true}},
		"being prepared":         {work.Prepare, nil, core.Task{Status: core.TaskVerifying, Act: core.ActPullRequest}, nil},
		"asked and not answered": {work.Publish, &core.Gate{Subject: shown}, core.Task{Status: core.TaskDelivered}, nil},
		"nobody was asked":       {work.Publish, nil, core.Task{Status: core.TaskDelivered}, nil},
		"approved":               {work.Publish, approved, core.Task{Status: core.TaskDelivered, Act: core.ActPullRequest}, core.PublishRequested{Task: "p", Subject: shown, Title: "feat: add x"}},
		"being published":        {work.Publish, approved, core.Task{Status: core.TaskVerifying}, nil},
		"published":              {work.Publish, approved, core.Task{Status: core.TaskDone}, core.StagePassed{Stage: core.PublishStage, Round: 2, Commit: "c2"}},
	} {
		c.task.ID = "p"
		s := &core.Stage{ID: core.PublishStage, Round: 2, Status: core.StageOpen, Gate: c.gate, Tasks: []*core.Task{&c.task}}
		r := published(func(r *core.Run) { r.Stages = append(r.Stages, s); r.Playbook = &core.Playbook{} })
		bodies := c.next(r, s)
		if diff := cmp.Diff(c.want, first(bodies)); diff != "" || len(bodies) > 1 || len(bodies) == 1 && bodies[0] == nil {
			t.Errorf("%s: %+v follows\n%s", name, bodies, diff)
		}
	}
	if got := work.Title(&core.Run{Title: "add x", Issue: "https://forge.example/o/r/issues/12"}); got != "feat(#12): add x" {
		t.Errorf("an issue's pull request is called %q", got)
	}
}

// TestPublishingMeetsTrouble: a person learns which, and what to type.
func TestPublishingMeetsTrouble(t *testing.T) {
	r := published(func(r *core.Run) {
		r.Stages = append(r.Stages, &core.Stage{ID: core.PublishStage, Trouble: "the push was declined"})
	})
	want := core.RunPaused{Code: core.PausePublish, Stage: core.PublishStage, Reason: "the push was declined", Advice: core.Advice{Choices: []core.Choice{{Verb: core.VerbResume, Run: "r"}}}}
	if got := work.Publishing(r, true); !cmp.Equal(got, []core.Body{want}) {
		t.Errorf("%+v follows", got)
	}
	r.Stages[1].Trouble, r.Stages[0].Trouble = "", "of another stage"
	for _, stages := range [][]*core.Stage{r.Stages, r.Stages[:1]} {
		if got := work.Publishing(&core.Run{Stages: stages}, true); len(got) != 0 {
			t.Errorf("without trouble, %+v follows", got)
		}
	}
}

// TestRoundsOfPublishing: each is a round of its own, for who asked for it.
func TestRoundsOfPublishing(t *testing.T) {
	r := published(func(*core.Run) {})
	for round := 1; round <= 2; round++ {
		id := core.TaskID(core.PublishStage, round, "")
		want := []core.Body{
			core.StageOpened{Stage: core.PublishStage, Round: round, Reason: core.OpenAdvance, Base: "c2", Title: "Publish"},
			core.TaskAdmitted{Task: id, Stage: core.PublishStage, Round: round, Kind: core.KindPR, Act: core.ActPullRequest, Writes: core.WritesCode, Delegation: "d1"},
		}
		if diff := cmp.Diff(want, work.OpenPublish(r, "d1")); diff != "" {
			t.Error(diff)
		}
		r.Stages = append(r.Stages, &core.Stage{ID: core.PublishStage, Round: 1, Status: core.StageDone})
	}
}
