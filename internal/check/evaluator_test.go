package check_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

func changed(globs ...string) core.Check { return core.Check{Kind: core.CheckChanged, Globs: globs} }
func files(globs ...string) core.Check   { return core.Check{Kind: core.CheckFiles, Globs: globs} }
func command(run string) core.Check      { return core.Check{Kind: core.CheckCommand, Run: run} }
func artifact(name string) core.Check    { return core.Check{Kind: core.CheckArtifact, Name: name} }
func state(expr string) core.Check       { return core.Check{Kind: core.CheckState, Expr: expr} }
func gitShape(g core.GitCheck) core.Check {
	return core.Check{Kind: core.CheckGit, Git: &g}
}
func all(of ...core.Check) core.Check { return core.Check{Kind: core.CheckAll, Of: of} }
func anyOf(of ...core.Check) core.Check {
	return core.Check{Kind: core.CheckAny, Of: of}
}
func not(c core.Check) core.Check { return core.Check{Kind: core.CheckNot, Of: []core.Check{c}} }

// expect evaluates one check and looks for words in its evidence.
func expect(t *testing.T, r core.CheckResult, passed bool, words ...string) {
	t.Helper()
	if r.Passed != passed {
		t.Fatalf("%s: passed = %v, want %v\n%s", r.Check, r.Passed, passed, r.Detail)
	}
	for _, word := range words {
		if !strings.Contains(r.Detail, word) {
			t.Errorf("%s: the detail lacks %q:\n%s", r.Check, word, r.Detail)
		}
	}
}

func TestAllEvaluatesEveryPartCommandsLast(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.write("internal/a.go", "package a\n")
	w.commit("Add a")
	order := filepath.Join(t.TempDir(), "order")
	c := all(command("echo ran >"+order+"; exit 3"), all(changed("internal/**/*.go"), files("go.mod")), artifact("a.md"))

	passed, results, err := w.evaluator().Evaluate(t.Context(), c, w.subject(base))
	if err != nil || passed {
		t.Fatalf("passed %v, err %v", passed, err)
	}
	var got []string
	for _, r := range results {
		got = append(got, map[bool]string{true: "ok ", false: "no "}[r.Passed]+r.Check)
	}
	want := []string{"no command: echo ran >" + order + "; exit 3", "ok changed: internal/**/*.go", "no files: go.mod", "no artifact: a.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(order); err != nil {
		t.Errorf("the command was not run after the other failures: %v", err)
	}
}

func TestAnyTriesTheCheapFirstAndStops(t *testing.T) {
	w := newWorld(t)
	expect(t, w.evaluate(anyOf(command("true"), files("README.md")), w.subject(w.head())), true, "files: README.md")
	if w.runs != 0 {
		t.Errorf("%d commands were run although a cheaper part held", w.runs)
	}
	r := w.evaluate(anyOf(command("echo boom; exit 7"), all(files("README.md"), files("go.mod"))), w.subject(w.head()))
	expect(t, r, false, "None of the parts holds", "Exit status 7", "boom", "go.mod")
}

func TestNot(t *testing.T) {
	w := newWorld(t)
	expect(t, w.evaluate(not(files("secret.txt")), w.subject(w.head())), true)
	expect(t, w.evaluate(not(files("*.md")), w.subject(w.head())), false, "must not hold", "README.md")
}

func TestDeliveriesThatCannotPass(t *testing.T) {
	w := newWorld(t)
	base := w.head()
	w.write("a.go", "package a\n")
	w.commit("Add a")

	s := w.subject(base)
	s.Delivery.Rewritten = true
	expect(t, w.evaluate(files("a.go"), s), false, "history was rewritten")

	s.Delivery = nil
	expect(t, w.evaluate(files("a.go"), s), false, "Nothing was handed in")

	s = w.subject(base, w.blob("a.md", "done"))
	s.Delivery.Commit, s.Head, s.Delivery.Rejected = "", base, []string{"git refused it: bad tree"}
	passed, results, err := w.evaluator().Evaluate(t.Context(), all(artifact("a.md"), command("true")), s)
	if err != nil || passed || len(results) != 3 {
		t.Fatalf("passed %v, err %v, results %+v", passed, err, results)
	}
	expect(t, results[0], false, "No commit was handed in", "- git refused it: bad tree")
	expect(t, results[1], true)
	expect(t, results[2], false, "no commit to look at")
	if w.runs != 0 {
		t.Error("a command was run without a commit")
	}
}

