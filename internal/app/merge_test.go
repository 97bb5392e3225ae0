package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// published is a run in review whose pull request is a record on this machine.
type published struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // of the test
	app *app.App
	dir string
	run api.RunDetail
}

func publish(t *testing.T) *published {
	t.Helper()
	p := &published{t: t, dir: repository(t, map[string]string{
		"README.md": "x\n", "scenario.yaml": projectScenario, ".stellwerk/playbooks/project.yaml": projectPlaybook, ".ai/plan.md": projectPlan,
	})}
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), 5*time.Minute)
	t.Cleanup(cancel)
	p.ctx = ctx
	a, err := app.Open(ctx, app.Options{State: t.TempDir(), Version: "test", Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	p.app = a
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	run, err := a.StartRun(ctx, api.StartRun{Dir: p.dir, Goal: "Greet people", Playbook: "project", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	gated := reach(ctx, t, a, run.ID, core.StatusAwaiting)
	stale := gated.Gate.Subject
	stale.Commit = strings.Repeat("a", 40)
	for what, c := range map[string]struct {
		req  api.Approve
		code core.Code
	}{
		"what nobody says they were shown":      {api.Approve{}, core.CodeInvalid},
		"the same, for another branch":          {api.Approve{Base: "other"}, core.CodeInvalid},
		"what is not there":                     {api.Approve{Subject: &stale}, core.CodeConflict},
		"what is not there, for another branch": {api.Approve{Subject: &stale, Base: "other"}, core.CodeConflict},
	} {
		if _, err := a.Approve(ctx, run.ID, c.req); core.CodeOf(err) != c.code {
			t.Errorf("approved %s: %v", what, err)
		}
	}
	if _, err := a.Approve(ctx, run.ID, api.Approve{Subject: &gated.Gate.Subject}); err != nil {
		t.Fatal(err)
	}
	p.run = reach(ctx, t, a, run.ID, core.StatusReview)
	return p
}

// look asks what merging would do; reason is part of why it cannot be done.
func (p *published) look(reason string) api.Mergeable {
	p.t.Helper()
	m, err := p.app.Mergeable(p.ctx, p.run.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	if m.Can != (reason == "") || !strings.Contains(m.Reason, reason) {
		p.t.Fatalf("%+v", m)
	}
	return m
}

func (p *published) refused(ctx context.Context, what string, req api.Merge, code core.Code) {
	p.t.Helper()
	before := git(p.t, p.dir, "rev-parse", "main")
	if _, err := p.app.Merge(ctx, p.run.ID, req); core.CodeOf(err) != code {
		p.t.Errorf("%s: %v", what, err)
	}
	if after := git(p.t, p.dir, "rev-parse", "main"); after != before {
		p.t.Errorf("%s: main moved from %s to %s", what, before, after)
	}
}

func TestMergeIntoAPersonsRepository(t *testing.T) {
	p := publish(t)
	began := git(t, p.dir, "rev-parse", "main")

	m := p.look("checked out in " + p.dir)
	if !strings.Contains(m.Next, "git -C "+p.dir+" merge "+p.run.Branch) {
		t.Errorf("what to type: %s", m.Next)
	}
	p.refused(p.ctx, "what is checked out", api.Merge{}, core.CodeConflict)

	writeFiles(t, p.dir, map[string]string{"greet.txt": "something else\n"})
	git(t, p.dir, "add", "-A")
	git(t, p.dir, "commit", "-q", "-m", "another greeting")
	git(t, p.dir, "checkout", "-q", "-b", "mine")
	if m := p.look("changed on both sides"); len(m.Conflicts) != 1 || m.Conflicts[0] != "greet.txt" || m.Ahead != 1 {
		t.Errorf("%+v", m)
	}
	p.refused(p.ctx, "what conflicts", api.Merge{}, core.CodeConflict)

	git(t, p.dir, "branch", "-f", "main", began)
	shown := p.look("")
	git(t, p.dir, "branch", "-f", "main", git(t, p.dir, "commit-tree", "-p", began, "-m", "news", began+"^{tree}"))
	p.refused(p.ctx, "a base that has moved", api.Merge{Commit: shown.Commit, Tip: shown.Tip}, core.CodeConflict)
	p.refused(p.ctx, "another commit", api.Merge{Commit: began}, core.CodeConflict)
	agent := api.WithCaller(p.ctx, api.Caller{Actor: core.Actor{Kind: core.ActorAgent, ID: "a1"}, Run: p.run.ID})
	p.refused(agent, "by an agent", api.Merge{}, core.CodeForbidden)

	shown = p.look("")
	if shown.Ahead != 1 {
		t.Errorf("%d commits ahead", shown.Ahead)
	}
	for _, req := range []api.Merge{{}, {Commit: shown.Commit}, {Tip: shown.Tip}} {
		p.refused(p.ctx, "what nobody says they were shown", req, core.CodeInvalid)
	}
	if _, err := p.app.Merge(p.ctx, p.run.ID, api.Merge{Commit: shown.Commit, Tip: shown.Tip}); err != nil {
		t.Fatal(err)
	}
	reach(p.ctx, t, p.app, p.run.ID, core.StatusCompleted)
	if got := git(t, p.dir, "log", "-1", "--format=%P", "main"); got != shown.Tip+" "+shown.Commit {
		t.Errorf("the parents of main are %s", got)
	}
	if got := git(t, p.dir, "show", "main:greet.txt"); !strings.Contains(got, "hello") {
		t.Errorf("merged is %q", got)
	}
	if got := git(t, p.dir, "rev-parse", "--abbrev-ref", "HEAD") + git(t, p.dir, "status", "--porcelain"); got != "mine" {
		t.Errorf("the working copy is %q", got)
	}
	p.refused(p.ctx, "a second time", api.Merge{}, core.CodeConflict)
}

func TestAWishIsAboutWhatWasShown(t *testing.T) {
	p := publish(t)
	if _, err := p.app.Feedback(p.ctx, p.run.ID, api.Feedback{Text: "other", Subject: &core.Subject{Commit: strings.Repeat("a", 40)}}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("about another commit: %v", err)
	}
	if _, err := p.app.Feedback(p.ctx, p.run.ID, api.Feedback{Text: "other", Subject: &core.Subject{Stage: core.PublishStage, Commit: p.run.Head}}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("about another gate: %v", err)
	}
	if _, err := p.app.Feedback(p.ctx, p.run.ID, api.Feedback{Text: "greet.txt:1: Here", Subject: &core.Subject{Commit: p.run.Head}}); err != nil {
		t.Error(err)
	}
	reach(p.ctx, t, p.app, p.run.ID, core.StatusAwaiting)
}
