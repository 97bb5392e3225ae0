package dispatch

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// delivered has the attempt hand in its commit, to be held to a check.
func delivered(t *testing.T, c core.Check) (*ended, core.Verify) {
	t.Helper()
	e := newEnded(t, shimExit(), nil)
	stage, task, attempt := e.run.Attempt(theAttempt)
	task.Done, task.Outputs, stage.Base = c, nil, e.run.BaseCommit
	attempt.Delivery = &core.Delivery{Commit: e.commit, Tree: sh(t, e.Layout.State, "git -C person rev-parse "+e.commit+"^{tree}")}
	return e, core.Verify{Event: "e1", Stage: stage.ID, Task: task.ID, Attempt: theAttempt}
}

// TestACheckoutGoesWhenItsVerdictIsOnRecord: the next engine finds the commands again until then; afterwards nothing of
// it is left. What a command says is told without secrets.
func TestACheckoutGoesWhenItsVerdictIsOnRecord(t *testing.T) {
	e, verify := delivered(t, core.Check{})
	e.withWorkers(t)
	runs := filepath.Join(t.TempDir(), "runs")
	_, task, _ := e.run.Attempt(theAttempt)
	task.Kind, task.Done = core.KindReview, core.Check{Kind: core.CheckCommand, Run: "echo ran >>" + runs + "; test -e new.txt && ! test -e old.txt && echo said " + hiddenWord + "; exit 3"}
	e.refuses = errors.New("the disk is full")
	if err := e.verify(t.Context(), e.run, verify); !errors.Is(err, e.refuses) {
		t.Fatalf("got %v", err)
	}
	left := func() []string {
		t.Helper()
		paths, err := filepath.Glob(e.Layout.Checkout(e.run.ID, "e1", theAttempt) + "*")
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	if len(left()) != 1 { // the checkout that the command ran in
		t.Errorf("left are %q", left())
	}
	e.refuses = nil
	e.Memory = verdicts{} // an engine that was killed before it remembered
	if err := e.verify(t.Context(), e.run, verify); err != nil {
		t.Fatal(err)
	}
	body := e.engine.await(t).(core.VerifyConcluded)
	if body.Passed || body.Error != "" || body.Attempt != theAttempt || body.Task != verify.Task || len(body.Results) != 1 {
		t.Fatalf("reported is %+v", body)
	}
	if d := body.Results[0].Detail; !strings.Contains(d, "said [redacted]") || strings.Contains(d, hiddenWord) {
		t.Errorf("the evidence is %q", d)
	}
	if got := content(t, runs); got != "ran\n" || len(left()) > 0 {
		t.Errorf("it ran %q, left are %q", got, left())
	}
}

// TestASetupThatFails is evidence against the delivery, and not trouble of the machine; of the setup nothing is kept.
func TestASetupThatFails(t *testing.T) {
	e, verify := delivered(t, core.Check{Kind: core.CheckCommand, Run: "true"})
	e.withWorkers(t)
	e.run.Playbook.Setup, e.run.Playbook.Caches = "mkdir deps; echo no "+hiddenWord+"; exit 4", []core.Cache{{Path: "deps"}}
	if err := e.verify(t.Context(), e.run, verify); err != nil {
		t.Fatal(err)
	}
	body := e.engine.await(t).(core.VerifyConcluded)
	if body.Passed || body.Error != "" || len(body.Results) != 1 {
		t.Fatalf("reported is %+v", body)
	}
	r := body.Results[0]
	if r.Passed || r.Check != "setup: "+e.run.Playbook.Setup || r.Kind != core.CheckCommand || r.Output == "" || !strings.Contains(r.Detail, "exit code 4") || !strings.Contains(r.Detail, "no [redacted]") {
		t.Errorf("the evidence is %+v", r)
	}
	if shimtest.Exists(t, e.Layout.Caches(e.run.ID)) {
		t.Error("what a failed setup made is cached")
	}
}

type brokenYards struct{ err error }

func (b brokenYards) Yard(context.Context, string) (*yard.Yard, error) { return nil, b.err }

// TestTroubleIsNoVerdict: it is told as trouble, without secrets, by everything that verifies.
func TestTroubleIsNoVerdict(t *testing.T) {
	e, verify := delivered(t, core.Check{Kind: core.CheckFiles, Globs: []string{"new.txt"}})
	e.Yards = brokenYards{errors.New("no yard for " + hiddenWord)}
	task := &core.Task{ID: "api.merge", Stage: "api", First: true}
	e.run.Stage("api").Tasks = append(e.run.Stage("api").Tasks, task)
	trouble := func(text string) {
		t.Helper()
		if !strings.Contains(text, "no yard for [redacted]") {
			t.Errorf("told is %q", text)
		}
	}
	if err := e.verify(t.Context(), e.run, verify); err != nil {
		t.Fatal(err)
	}
	verified := e.engine.await(t).(core.VerifyConcluded)
	trouble(verified.Error)
	if err := e.merge(t.Context(), e.run, core.Merge{Event: "e2", Stage: "api", Task: task.ID}); err != nil {
		t.Fatal(err)
	}
	merged := e.engine.await(t).(core.MergeConcluded)
	trouble(merged.Error)
	if err := e.validate(t.Context(), e.run, core.Validate{Event: "e3", Stage: "api", Task: task.ID}); err != nil {
		t.Fatal(err)
	}
	validated := e.engine.await(t).(core.ValidateConcluded)
	trouble(validated.Error)
	if err := e.preparePublish(t.Context(), e.run, core.PreparePublish{Event: "e4", Stage: "api", Task: task.ID}); err != nil {
		t.Fatal(err)
	}
	prepared := e.engine.await(t).(core.PublishPrepared)
	trouble(prepared.Error)
	if verified.Passed || merged.Passed || validated.Passed || prepared.Passed || !validated.First || validated.Task != task.ID || merged.Commit != "" {
		t.Errorf("%+v, %+v, %+v, %+v", verified, merged, validated, prepared)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	e.engine.taken()
	for name, do := range map[string]func() error{
		"verify":   func() error { return e.verify(ended, e.run, verify) },
		"merge":    func() error { return e.merge(ended, e.run, core.Merge{Stage: "api", Task: task.ID}) },
		"validate": func() error { return e.validate(ended, e.run, core.Validate{Stage: "api", Task: task.ID}) },
		"prepare":  func() error { return e.preparePublish(ended, e.run, core.PreparePublish{Stage: "api", Task: task.ID}) },
	} {
		if err := do(); !errors.Is(err, context.Canceled) || len(e.engine.taken()) > 0 {
			t.Errorf("%s of an engine that ends: %v", name, err)
		}
	}
}

// TestAReviewIsRead: each finding is sent to the earliest stage that is to answer for it, and a secret that reading put together
// is removed. A phase is done again where a project's step would be given up.
func TestAReviewIsRead(t *testing.T) {
	for name, managed := range map[string]bool{"phases": false, "a project": true} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			p.run.Playbook.Phases[1].Rollback = &core.Rollback{Types: []core.RollbackRule{{Match: "design", Stage: "build"}, {Match: "design", Stage: "plan"}}, Default: "build"}
			if managed {
				p.run.Playbook.Project = &core.Management{}
			}
			hidden := `hun\u200bter2`
			text := `{"status": "REJECTED", "reason": "no ` + hidden + `", "findings": [
				{"type": "design", "severity": "` + hidden + `", "file": "` + hidden + `.go", "issue": "see ` + hidden + `"}, {"type": "` + hidden + `", "issue": "other"}]}`
			got, err := p.review(t.Context(), p.run, p.stage, &core.Delivery{Artifacts: []core.Artifact{{Name: check.ReviewName, Digest: p.put(t, text)}}})
			if err != nil {
				t.Fatal(err)
			}
			const gone = "[redacted]"
			want := []core.Finding{{Type: "design", Severity: gone, File: gone + ".go", Issue: "see " + gone, Target: "plan"}, {Type: gone, Issue: "other", Target: "build"}}
			status := core.ReviewRejected
			if !managed {
				status = core.ReviewChangesRequested
				want = append(want, core.Finding{Severity: "high", Issue: "no " + gone, Target: "build"})
			}
			if got.Status != status || got.Reason != "no "+gone || !slices.Equal(got.Findings, want) {
				t.Errorf("read is %+v, want %s and %+v", got, status, want)
			}
		})
	}
	p := newPhased(t)
	if got, err := p.review(t.Context(), p.run, p.stage, &core.Delivery{}); got != nil || err != nil {
		t.Errorf("without a review: %+v, %v", got, err)
	}
	if _, err := p.review(t.Context(), p.run, p.stage, &core.Delivery{Artifacts: []core.Artifact{{Name: check.ReviewName, Digest: p.put(t, "{")}}}); err == nil {
		t.Error("what is no review was read")
	}
}

