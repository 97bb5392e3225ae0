package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// laden is a run that every action has something to do for.
func laden(t *testing.T) *phased {
	t.Helper()
	p := managed(t)
	p.run.Stream.At = p.run.Stream.At.AddDate(2025, 0, 0)
	p.run.Home, p.run.Remote = "", filepath.Join(p.Layout.State, "person")
	p.run.Driving.Plan, p.run.Driving.PlanWrite = &core.Plan{Commit: p.commit}, &core.PlanWrite{Event: "e1", Message: "because", Done: []string{"1"}}
	p.stage.Line, p.Notifier = p.run.BaseCommit, nobody{}
	p.Drafts = draft.Open(sqlitetest.New(t))
	p.task.Done = core.Check{Kind: core.CheckFiles, Globs: []string{"more.txt"}}
	p.run.Playbook.Project.Done = p.task.Done
	p.attempt.Delivery = &core.Delivery{Commit: p.commit, Tree: sh(t, p.run.Remote, "git rev-parse "+p.commit+"^{tree}")}
	p.task.Publishing = &core.PublishRequested{Task: p.task.ID, Subject: core.Subject{
		Stage: p.stage.ID, Commit: p.commit, Remote: filepath.Join(p.Layout.State, "missing"), Ref: "refs/heads/feature/x", Base: "main",
	}}
	return p
}

type nobody struct{}

func (nobody) Tell(context.Context, *core.Run) error { return nil }

// TestTroubleIsTriedAgain: an action that meets it fails, whatever it is, and nothing is said of the run. It is the next
// try that concludes.
func TestTroubleIsTriedAgain(t *testing.T) {
	lost := errors.New("the disk is gone")
	p := laden(t)
	p.Yards = brokenYards{lost}
	task := p.task.ID
	for name, c := range map[string]struct {
		action core.Action
		worker *fated
	}{
		"hold a ref":      {core.HoldRef{Ref: yard.Kept + "run-1/x", Commit: "c"}, nil},
		"move a branch":   {core.MoveBranch{Ref: "refs/heads/x", New: "c"}, nil},
		"publish":         {core.Publish{Task: task}, nil},
		"read the plan":   {core.ReadPlan{Commit: "c"}, nil},
		"write the plan":  {core.WritePlan{Event: "e1"}, nil},
		"sweep":           {core.Sweep{}, nil},
		"watch a request": {core.WatchPullRequest{Commit: "c"}, nil},
		"start":           {core.StartAttempt{Attempt: builder}, &fated{statuses: []spawn.Status{spawn.Absent}, broken: map[string]error{"probe": lost}}},
		"watch":           {core.WatchAttempt{Attempt: builder}, &fated{statuses: []spawn.Status{spawn.Exited}, broken: map[string]error{"wait": lost}}},
		"stop":            {core.StopAttempt{Attempt: builder}, &fated{broken: map[string]error{"kill": lost}}},
	} {
		p.Spawner = c.worker
		if err := p.do(t.Context(), p.run, c.action); !errors.Is(err, lost) || len(p.engine.taken()) > 0 {
			t.Errorf("%s: it ended with %v, or was reported", name, err)
		}
	}
	if err := p.do(t.Context(), &core.Run{}, nil); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("an action that nobody knows: %v", err)
	}
}

// away are objects that cannot be reached.
type away struct{ object.Objects }

var errAway = core.Away(errors.New("the bucket does not answer"))

func (away) Open(context.Context, string) (io.ReadSeekCloser, error)      { return nil, errAway }
func (away) Put(context.Context, io.Reader, int64) (string, int64, error) { return "", 0, errAway }

