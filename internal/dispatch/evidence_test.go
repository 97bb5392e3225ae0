package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// TestWhatADeliveryIsHeldTo: to what its task was to hand in, and not to its check alone; where what it handed in cannot
// be read, that is trouble and no verdict.
func TestWhatADeliveryIsHeldTo(t *testing.T) {
	e, verify := delivered(t, core.Check{Kind: core.CheckFiles, Globs: []string{"new.txt"}})
	stage, task, attempt := e.run.Attempt(theAttempt)
	e.run.Waves, e.run.Playbook.Project, e.Memory = nil, nil, verdicts{}
	whole := *attempt.Delivery
	for name, c := range map[string]struct {
		change func(d *core.Delivery)
		want   core.VerifyConcluded
	}{
		"all of it": {func(*core.Delivery) {}, core.VerifyConcluded{Passed: true, Results: []core.CheckResult{{Check: "files: new.txt", Kind: core.CheckFiles, Passed: true}}}},
		"no document": {func(*core.Delivery) { task.Outputs = []string{"notes.md"} }, core.VerifyConcluded{Results: []core.CheckResult{
			{Check: "files: new.txt", Kind: core.CheckFiles, Passed: true}, {Check: "artifact: notes.md", Kind: core.CheckArtifact},
		}}},
		"no commit": {func(d *core.Delivery) { d.Commit, d.Tree = "", "" }, core.VerifyConcluded{Results: []core.CheckResult{
			{Check: "delivery", Kind: core.CheckGit}, {Check: "files: new.txt", Kind: core.CheckFiles},
		}}},
		"a review that is gone": {func(d *core.Delivery) { d.Artifacts = []core.Artifact{{Name: check.ReviewName, Digest: noBlob}} }, core.VerifyConcluded{Error: "read the review"}},
	} {
		d := whole
		task.Outputs, attempt.Delivery, stage.Branch, e.run.Head = nil, &d, "", e.run.BaseCommit
		c.change(&d)
		if err := e.verify(t.Context(), e.run, verify); err != nil {
			t.Fatal(err)
		}
		got := e.engine.await(t).(core.VerifyConcluded)
		if !strings.HasPrefix(got.Error, c.want.Error) || (got.Error == "") != (c.want.Error == "") {
			t.Errorf("%s: %q", name, got.Error)
		}
		c.want.Task, c.want.Attempt = verify.Task, theAttempt
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(core.VerifyConcluded{}, "Duration", "Error"), cmpopts.IgnoreFields(core.CheckResult{}, "Detail", "Output", "Elapsed"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	e.run.Head = "the run's"
	if got := headOf(e.run, &core.Stage{}); got != "the run's" {
		t.Errorf("without a branch the head is %q", got)
	}
	if got := headOf(e.run, &core.Stage{Branch: "own", Base: "its own"}); got != "its own" {
		t.Errorf("on its branch the head is %q", got)
	}
}

// TestWhoseCommitsTheyAre: Stellwerk's own, of every attempt, and of no other kind.
func TestWhoseCommitsTheyAre(t *testing.T) {
	of := func(commit string, checkpoint, mark bool) *core.Attempt {
		return &core.Attempt{Delivery: &core.Delivery{Commit: commit, Checkpoint: checkpoint, Mark: mark}}
	}
	run := &core.Run{Stages: []*core.Stage{
		{Tasks: []*core.Task{{Attempts: []*core.Attempt{of("a", true, false), {}, of("b", false, true)}}, {Attempts: []*core.Attempt{of("c", true, false)}}}},
		{Tasks: []*core.Task{{Attempts: []*core.Attempt{of("d", false, true), of("e", false, false)}}}},
	}}
	if got := commits(run, func(d *core.Delivery) bool { return d.Checkpoint }); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("checkpoints are %q", got)
	}
	if got := commits(run, func(d *core.Delivery) bool { return d.Mark }); !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("marks are %q", got)
	}
}