func TestNothingAskedForIsNeverDone(t *testing.T) {
	w := newWorld(t)
	for _, c := range []core.Check{{}, all()} {
		expect(t, w.evaluate(c, w.subject(w.head())), false, "no check")
	}
}

func TestOutputsAreWantedWithoutACheck(t *testing.T) {
	w := newWorld(t)
	s := w.subject(w.head(), w.blob("plan.md", "a plan"))
	s.Writes, s.Outputs, s.Delivery.Commit, s.Head = core.WritesArtifacts, []string{"plan.md"}, "", w.head()
	expect(t, w.evaluate(core.Check{}, s), true)
	expect(t, w.evaluate(artifact("plan.md"), s), true)
	s.Outputs = []string{"other.md"}
	expect(t, w.evaluate(core.Check{}, s), false, "other.md was not handed in", "plan.md (6 bytes)")
}

func TestArtifactsOnlyDeliveryIsCheckedAtTheHead(t *testing.T) {
	w := newWorld(t)
	s := w.subject(w.head())
	s.Writes, s.Delivery.Commit, s.Head = core.WritesArtifacts, "", w.head()
	expect(t, w.evaluate(files("README.md"), s), true)
	expect(t, w.evaluate(command("test -f README.md"), s), true)
	expect(t, w.evaluate(changed("**"), s), false, "Nothing was changed at all")
}

// memory keeps verdicts for a test.
type memory map[string]core.CheckResult

func (m memory) Recall(_ context.Context, key string) (core.CheckResult, bool, error) {
	r, ok := m[key]
	return r, ok, nil
}

func (m memory) Remember(_ context.Context, key string, r core.CheckResult) error {
	m[key] = r
	return nil
}

func TestOnlyPassesAreRemembered(t *testing.T) {
	w := newWorld(t)
	e := w.evaluator()
	e.Memory, e.Environment = memory{}, "linux"
	run := func(c core.Check, s check.Subject) core.CheckResult {
		t.Helper()
		_, results, err := e.Evaluate(t.Context(), c, s)
		if err != nil {
			t.Fatal(err)
		}
		return results[0]
	}
	s := w.subject(w.head())
	first, second := run(command("true"), s), run(command("true"), s)
	if first.Reused || !second.Reused || !second.Passed || w.runs != 1 {
		t.Errorf("first %+v, second %+v, %d runs", first, second, w.runs)
	}
	if r := run(command("false"), s); r.Passed {
		t.Fatal("false passed")
	}
	if r := run(command("false"), s); r.Reused || w.runs != 3 {
		t.Errorf("a failure was remembered: %+v after %d runs", r, w.runs)
	}
	if kept := len(e.Memory.(memory)); kept != 1 {
		t.Errorf("%d verdicts are kept, want the one that passed", kept)
	}
	e.Environment = "darwin"
	if r := run(command("true"), s); r.Reused {
		t.Error("a verdict was reused in another environment")
	}
	w.write("b.txt", "b")
	w.commit("Another tree")
	if r := run(command("true"), w.subject(s.Base)); r.Reused {
		t.Error("a verdict was reused for another tree")
	}
	e.Memory = nil
	if r := run(command("true"), s); r.Reused {
		t.Error("a verdict was reused without memory")
	}
}

func TestKeyNamesWhatAVerdictDependsOn(t *testing.T) {
	a, b := core.Artifact{Name: "a", Digest: "1"}, core.Artifact{Name: "b", Digest: "2"}
	subject := func(tree string, artifacts ...core.Artifact) check.Subject {
		return check.Subject{Delivery: &core.Delivery{Commit: "c", Tree: tree, Artifacts: artifacts}}
	}
	base := check.Key(command("true"), subject("t", a, b), "env")
	if got := check.Key(command("true"), subject("t", b, a), "env"); got != base {
		t.Error("the order of artifacts changed the key")
	}
	for name, other := range map[string]string{
		"tree":        check.Key(command("true"), subject("u", a, b), "env"),
		"artifacts":   check.Key(command("true"), subject("t", a), "env"),
		"check":       check.Key(command("false"), subject("t", a, b), "env"),
		"environment": check.Key(command("true"), subject("t", a, b), "other"),
	} {
		if other == base {
			t.Errorf("the key does not depend on the %s", name)
		}
	}
}