// TestWhatAPlanLeavesOut is read only where its stage may leave something out, and without secrets.
func TestWhatAPlanLeavesOut(t *testing.T) {
	for name, c := range map[string]struct {
		skippable bool
		outputs   []string
		want      int
	}{
		"may":            {true, []string{core.PlanArtifact}, 1},
		"nothing to":     {false, []string{core.PlanArtifact}, 0},
		"not its to say": {true, []string{"notes.md"}, 0},
	} {
		p := newPhased(t)
		p.run.Playbook.Phases[0].Outputs, p.run.Playbook.Phases[1].Skippable = []string{core.PlanArtifact}, c.skippable
		task := &core.Task{ID: "plan.r1", Stage: "plan", Outputs: c.outputs}
		delivery := &core.Delivery{Artifacts: []core.Artifact{{Name: core.PlanArtifact, Digest: p.put(t, `{"skip": [{"phase": "build", "reason": "not hun\u200bter2"}]}`)}}}
		var body core.VerifyConcluded
		if err := p.readHandedIn(t.Context(), p.run, p.run.Stages[0], task, delivery, &body); err != nil {
			t.Fatal(err)
		}
		if len(body.Skips) != c.want || c.want > 0 && body.Skips[0] != (core.SkipProposal{Stage: "build", Reason: "not [redacted]"}) {
			t.Errorf("%s: left out are %+v", name, body.Skips)
		}
	}
}

