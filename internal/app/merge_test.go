package app_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// published is a run in review whose pull request is a record on this machine.
type published struct {
	t     *testing.T
	ctx   context.Context //nolint:containedctx // of the test
	app   *app.App
	dir   string
	state string
	run   api.RunDetail
}

func publish(t *testing.T) *published {
	t.Helper()
	p := atTheGate(t)
	if _, err := p.app.Service.Approve(p.ctx, p.run.ID, api.Approve{Subject: &p.run.Gate.Subject}); err != nil {
		t.Fatal(err)
	}
	p.run = reach(p.ctx, t, p.app, p.run.ID, core.StatusReview)
	return p
}

// atTheGate is a run whose pull request waits for an approval.
func atTheGate(t *testing.T) *published {
	t.Helper()
	p := &published{t: t, state: stateFolder(t), dir: repository(t, map[string]string{
		"README.md": "x\n", "scenario.yaml": projectScenario, ".stellwerk/playbooks/project.yaml": projectPlaybook, ".ai/plan.md": projectPlan,
	})}
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	t.Cleanup(cancel)
	p.ctx = ctx
	p.open(nil)
	t.Cleanup(p.close)
	a := p.app
	run, err := a.Service.StartRun(ctx, api.StartRun{Dir: p.dir, Goal: "Greet people", Playbook: "project", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	p.run = reach(ctx, t, a, run.ID, core.StatusAwaiting)
	return p
}

// TestAnApprovalSaysWhatWasShown: without it, or with what has changed since, the
// word is refused.
func TestAnApprovalSaysWhatWasShown(t *testing.T) {
	t.Parallel()
	p := atTheGate(t)
	git(t, p.dir, "branch", "other")
	stale := p.run.Gate.Subject
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
		if _, err := p.app.Service.Approve(p.ctx, p.run.ID, c.req); core.CodeOf(err) != c.code {
			t.Errorf("approved %s: %v", what, err)
		}
	}
	if _, err := p.app.Service.Approve(p.ctx, p.run.ID, api.Approve{Subject: &p.run.Gate.Subject}); err != nil {
		t.Error(err)
	}
}

// open starts an engine on the same state; close ends it.
func (p *published) open(wrap func(*app.Parts)) {
	p.t.Helper()
	a, err := app.Open(p.ctx, app.Options{State: p.state, Version: "test", Log: p.t.Output(), Wrap: wrap})
	if err != nil {
		p.t.Fatal(err)
	}
	p.app = a
}

func (p *published) close() {
	if err := p.app.Close(); err != nil {
		p.t.Error(err)
	}
}

// said are the events of a type in the run's history.
func said[B core.Body](p *published) (list []B, by []core.Actor) {
	p.t.Helper()
	events, err := p.app.Service.Events(p.ctx, p.run.ID, 0, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			p.t.Fatal(err)
		}
		if b, ok := body.(B); ok {
			list, by = append(list, b), append(by, e.Actor)
		}
	}
	return list, by
}

// look asks what merging would do; reason is part of why it cannot be done.
func (p *published) look(reason string) api.Mergeable {
	p.t.Helper()
	m, err := p.app.Service.Mergeable(p.ctx, p.run.ID)
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
	if _, err := p.app.Service.Merge(ctx, p.run.ID, req); core.CodeOf(err) != code {
		p.t.Errorf("%s: %v", what, err)
	}
	if after := git(p.t, p.dir, "rev-parse", "main"); after != before {
		p.t.Errorf("%s: main moved from %s to %s", what, before, after)
	}
}

