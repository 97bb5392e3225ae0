package dispatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
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
	e.deaf = errors.New("the disk is full")
	if err := e.verify(t.Context(), e.run, verify); !errors.Is(err, e.deaf) {
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
	if len(left()) < 3 { // the checkout, its mark, and the copy that the command ran in
		t.Errorf("left are %q", left())
	}
	e.deaf = nil
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

// TestAReviewIsRead: each finding is sent to the stage that is to answer for it, and a secret that reading put together
// is removed. A phase is done again where a project's step would be given up.
func TestAReviewIsRead(t *testing.T) {
	for name, managed := range map[string]bool{"phases": false, "a project": true} {
		t.Run(name, func(t *testing.T) {
			p := newPhased(t)
			p.run.Playbook.Phases[1].Rollback = &core.Rollback{Types: []core.RollbackRule{{Match: "design", Stage: "plan"}}, Default: "build"}
			if managed {
				p.run.Playbook.Project = &core.Management{}
			}
			hidden := `hun\u200bter2`
			text := `{"status": "REJECTED", "reason": "no ` + hidden + `", "findings": [
				{"type": "design", "severity": "` + hidden + `", "file": "` + hidden + `.go", "issue": "see ` + hidden + `"}, {"type": "` + hidden + `", "issue": "other"}]}`
			got, err := p.review(p.run, p.stage, &core.Delivery{Artifacts: []core.Artifact{{Name: check.ReviewName, Digest: p.put(t, text)}}})
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
	if got, err := p.review(p.run, p.stage, &core.Delivery{}); got != nil || err != nil {
		t.Errorf("without a review: %+v, %v", got, err)
	}
	if _, err := p.review(p.run, p.stage, &core.Delivery{Artifacts: []core.Artifact{{Name: check.ReviewName, Digest: p.put(t, "{")}}}); err == nil {
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
	changes, err := tree{y}.Changes(t.Context(), p.run.BaseCommit, last)
	if err != nil {
		t.Fatal(err)
	}
	added, removed, got := 0, 0, map[string]check.Change{}
	for _, c := range changes {
		added, removed = added+c.Added, removed+c.Removed
		c.Added, c.Removed = 0, 0
		got[c.Path] = c
	}
	want := map[string]check.Change{
		"kept.txt": {Path: "kept.txt", Deleted: true}, "link": {Path: "link", Mode: 0o120000}, "run": {Path: "run", Mode: 0o100755},
		"more.txt": {Path: "more.txt", Mode: 0o100644}, "new.txt": {Path: "new.txt", OldPath: "old.txt", Mode: 0o100644},
	}
	for path, c := range want {
		if got[path] != c {
			t.Errorf("%s: %+v, want %+v", path, got[path], c)
		}
	}
	if len(got) != len(want) || added != 7 || removed != 2 {
		t.Errorf("changed are %+v, by %d and %d lines", got, added, removed)
	}
	files, err := tree{y}.Files(t.Context(), last)
	if err != nil || !slices.Equal(files, []check.File{{Path: "link", Mode: 0o120000}, {Path: "more.txt", Mode: 0o100644}, {Path: "new.txt", Mode: 0o100644}, {Path: "run", Mode: 0o100755}}) {
		t.Errorf("there are %+v, %v", files, err)
	}
	for limit, n := range map[int]int{1: 1, 2: 2, 9: 2} {
		log, err := tree{y}.Log(t.Context(), p.run.BaseCommit, last, limit)
		if err != nil || len(log) != n || log[0] != (check.Commit{ID: last, Subject: "more", Parents: 1}) {
			t.Errorf("at most %d: %+v, %v", limit, log, err)
		}
	}
}

// TestAVerdictIsRememberedWithItsOutput: where that is gone, the check is run again.
func TestAVerdictIsRememberedWithItsOutput(t *testing.T) {
	s := newSurf(t)
	known := verdicts{}
	m := memory{known, s.Blobs}
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

// TestWhatAVerdictDependsOn: two checks share one only where nothing of it differs; a cache, where its key does not.
func TestWhatAVerdictDependsOn(t *testing.T) {
	s := newSurf(t)
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	room := func(change func(c *checkout)) *checkout {
		run, playbook := *s.run, *s.run.Playbook
		run.Playbook, run.Isolation, playbook.Setup = &playbook, "sandbox", "make deps"
		playbook.Caches = []core.Cache{{Path: "deps", Key: []string{"more.txt"}}}
		c := &checkout{dispatcher: s.Dispatcher, yard: y, run: &run, commit: s.commit, reuse: true, dir: "/checkout"}
		change(c)
		return c
	}
	stored := func(c *checkout) string {
		all := c.caches(t.Context())
		if all.err != nil || len(all.entries) != 1 || all.entries[0].inside != filepath.Join("/checkout", c.run.Playbook.Caches[0].Path) {
			t.Errorf("the caches are %+v", all)
			return ""
		}
		return all.entries[0].stored
	}
	same := room(func(*checkout) {})
	for name, c := range map[string]struct {
		change       func(c *checkout)
		world, cache bool // whether they differ
	}{
		"nothing":           {func(*checkout) {}, false, false},
		"the run":           {func(c *checkout) { c.run.ID = "run-2" }, true, true},
		"the isolation":     {func(c *checkout) { c.run.Isolation = "none" }, true, false},
		"the setup":         {func(c *checkout) { c.run.Playbook.Setup = "make all" }, true, true},
		"the key's content": {func(c *checkout) { c.commit = c.run.BaseCommit }, false, true},
		"the key":           {func(c *checkout) { c.run.Playbook.Caches[0].Key = []string{"kept.txt"} }, false, true},
		"the path":          {func(c *checkout) { c.run.Playbook.Caches[0].Path = "other" }, false, true},
	} {
		other := room(c.change)
		if (other.environment() != same.environment()) != c.world || (stored(other) != stored(same)) != c.cache {
			t.Errorf("%s: the world differs: %t, the cache %t", name, other.environment() != same.environment(), stored(other) != stored(same))
		}
	}
	if all := room(func(c *checkout) { c.reuse = false }).caches(t.Context()); len(all.entries) > 0 {
		t.Errorf("what is published is made of %+v", all.entries)
	}
	unread := room(func(c *checkout) { c.commit = strings.Repeat("0", 40) }).caches(t.Context())
	if restored, err := unread.restore(t.Context()); restored || err == nil {
		t.Errorf("a key that cannot be read: %t, %v", restored, err)
	}
}

// TestCachesComeTogetherOrNotAtAll: where one is missing the setup has to run, on a checkout without the others; what an
// interrupted copy left is never found.
func TestCachesComeTogetherOrNotAtAll(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	c := &caches{checkout: &checkout{dir: dir}, entries: []cacheEntry{
		{inside: filepath.Join(dir, "a"), stored: filepath.Join(kept, "a")}, {inside: filepath.Join(dir, "b"), stored: filepath.Join(kept, "b")},
	}}
	write(t, filepath.Join(kept, "a", "made"), "made")
	write(t, filepath.Join(kept, "b.part", "half"), "half")
	if restored, err := c.restore(t.Context()); restored || err != nil || shimtest.Exists(t, filepath.Join(dir, "a")) {
		t.Errorf("restored %t, %v", restored, err)
	}
	write(t, filepath.Join(dir, "b", "whole"), "whole") // the setup made one of them
	if err := c.save(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "b", "later"), "later")
	if err := c.save(t.Context()); err != nil {
		t.Errorf("saved again: %v", err)
	}
	if got := contents(t, filepath.Join(kept, "b")); !slices.Contains(got, "whole") || slices.Contains(got, "half") {
		t.Errorf("kept is %q", got)
	}
	write(t, filepath.Join(dir, "a", "left"), "left") // by an interrupted restore
	if restored, err := c.restore(t.Context()); !restored || err != nil {
		t.Errorf("restored %t, %v", restored, err)
	}
	if got := contents(t, filepath.Join(dir, "a")); !slices.Equal(got, []string{"made"}) {
		t.Errorf("restored is %q", got)
	}
	for _, path := range []string{"../out", "/etc"} {
		c.entries = []cacheEntry{{inside: filepath.Join(dir, path), stored: filepath.Join(kept, "a")}}
		if filepath.IsAbs(path) {
			c.entries[0].inside = path
		}
		if restored, err := c.restore(t.Context()); restored || err == nil {
			t.Errorf("%s: restored %t, %v", path, restored, err)
		}
		if err := c.save(t.Context()); err == nil {
			t.Errorf("%s was saved", path)
		}
	}
}

// TestOnlyACommandThatRanHasAResult: what could not be run says nothing of the delivery.
func TestOnlyACommandThatRanHasAResult(t *testing.T) {
	for reason, c := range map[shim.Reason]struct{ ran, late bool }{
		shim.ReasonExited: {true, false}, shim.ReasonTimeout: {true, true},
		shim.ReasonStartFailed: {}, shim.ReasonLost: {}, shim.ReasonCancelled: {},
	} {
		e := newEnded(t, shim.Exit{ExitCode: 3, Detail: "the detail"}, nil)
		e.rewrite(t, func(x *shim.Exit) { x.Reason = reason })
		long := strings.Repeat("x", 64<<10)
		write(t, shim.JournalPath(e.folder), `{"n":1,"at":"2026-01-02T03:04:05Z","record":{"kind":"text","text":"first"}}`+"\n"+
			`{"n":2,"at":"2026-01-02T03:04:05Z","record":{"kind":"stderr","text":"`+long+`"}}`+"\n")
		room := &checkout{dispatcher: e.Dispatcher, run: e.run}
		got, err := room.result(t.Context(), e.folder, check.Command{Shell: "make"})
		if (err == nil) != c.ran || got.TimedOut != c.late || c.ran && got.ExitCode != 3 {
			t.Errorf("%s: %d (%t), %v", reason, got.ExitCode, got.TimedOut, err)
		}
		if !c.ran {
			if !strings.Contains(err.Error(), "the detail") {
				t.Errorf("%s: %v", reason, err)
			}
			continue
		}
		whole, err := e.Blobs.Open(got.Digest)
		if err != nil {
			t.Fatal(err)
		}
		if text := content(t, whole.Name()); text != "first\n"+long+"\n" || got.Output != text[len(text)-64<<10:] {
			t.Errorf("%s: %d bytes are kept, %d shown", reason, len(text), len(got.Output))
		}
		_ = whole.Close()
	}
}

// TestWhatACheckGets: no secret, but the names of those that its output may hold; its own home, and the walls that the
// attempt had.
func TestWhatACheckGets(t *testing.T) {
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"sandbox", "none"} {
		p.run.Isolation = kind
		c := &checkout{dispatcher: p.Dispatcher, yard: y, run: p.run, commit: p.commit, name: "build.r1.a1", dir: filepath.Join(t.TempDir(), "checkout"), reuse: true}
		folder := filepath.Join(t.TempDir(), "check")
		if err := c.order(folder, "check-1", c.dir, check.Command{Shell: "make", Timeout: 7, OutputCap: 9}); err != nil {
			t.Fatal(err)
		}
		spec, err := shim.ReadSpec(folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Secrets) > 0 || !slices.Equal(spec.Redact, []string{"NEEDED"}) || spec.Tools != "" || spec.Writes != shim.WritesArtifacts {
			t.Errorf("it gets %+v", spec)
		}
		if string(spec.Isolation) != kind || spec.Timeout != 7 || spec.OutputBytes != 9 || spec.Job.Home != filepath.Join(folder, "home") || !slices.Equal(spec.Job.Command, []string{"sh", "-c", "make"}) {
			t.Errorf("it runs as %+v", spec)
		}
		if walled := kind == "sandbox"; slices.Equal(spec.Masked, []string{p.Layout.State}) != walled || (len(spec.Private) > 0) != walled {
			t.Errorf("%s: hidden are %q and %q", kind, spec.Masked, spec.Private)
		}
		cache := p.Layout.BuildCache(p.run.ID)
		if !slices.Equal(spec.Writable, []string{cache}) || spec.Env["XDG_CACHE_HOME"] != cache || !shimtest.Exists(t, cache) {
			t.Errorf("it caches in %q and %v", spec.Writable, spec.Env)
		}
	}
}

// TestACheckoutIsMadeOnce: an engine that takes over one without its mark sets that up again, and does not fetch it anew
// under a setup that may run; with the mark nothing is done.
func TestACheckoutIsMadeOnce(t *testing.T) {
	s := newSurf(t)
	s.withWorkers(t)
	setups := filepath.Join(t.TempDir(), "setups")
	s.run.Playbook.Setup = "echo set >>" + setups
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := s.Layout.Checkout(s.run.ID, "e1", theAttempt)
	write(t, filepath.Join(dir, "mine"), "as another engine left it")
	for range 2 {
		c := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
		if err := c.prepare(t.Context()); err != nil || c.dir != dir {
			t.Fatalf("%s, %v", c.dir, err)
		}
		if !shimtest.Exists(t, filepath.Join(dir, "mine")) || !shimtest.Exists(t, dir+readySuffix) {
			t.Error("it was made again, or not marked")
		}
	}
	if err := os.RemoveAll(s.Layout.Attempt(s.run.ID, "")); err != nil {
		t.Fatal(err)
	}
	marked := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
	if err := marked.prepare(t.Context()); err != nil || content(t, setups) != "set\n" {
		t.Errorf("set up was %q, %v", content(t, setups), err)
	}
}