// TestWhoseCheckoutGoes: that of the verification that is concluded, and no other's.
func TestWhoseCheckoutGoes(t *testing.T) {
	p := laden(t)
	stage, task := p.stage.ID, p.task.ID
	for name, c := range map[string]struct {
		action core.Action
		of     string
	}{
		"verify":   {core.Verify{Event: "e1", Stage: stage, Task: task, Attempt: builder}, builder},
		"validate": {core.Validate{Event: "e2", Stage: stage, Task: task}, task},
		"merge":    {core.Merge{Event: "e3", Stage: stage, Task: task}, task},
		"prepare":  {core.PreparePublish{Event: "e4", Stage: stage, Task: task}, task},
	} {
		event := map[string]string{"verify": "e1", "validate": "e2", "merge": "e3", "prepare": "e4"}[name]
		goes, stays := p.Layout.Checkout(p.run.ID, event, c.of), p.Layout.Checkout(p.run.ID, c.of, event)
		for _, dir := range []string{goes, stays} {
			write(t, filepath.Join(dir, "code.go"), "")
		}
		if err := p.do(t.Context(), p.run, c.action); err != nil {
			t.Fatal(err)
		}
		p.engine.await(t)
		if shimtest.Exists(t, goes) || !shimtest.Exists(t, stays) {
			t.Errorf("%s: its own is there: %t, another's: %t", name, shimtest.Exists(t, goes), shimtest.Exists(t, stays))
		}
	}
}