func TestMergeIntoAPersonsRepository(t *testing.T) {
	t.Parallel()
	p := publish(t)
	began := git(t, p.dir, "rev-parse", "main")

	if !p.run.MergesHere || !strings.Contains(p.run.Next, "`stellwerk merge "+p.run.Alias+" --fast-forward`") {
		t.Errorf("what to do next: %s", p.run.Next)
	}
	p.look("checked out in " + p.dir)
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
	if _, err := p.app.Service.Merge(p.ctx, p.run.ID, api.Merge{Commit: shown.Commit, Tip: shown.Tip}); err != nil {
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
	p.recorded(shown, 1)
	if again, err := p.app.Service.Merge(p.ctx, p.run.ID, api.Merge{Commit: shown.Commit, Tip: shown.Tip}); err != nil || again.MergedBy != "me" {
		t.Errorf("the same word again: %+v, %v", again, err)
	}
}

// TestTheSameMergeTwiceAtOnce: a word that is sent again before it is carried out, as by
// a double click, merges once and succeeds each time.
func TestTheSameMergeTwiceAtOnce(t *testing.T) {
	t.Parallel()
	p := publish(t)
	git(t, p.dir, "checkout", "-q", "-b", "mine")
	shown := p.look("")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if run, err := p.app.Service.Merge(p.ctx, p.run.ID, api.Merge{Commit: shown.Commit, Tip: shown.Tip}); err != nil || run.MergedBy != "me" {
				t.Errorf("merged by %q: %v", run.MergedBy, err)
			}
		})
	}
	all.Wait()
	p.recorded(shown, 1)
}

// recorded holds that the run's history says who had what merged, how often they said so,
// and that it was merged once.
func (p *published) recorded(shown api.Mergeable, words int) {
	p.t.Helper()
	made := git(p.t, p.dir, "rev-parse", "main")
	want := core.MergeGranted{Commit: shown.Commit, Base: "main", Tip: shown.Tip, Merge: made}
	granted, by := said[core.MergeGranted](p)
	if len(granted) > 0 {
		want.Pack = granted[len(granted)-1].Pack
		if err := object.CheckDigest(want.Pack); err != nil {
			p.t.Errorf("the pack of the merge: %v", err)
		}
	}
	if len(granted) != words || granted[words-1] != want || by[words-1] != core.Person("me") {
		p.t.Errorf("granted: %+v by %+v, want %+v", granted, by, want)
	}
	seen, _ := said[core.PullRequestSeen](p)
	if len(seen) != 1 || seen[0].Merge != made || seen[0].State != core.PullRequestMerged {
		p.t.Errorf("seen: %+v", seen)
	}
	if d, err := p.app.Service.Run(p.ctx, p.run.ID); err != nil || d.MergedBy != "me" || d.Merge != made {
		p.t.Errorf("the run says %q merged %s, %v", d.MergedBy, d.Merge, err)
	}
}

// dying is a store of an engine that ends as it commits an event of a type: before, or
// right after. Nothing is committed once it has ended.
type dying struct {
	store.Store
	on    core.Type
	after bool
	dead  chan struct{}
}

var errDead = errors.New("the engine has ended")

func (s dying) Commit(ctx context.Context, c store.Commit) error {
	select {
	case <-s.dead:
		return errDead
	default:
	}
	if !slices.ContainsFunc(c.Events, func(e core.Event) bool { return e.Type == s.on }) {
		return s.Store.Commit(ctx, c)
	}
	defer close(s.dead)
	if s.after {
		if err := s.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	return errDead
}

// TestAnEngineThatEndsInTheMiddleOfAMerge leaves a word that the next engine carries
// out, or a base that it finds moved. Nobody has to say it again, it is on the record
// whose merge it was, and there is one.
func TestAnEngineThatEndsInTheMiddleOfAMerge(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]dying{
		"before the base moves": {on: core.TypeMergeGranted, after: true, dead: make(chan struct{})},
		"after the base moved":  {on: core.TypePullRequestSeen, dead: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			p := publish(t)
			git(t, p.dir, "checkout", "-q", "-b", "mine")
			p.close()
			p.open(func(parts *app.Parts) {
				s.Store = parts.Store
				parts.Store = s
			})
			shown := p.look("")
			req := api.Merge{Commit: shown.Commit, Tip: shown.Tip}
			ctx, gone := context.WithCancel(p.ctx)
			go func() {
				<-s.dead
				gone()
			}()
			if _, err := p.app.Service.Merge(ctx, p.run.ID, req); err == nil {
				t.Fatal("merged by a dead engine")
			}
			if moved := git(t, p.dir, "rev-parse", "main") != shown.Tip; moved == s.after {
				t.Errorf("the base has moved: %v", moved)
			}
			p.close()
			p.open(nil)
			reach(p.ctx, t, p.app, p.run.ID, core.StatusCompleted)
			p.recorded(shown, 1)
			if again, err := p.app.Service.Merge(p.ctx, p.run.ID, req); err != nil || again.MergedBy != "me" {
				t.Errorf("the same word to the next engine: %+v, %v", again, err)
			}
		})
	}
}