// broken is a world whose ports fail.
type broken struct{ *world }

var errBroken = errors.New("disk on fire")

func (broken) Files(context.Context, string) ([]yard.File, error) { return nil, errBroken }
func (broken) Run(context.Context, check.Command) (check.Result, error) {
	return check.Result{}, errBroken
}

func TestAWorldThatFailsIsAnErrorNotAVerdict(t *testing.T) {
	w := broken{newWorld(t)}
	e := &check.Evaluator{Tree: w, Artifacts: w, Runner: w}
	missing := w.subject(w.head(), core.Artifact{Name: "gone.md", Digest: "absent", Size: 4})
	for name, c := range map[string]core.Check{
		"tree": files("x"), "runner": anyOf(command("true")), "inside not": not(files("x")), "blob": artifact("gone.md"),
	} {
		_, results, err := e.Evaluate(t.Context(), c, missing)
		if err == nil || results != nil {
			t.Errorf("%s: err %v, results %+v", name, err, results)
		}
	}
}

func TestCancelledIsAnError(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.evaluator().Evaluate(ctx, state("true"), w.subject(w.head())); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestCommandEvidence(t *testing.T) {
	w := newWorld(t)
	s := w.subject(w.head())
	expect(t, w.evaluate(command("true"), s), true, "Exit status 0")
	expect(t, w.evaluate(command("exit 4"), s), false, "Exit status 4.", "wrote no output")
	expect(t, w.evaluate(command("no-such-program"), s), false, "Exit status 127", "not found")
	r := w.evaluate(command(`i=0; while [ $i -lt 500 ]; do echo "line $i"; i=$((i+1)); done; printf '\033[31mFAIL\033[0m\n'; exit 1`), s)
	expect(t, r, false, "Exit status 1", "start is left out", "line 499\nFAIL")
	if strings.Contains(r.Detail, "line 400\n") || strings.Contains(r.Detail, "\x1b") {
		t.Errorf("the tail is not bounded or not plain:\n%s", r.Detail)
	}
	slow := core.Check{Kind: core.CheckCommand, Run: "echo started; exec sleep 600", Timeout: 3 * time.Second}
	expect(t, w.evaluate(slow, s), false, "time limit of 3s", "started")
}

// late is a runner whose command was ended at its limit and answered the signal with status 0.
type late struct{}

func (late) Run(context.Context, check.Command) (check.Result, error) {
	return check.Result{TimedOut: true}, nil
}

// large is a runner whose command met a limit of the machine.
type large struct{}

func (large) Run(context.Context, check.Command) (check.Result, error) {
	return check.Result{Limit: "killed at 4.0 GiB of memory, the limit of an attempt", Output: "linking"}, nil
}

func TestACommandThatTookTooMuchHasNotPassed(t *testing.T) {
	w := newWorld(t)
	e := &check.Evaluator{Tree: w, Artifacts: w, Runner: large{}}
	_, results, err := e.Evaluate(t.Context(), command("make"), w.subject(w.head()))
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	expect(t, results[0], false, "It was killed at 4.0 GiB of memory, the limit of an attempt. Exit status 0.", "linking")
}

// walled is a runner whose command was kept from a host.
type walled struct{}

func (walled) Run(context.Context, check.Command) (check.Result, error) {
	return check.Result{ExitCode: 1, Refused: []string{"a.example.com:443"}, Output: "no answer"}, nil
}

func TestACommandThatWasKeptFromAHostSaysSo(t *testing.T) {
	w := newWorld(t)
	e := &check.Evaluator{Tree: w, Artifacts: w, Runner: walled{}}
	_, results, err := e.Evaluate(t.Context(), command("make"), w.subject(w.head()))
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	expect(t, results[0], false, "Exit status 1. It was refused connections to a.example.com:443", "`network: {checks: […]}`", "no answer")
}

func TestACommandEndedAtItsLimitHasNotPassed(t *testing.T) {
	w := newWorld(t)
	e := &check.Evaluator{Tree: w, Artifacts: w, Runner: late{}}
	passed, _, err := e.Evaluate(t.Context(), command("trap 'exit 0' TERM; serve"), w.subject(w.head()))
	if passed || err != nil {
		t.Errorf("passed %v, err %v", passed, err)
	}
}