// TestWhatAReviewIsWantedOf: a change, also one that moves a file away from or to where the playbook looks.
func TestWhatAReviewIsWantedOf(t *testing.T) {
	p := newPhased(t)
	for globs, want := range map[string]bool{"new.txt": true, "old.txt": true, "*.txt": true, "kept.txt": false, "docs/**": false, "": false} {
		p.run.Playbook.Project = &core.Management{}
		if globs != "" {
			p.run.Playbook.Project.Review.Paths = []string{"never/**", globs}
		}
		got, err := p.touches(t.Context(), p.run, p.stage, &core.Delivery{Commit: p.commit})
		if err != nil || got != want {
			t.Errorf("%q: %t, %v", globs, got, err)
		}
		if got, err := p.touches(t.Context(), p.run, p.stage, &core.Delivery{}); err != nil || got {
			t.Errorf("%q without code: %t, %v", globs, got, err)
		}
	}
}

// TestChecksReadTheYard: what changed, how, by how many lines, and in which commits.
func TestChecksReadTheYard(t *testing.T) {
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	last := sh(t, filepath.Join(p.Layout.State, "person"), `git rm -q kept.txt; echo x >run; chmod +x run; ln -s run link; seq 3 >>more.txt; git add .; git commit -q -m more; git rev-parse HEAD`)
	if err := y.Fetch(t.Context(), filepath.Join(p.Layout.State, "person")); err != nil {
		t.Fatal(err)
	}
	changes, err := y.Changed(t.Context(), p.run.BaseCommit, last)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]yard.Change{}
	for _, c := range changes {
		got[c.Path] = c
	}
	want := map[string]yard.Change{
		"kept.txt": {Path: "kept.txt", Status: 'D', Deleted: 1}, "link": {Path: "link", Status: 'A', Kind: yard.Symlink, Added: 1}, "run": {Path: "run", Status: 'A', Kind: yard.Executable, Added: 1},
		"more.txt": {Path: "more.txt", Status: 'A', Kind: yard.Regular, Added: 4}, "new.txt": {Path: "new.txt", Status: 'R', OldPath: "old.txt", Kind: yard.Regular},
	}
	for path, c := range want {
		if got[path] != c {
			t.Errorf("%s: %+v, want %+v", path, got[path], c)
		}
	}
	if len(got) != len(want) {
		t.Errorf("changed are %+v", got)
	}
	files, err := y.Files(t.Context(), last)
	kinds := map[string]yard.Kind{}
	for _, f := range files {
		kinds[f.Path] = f.Kind
	}
	if err != nil || !maps.Equal(kinds, map[string]yard.Kind{"link": yard.Symlink, "more.txt": yard.Regular, "new.txt": yard.Regular, "run": yard.Executable}) {
		t.Errorf("there are %+v, %v", files, err)
	}
	log, err := y.Log(t.Context(), p.run.BaseCommit, last)
	if err != nil || len(log) != 2 || log[0].Hash != last || log[0].Subject != "more" || len(log[0].Parents) != 1 {
		t.Errorf("committed are %+v, %v", log, err)
	}
}

// TestAVerdictIsRememberedWithItsOutput: where that is gone, the check is run again.
func TestAVerdictIsRememberedWithItsOutput(t *testing.T) {
	s := newSurf(t)
	known := verdicts{}
	m := memory{known, s.Objects}
	recall := func(key string, want bool) core.CheckResult {
		t.Helper()
		got, found, err := m.Recall(t.Context(), key)
		if err != nil || found != want {
			t.Errorf("%s is remembered: %t, %v", key, found, err)
		}
		return got
	}
	recall("none", false)
	kept, bare := core.CheckResult{Check: "c", Passed: true, Output: s.put(t, "said")}, core.CheckResult{Check: "c"}
	lost := core.CheckResult{Check: "c", Passed: true, Output: strings.Repeat("0", 64)}
	for key, r := range map[string]core.CheckResult{"kept": kept, "bare": bare, "lost": lost} {
		if err := m.Remember(t.Context(), key, r); err != nil {
			t.Fatal(err)
		}
	}
	known["garbage"] = []byte("{")
	if got := recall("kept", true); got.Output != kept.Output || !got.Passed {
		t.Errorf("remembered is %+v", got)
	}
	if got := recall("bare", true); got.Check != "c" || got.Passed {
		t.Errorf("remembered is %+v", got)
	}
	recall("lost", false)
	recall("garbage", false)
	m.store = forgetful{errors.New("locked")}
	if _, _, err := m.Recall(t.Context(), "kept"); err == nil {
		t.Error("a memory that fails is one that knows nothing")
	}
}

type forgetful struct{ err error }

func (f forgetful) Recall(context.Context, string) ([]byte, error) { return nil, f.err }
func (f forgetful) Remember(context.Context, string, []byte) error { return f.err }