// TestWhatIsAwayConcludesNothing: no verdict, no preparation and no start fails for a store or objects that are away. The next try concludes.
func TestWhatIsAwayConcludesNothing(t *testing.T) {
	p := laden(t)
	stage, task, sound := p.stage.ID, p.task.ID, p.Objects
	digest, size, err := sound.Put(t.Context(), strings.NewReader("it is done"), 0)
	if err != nil {
		t.Fatal(err)
	}
	p.attempt.Delivery.Artifacts = []core.Artifact{{Name: "notes.md", Digest: digest, Size: size}}
	p.task.Done = core.Check{Kind: core.CheckArtifact, Name: "notes.md"}
	for name, c := range map[string]struct {
		action core.Action
		yards  Yards
	}{
		"a document of a check": {core.Verify{Event: "e2", Stage: stage, Task: task, Attempt: builder}, p.Yards},
		"verify":                {core.Verify{Event: "e2", Stage: stage, Task: task, Attempt: builder}, brokenYards{errAway}},
		"validate":              {core.Validate{Event: "e3", Stage: stage, Task: task}, brokenYards{errAway}},
		"merge":                 {core.Merge{Event: "e4", Stage: stage, Task: task}, brokenYards{errAway}},
		"prepare":               {core.PreparePublish{Event: "e5", Stage: stage, Task: task}, brokenYards{errAway}},
	} {
		yards := p.Yards
		p.Yards, p.Objects = c.yards, away{sound}
		if err := p.do(t.Context(), p.run, c.action); !errors.Is(err, core.ErrAway) || len(p.engine.taken()) > 0 {
			t.Errorf("%s: it ended with %v, or was reported", name, err)
		}
		p.Yards, p.Objects = yards, sound
		if err := p.do(t.Context(), p.run, c.action); err != nil || len(p.engine.taken()) != 1 {
			t.Errorf("%s: when it is back it ends with %v, or is not reported", name, err)
		}
	}
	if err := p.notStarted(t.Context(), p.run, builder, fmt.Errorf("keep the prompt: %w", errAway)); !errors.Is(err, core.ErrAway) || len(p.engine.taken()) > 0 {
		t.Errorf("a start ended with %v, or was reported", err)
	}
	if !passing(errAway) {
		t.Error("an epic is refused")
	}
}

// TestWhatIsNotOnRecordIsTriedAgain: an action whose conclusion the engine does not take has not happened.
func TestWhatIsNotOnRecordIsTriedAgain(t *testing.T) {
	p := laden(t)
	stage, task := p.stage.ID, p.task.ID
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, action := range map[string]core.Action{
		"verify":          core.Verify{Event: "e2", Stage: stage, Task: task, Attempt: builder},
		"validate":        core.Validate{Event: "e3", Stage: stage, Task: task},
		"merge":           core.Merge{Event: "e4", Stage: stage, Task: task},
		"prepare":         core.PreparePublish{Event: "e5", Stage: stage, Task: task},
		"publish":         core.Publish{Task: task},
		"condition":       core.EvaluateCondition{Stage: stage, Expr: "true"},
		"notify":          core.Notify{Event: "e6"},
		"hold a ref":      core.HoldRef{Ref: yard.Kept + "run-1/x", Commit: p.commit},
		"move a branch":   core.MoveBranch{Ref: "refs/heads/x", New: p.commit},
		"read the plan":   core.ReadPlan{Commit: p.commit},
		"write the plan":  core.WritePlan{Event: "e1"},
		"sweep":           core.Sweep{},
		"watch a request": core.WatchPullRequest{Commit: p.commit, Merge: p.run.BaseCommit},
	} {
		p.refuses = errors.New("the disk is full")
		if err := p.do(t.Context(), p.run, action); !errors.Is(err, p.refuses) {
			t.Errorf("%s: it ended with %v", name, err)
		}
		p.refuses = nil
		if name == "move a branch" { // where the first try has put it
			if at, err := y.Resolve(t.Context(), "refs/heads/x"); err != nil || at != p.commit {
				t.Errorf("it is at %s, %v", at, err)
			}
			continue
		}
		if err := p.do(t.Context(), p.run, action); err != nil || len(p.engine.news) != 1 {
			t.Errorf("%s: again it ended with %v and %d reports", name, err, len(p.engine.news))
		}
		for _, body := range p.engine.taken() {
			if seen, ok := body.(core.PullRequestSeen); ok && seen != (core.PullRequestSeen{State: core.PullRequestMerged, Commit: p.commit, Merge: p.run.BaseCommit}) {
				t.Errorf("seen is %+v", seen)
			}
		}
	}
}