// TestAMergeThatDidNotComeAbout is on the record as such, and can be asked for again.
func TestAMergeThatDidNotComeAbout(t *testing.T) {
	t.Parallel()
	p := publish(t)
	git(t, p.dir, "checkout", "-q", "-b", "mine")
	shown := p.look("")
	lock := filepath.Join(p.dir, ".git", "refs", "heads", "main.lock") // somebody's git is at it
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	req := api.Merge{Commit: shown.Commit, Tip: shown.Tip}
	p.refused(p.ctx, "a branch that is locked", req, core.CodeConflict)
	granted, _ := said[core.MergeGranted](p)
	failed, by := said[core.MergeFailed](p)
	if len(failed) != 1 || len(granted) != 1 || failed[0].Merge != granted[0].Merge || failed[0].Cause != "" || failed[0].Reason == "" || by[0] != core.Engine() {
		t.Errorf("granted %+v, failed %+v", granted, failed)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if _, err := p.app.Service.Merge(p.ctx, p.run.ID, req); err != nil {
		t.Fatal(err)
	}
	reach(p.ctx, t, p.app, p.run.ID, core.StatusCompleted)
	p.recorded(shown, 2)
}

// TestWhatToTypeCanBePasted: the line works in a shell as it stands, in whichever
// folder, and ends the run.
func TestWhatToTypeCanBePasted(t *testing.T) {
	t.Parallel()
	t.Run("what is checked out", func(t *testing.T) {
		p := publish(t)
		m := p.look("checked out in " + p.dir)
		p.paste(m.Command)
		reach(p.ctx, t, p.app, p.run.ID, core.StatusCompleted)
		if granted, _ := said[core.MergeGranted](p); len(granted) > 0 {
			t.Errorf("nobody granted %+v", granted)
		}
	})
	t.Run("what conflicts", func(t *testing.T) {
		p := publish(t)
		writeFiles(t, p.dir, map[string]string{"greet.txt": "something else\n"})
		git(t, p.dir, "add", "-A")
		git(t, p.dir, "commit", "-q", "-m", "another greeting")
		git(t, p.dir, "checkout", "-q", "-b", "mine")
		m := p.look("changed on both sides")
		if out, err := p.shell(m.Command); err == nil || !strings.Contains(out, "CONFLICT") {
			t.Fatalf("%s: %s, %v", m.Command, out, err)
		}
		git(t, p.dir, "checkout", "--theirs", "greet.txt")
		git(t, p.dir, "commit", "-qam", "both")
		reach(p.ctx, t, p.app, p.run.ID, core.StatusCompleted)
	})
}

func (p *published) paste(command string) {
	p.t.Helper()
	if out, err := p.shell(command); err != nil || strings.Contains(command, "\n") {
		p.t.Fatalf("%q: %s, %v", command, out, err)
	}
}

// shell is a person's, who stands elsewhere and has no editor at hand.
func (p *published) shell(command string) (string, error) {
	cmd := exec.CommandContext(p.ctx, "sh", "-c", command)
	cmd.Dir = p.t.TempDir()
	cmd.Env = append(os.Environ(), "GIT_EDITOR=false")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestAWishIsAboutWhatWasShown(t *testing.T) {
	t.Parallel()
	p := publish(t)
	if _, err := p.app.Service.Feedback(p.ctx, p.run.ID, api.Feedback{Text: "other", Subject: &core.Subject{Commit: strings.Repeat("a", 40)}}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("about another commit: %v", err)
	}
	if _, err := p.app.Service.Feedback(p.ctx, p.run.ID, api.Feedback{Text: "other", Subject: &core.Subject{Stage: core.PublishStage, Commit: p.run.Head}}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("about another gate: %v", err)
	}
	if _, err := p.app.Service.Feedback(p.ctx, p.run.ID, api.Feedback{Text: "greet.txt:1: Here", Subject: &core.Subject{Commit: p.run.Head}}); err != nil {
		t.Error(err)
	}
	reach(p.ctx, t, p.app, p.run.ID, core.StatusAwaiting)
}