// TestADocumentThatIsGone is not one that says nothing.
func TestADocumentThatIsGone(t *testing.T) {
	p, s := managed(t), newSurf(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	p.run.Driving.Plan, p.run.Playbook.Project.Review.Paths = &core.Plan{Commit: p.commit, Digest: noBlob}, []string{"**"}
	handed := func(name string) *core.Delivery {
		return &core.Delivery{Commit: s.commit, Artifacts: []core.Artifact{{Name: name, Digest: noBlob}}}
	}
	planner, worker := s.run.Stages[0], s.run.Stages[1]
	worker.Tasks[0].Kind = core.KindWork
	lost := &core.Stage{ID: "build", Base: noCommit}
	read := func(stage *core.Stage, d *core.Delivery) error {
		return s.readWave(t.Context(), s.run, stage, stage.Tasks[0], d, &core.VerifyConcluded{})
	}
	for name, do := range map[string]func() error{
		"a review":        func() error { _, err := p.review(t.Context(), p.run, p.stage, handed(check.ReviewName)); return err },
		"a plan's skips":  func() error { _, err := p.skips(t.Context(), p.run, handed(core.PlanArtifact)); return err },
		"a followed plan": func() error { _, err := p.followedPlan(t.Context(), p.run); return err },
		"a plan's files": func() error {
			_, err := p.planFiles(t.Context(), p.run, &core.PlanWrite{Files: []core.PlanFile{{Name: "notes.md", Digest: noBlob}}}, y)
			return err
		},
		"a plan": func() error {
			_, err := p.planFiles(t.Context(), p.run, &core.PlanWrite{Artifact: noBlob}, y)
			return err
		},
		"a plan's commit": func() error {
			run := *p.run
			run.Driving.Plan = &core.Plan{Commit: noCommit}
			_, err := p.planText(t.Context(), &run, &core.PlanWrite{Done: []string{"1"}}, y)
			return err
		},
		"a decision": func() error { return read(planner, handed(core.DecisionArtifact)) },
		"an answer":  func() error { return read(worker, handed(core.OutputArtifact)) },
		"a decision of no shape": func() error {
			d := handed(core.DecisionArtifact)
			d.Artifacts[0].Digest = s.put(t, "[")
			return read(planner, d)
		},
		"an answer of no shape": func() error {
			d := handed(core.OutputArtifact)
			d.Artifacts[0].Digest = s.put(t, "[")
			return read(worker, d)
		},
		"what was touched": func() error { _, err := s.touched(t.Context(), s.run, lost, handed("")); return err },
		"what is to be reviewed": func() error {
			_, err := p.touches(t.Context(), p.run, lost, &core.Delivery{Commit: p.commit})
			return err
		},
		"what changed":            func() error { _, err := y.Changed(t.Context(), noCommit, p.commit); return err },
		"what is there":           func() error { _, err := y.Files(t.Context(), noCommit); return err },
		"what was committed":      func() error { _, err := y.Log(t.Context(), noCommit, p.commit); return err },
		"what looks like secrets": func() error { _, _, err := p.places(t.Context(), p.run, y, noCommit); return err },
		"a tree to look at": func() error {
			_, _, err := p.evaluate(t.Context(), p.run, evaluation{head: noCommit, check: core.Check{Kind: core.CheckFiles, Globs: []string{"x"}}})
			return err
		},
	} {
		if err := do(); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
	p.Yards, s.Yards = brokenYards{os.ErrDeadlineExceeded}, brokenYards{os.ErrDeadlineExceeded}
	if _, err := p.touches(t.Context(), p.run, p.stage, &core.Delivery{Commit: p.commit}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("without a yard: %v", err)
	}
	if _, err := s.touched(t.Context(), s.run, worker, &core.Delivery{Commit: s.commit}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("without a yard: %v", err)
	}
	p.run.Driving.Plan.Digest = p.put(t, "not "+hiddenWord)
	if got, err := p.followedPlan(t.Context(), p.run); err != nil || string(got) != "not [redacted]" {
		t.Errorf("followed is %q, %v", got, err)
	}
}

// TestAFileIsTouchedOnce, also where two are called the same without their secrets.
func TestAFileIsTouchedOnce(t *testing.T) {
	s := newSurf(t)
	person := filepath.Join(s.Layout.State, "person")
	commit := sh(t, person, "echo x >"+hiddenWord+"; echo y >'[redacted]'; git add .; git commit -q -m both; git rev-parse HEAD")
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := y.Fetch(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	stage := s.run.Stage("api")
	got, err := s.touched(t.Context(), s.run, stage, &core.Delivery{Commit: commit})
	if want := []string{"[redacted]", "more.txt", "new.txt", "old.txt"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("touched are %q, %v", got, err)
	}
	for _, none := range []string{"", stage.Base} {
		if got, err := s.touched(t.Context(), s.run, stage, &core.Delivery{Commit: none}); err != nil || got != nil {
			t.Errorf("%q touched %q, %v", none, got, err)
		}
	}
}

// TestATurnThatWasCutOff was lost to that; nobody else's end is looked at in this way.
func TestATurnThatWasCutOff(t *testing.T) {
	done, broke := agent.Outcome{OK: true}, agent.Outcome{Class: agent.ClassRefused, Message: "the model refused"}
	for name, c := range map[string]struct {
		kind core.TaskKind
		end  agent.Outcome
		want core.AttemptExited
	}{
		"a manager's": {core.KindManage, done, core.AttemptExited{Kind: core.ExitFailed, Class: string(agent.ClassNetwork), Message: "a call of its tools found no engine"}},
		"a coder's":   {core.KindCode, done, core.AttemptExited{Kind: core.ExitFinished}},
		"a manager's that failed by itself": {core.KindManage, broke, core.AttemptExited{
			Kind: core.ExitFailed, Class: string(agent.ClassRefused), Message: "the model refused",
		}},
	} {
		e := newEnded(t, shim.Exit{Outcome: c.end}, nil)
		_, task, _ := e.run.Attempt(theAttempt)
		task.Kind = c.kind
		write(t, originPath(e.folder), `{"dir":"","plan":"","files":null,"unheard":true}`)
		if got := e.collected(t); got.Kind != c.want.Kind || got.Class != c.want.Class || got.Message != c.want.Message {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestWhereAPullRequestIs: a page of this machine only where the record is here.
func TestWhereAPullRequestIs(t *testing.T) {
	d := &Dispatcher{Options: Options{Redactors: func([]string) Redactor { return discreet{} }}}
	for _, c := range []struct{ forge, given, want string }{
		{config.ForgeLocal, "file:///r/1.md", "file:///r/1.md"}, {config.ForgeLocal, "javascript:x", ""}, {config.ForgeLocal, "https://x/1", "https://x/1"},
		{"gitea", "file:///r/1.md", ""}, {"gitea", "http://x/1", "http://x/1"},
	} {
		if got := d.address(&core.Run{Forge: c.forge, Playbook: &core.Playbook{}}, c.given); got != c.want {
			t.Errorf("%s: %s became %q", c.forge, c.given, got)
		}
	}
}