// TestAnEngineThatEndsConcludesNothing: what it was at is the next one's.
func TestAnEngineThatEndsConcludesNothing(t *testing.T) {
	p := laden(t)
	ended, end := context.WithCancel(t.Context())
	end()
	p.Spawner = &fated{statuses: []spawn.Status{spawn.Absent}}
	for name, do := range map[string]func() error{
		"publish":         func() error { return p.publish(ended, p.run, core.Publish{Task: p.task.ID}) },
		"watch a request": func() error { return p.watchPullRequest(ended, p.run, core.WatchPullRequest{Commit: p.commit}) },
		"condition":       func() error { return p.evaluateCondition(ended, p.run, core.EvaluateCondition{Expr: "true"}) },
		"no start":        func() error { return p.notStarted(ended, p.run, builder, errors.New("no room")) },
		"claimed": func() error {
			d := &Dispatcher{Options: Options{Spawner: &fated{statuses: []spawn.Status{spawn.Starting}}}}
			return d.claimed(ended, spawn.ID{})
		},
		"checks": func() error {
			p.checks <- struct{}{} // all are taken
			defer func() { <-p.checks }()
			passed, _, err := p.evaluate(ended, p.run, evaluation{})
			if passed {
				t.Error("what was not looked at has passed")
			}
			return err
		},
		"look": func() error {
			for range cap(p.posts.slots) { // all are taken
				p.posts.slots <- struct{}{}
			}
			_, err := p.look(ended, p.run, &core.PullRequest{})
			return err
		},
	} {
		if err := do(); !errors.Is(err, context.Canceled) || len(p.engine.taken()) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnEngineThatEndsAsksNoMore: what failed as it ended is told as it failed, and a wait is over at once.
func TestAnEngineThatEndsAsksNoMore(t *testing.T) {
	run := &core.Run{Remote: "https://git.example.org/r.git", Playbook: &core.Playbook{}}
	for name, c := range map[string]struct {
		before bool
		want   error
	}{"ended before": {true, yard.ErrUnreachable}, "ended as it waits": {false, context.Canceled}} {
		synctest.Test(t, func(t *testing.T) {
			d := &Dispatcher{Options: Options{Log: slog.New(slog.DiscardHandler), Redactors: func([]string) Redactor { return discreet{} }}}
			ctx, end := context.WithCancel(t.Context())
			began, asked, done := time.Now(), 0, make(chan error, 1)
			if c.before {
				end()
			}
			go func() {
				done <- d.persist(ctx, run, func() error { asked++; return yard.ErrUnreachable })
			}()
			synctest.Wait()
			end()
			if err := <-done; !errors.Is(err, c.want) || asked != 1 || time.Since(began) > 0 {
				t.Errorf("%s: %v, asked %d times in %s", name, err, asked, time.Since(began))
			}
		})
	}
}

// TestAShimThatHasClaimed: whatever became of it since, it has begun.
func TestAShimThatHasClaimed(t *testing.T) {
	lost := errors.New("the disk is gone")
	for _, status := range []spawn.Status{spawn.Running, spawn.Exited, spawn.Lost} {
		d := &Dispatcher{Options: Options{Spawner: &fated{statuses: []spawn.Status{status}}}}
		if err := d.claimed(t.Context(), spawn.ID{Run: "run", Attempt: "attempt"}); err != nil {
			t.Errorf("%s: %v", status, err)
		}
		d.Spawner = &fated{statuses: []spawn.Status{status}, broken: map[string]error{"probe": lost}}
		if err := d.claimed(t.Context(), spawn.ID{Run: "run", Attempt: "attempt"}); !errors.Is(err, lost) {
			t.Errorf("%s that cannot be looked at: %v", status, err)
		}
	}
}

// TestAStartThatIsNotOnRecord: where its prompt cannot be kept, or its process cannot be looked at, nothing is said.
func TestAStartThatIsNotOnRecord(t *testing.T) {
	for name, c := range map[string]struct {
		started spawn.Status
		fault   func(p *phased) error
	}{
		"no blobs":   {spawn.Running, func(p *phased) error { return os.RemoveAll(filepath.Join(p.Layout.State, "blobs")) }},
		"no process": {spawn.Absent, func(*phased) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			p.workers.started, p.task.Inputs, p.task.Attempts[0].Delivery = c.started, nil, nil
			if err := c.fault(p); err != nil {
				t.Fatal(err)
			}
			p.flight[p.run.ID+" "+core.KeyOf(p.action())] = &job{run: p.run.ID, cancel: func(error) {}}
			if err := p.startAttempt(t.Context(), p.run, p.action()); err == nil || len(p.engine.news) > 0 {
				t.Errorf("it ended with %v and %d reports", err, len(p.engine.news))
			}
			if orders, _ := p.workers.asked(); len(orders) != 1 {
				t.Errorf("ordered is %+v", orders)
			}
		})
	}
}
