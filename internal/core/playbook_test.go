package core_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestTheCommandsOfACheck: those that are to succeed, at any depth, and whether
// another may stand in for each.
func TestTheCommandsOfACheck(t *testing.T) {
	t.Parallel()
	command := func(run string) core.Check { return core.Check{Kind: core.CheckCommand, Run: run} }
	of := func(kind core.CheckKind, of ...core.Check) core.Check { return core.Check{Kind: kind, Of: of} }
	whole := of(core.CheckAll,
		command("a"), of(core.CheckNot, command("fails")), core.Check{Kind: core.CheckChanged},
		of(core.CheckAny, command("b"), of(core.CheckAll, command("c"))), command("d"),
	)
	type found struct {
		Run    string
		Either bool
	}
	var all []found
	for c, either := range whole.Commands() {
		all = append(all, found{c.Run, either})
	}
	if diff := cmp.Diff([]found{{"a", false}, {"b", true}, {"c", true}, {"d", false}}, all); diff != "" {
		t.Error(diff)
	}
	for _, last := range []string{"a", "b", "c"} {
		got := ""
		for c := range whole.Commands() {
			if got = c.Run; got == last {
				break
			}
		}
		if got != last {
			t.Errorf("who stops at %s hears of %s", last, got)
		}
	}
}

// TestWhatOfAPlaybookIsAskedFor compares what is derived from a playbook.
func TestWhatOfAPlaybookIsAskedFor(t *testing.T) {
	t.Parallel()
	p := &core.Playbook{
		Phases: []core.Phase{
			{ID: "early", Skippable: true}, {ID: "plan", Outputs: []string{"notes.md", core.PlanArtifact}},
			{ID: "design", Skippable: true}, {ID: "build"}, {ID: "docs", Skippable: true},
		},
		Agents: map[string]core.Agent{"a": {Secrets: []string{"Z", "KEY"}}, "b": {Secrets: []string{"KEY", "A"}}, "c": {}},
	}
	for planner, want := range map[string][]string{"plan": {"design", "docs"}, "build": nil, "early": nil, "nowhere": nil} {
		var ids []string
		for _, phase := range p.Skippable(planner) {
			ids = append(ids, phase.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("a plan of %s can leave out %q, want %q", planner, ids, want)
		}
	}
	if got, want := p.Secrets(), []string{"A", "KEY", "Z"}; !slices.Equal(got, want) {
		t.Errorf("its secrets are %q, want %q", got, want)
	}
	for id, want := range map[string]string{"early": "0", "plan": "1", "docs": "4", "nowhere": ""} {
		if got := p.Number(id); got != want {
			t.Errorf("phase %s has number %q, want %q", id, got, want)
		}
	}
}

// TestWhichPlaybooksMakeABranch: those that change code or act; the others hand in
// documents alone.
func TestWhichPlaybooksMakeABranch(t *testing.T) {
	t.Parallel()
	documents := core.Phase{ID: "a", Writes: core.WritesArtifacts}
	for name, test := range map[string]struct {
		book core.Playbook
		want bool
	}{
		"documents":            {core.Playbook{Phases: []core.Phase{documents, documents}}, false},
		"no phases":            {core.Playbook{}, false},
		"code at last":         {core.Playbook{Phases: []core.Phase{documents, {Writes: core.WritesCode}}}, true},
		"it publishes":         {core.Playbook{Phases: []core.Phase{documents, {Writes: core.WritesArtifacts, Act: core.ActPullRequest}}}, true},
		"steps of a project":   {core.Playbook{Project: &core.Management{}}, true},
		"waves of documents":   {core.Playbook{Project: &core.Management{Waves: &core.WaveRules{Writes: core.WritesArtifacts}}}, false},
		"waves that make code": {core.Playbook{Project: &core.Management{Waves: &core.WaveRules{Writes: core.WritesCode}}}, true},
	} {
		if got := test.book.MakesBranch(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestChecksOfEveryLine holds the two that no playbook writes down.
func TestChecksOfEveryLine(t *testing.T) {
	t.Parallel()
	want := []core.Check{
		{Kind: core.CheckNot, Of: []core.Check{{Kind: core.CheckAlone, Globs: []string{"**"}, Into: "c1"}}},
		{Kind: core.CheckAlone, Globs: []string{".ai", ".ai/**"}, Into: "c1"},
	}
	if diff := cmp.Diff(want, []core.Check{core.ChangesSomething("c1"), core.LeavesPlan("c1")}); diff != "" {
		t.Error(diff)
	}
}

// TestAStepIsFoundInItsPlan: also in none.
func TestAStepIsFoundInItsPlan(t *testing.T) {
	t.Parallel()
	plan := &core.Plan{Steps: []core.Step{{ID: "s1"}, {ID: "s10", Title: "ten"}, {ID: "s2"}}}
	if got := plan.Step("s10"); got != &plan.Steps[1] {
		t.Errorf("step s10 is %+v", got)
	}
	if got := plan.Step("s"); got != nil {
		t.Errorf("there is a step s: %+v", got)
	}
	if got := (*core.Plan)(nil).Step("s1"); got != nil {
		t.Errorf("without a plan there is %+v", got)
	}
	if got := core.StepStage("s1"); got != "step-s1" {
		t.Errorf("its stage is %s", got)
	}
}

// TestHowARunStands is said to people without the names that programs have for it.
func TestHowARunStands(t *testing.T) {
	t.Parallel()
	for status, want := range map[core.RunStatus]string{
		core.StatusActive: "active", core.StatusAwaiting: "waiting for an approval", core.StatusReview: "in review", core.StatusPaused: "paused", core.StatusFailed: "failed",
	} {
		if got := status.InWords(); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}

// TestWhichChecksWereRedBefore: those that failed; not those of which nothing is known.
func TestWhichChecksWereRedBefore(t *testing.T) {
	t.Parallel()
	red := core.BaseCheck{Check: "go vet", Detail: "x.go:1"}
	p := &core.Preflight{Checks: []core.BaseCheck{{Check: "go build", Passed: true}, {Check: "go test", Untold: "no time"}, red, {Check: "go fmt"}}}
	if diff := cmp.Diff([]core.BaseCheck{red, {Check: "go fmt"}}, p.Red()); diff != "" {
		t.Error(diff)
	}
	if got := (*core.Preflight)(nil).Red(); got != nil {
		t.Errorf("without a preflight: %+v", got)
	}
	if !p.WasRed("go vet") || p.WasRed("go build") || p.WasRed("go test") || (*core.Preflight)(nil).WasRed("go vet") {
		t.Errorf("red were %+v", p.Red())
	}
}

// TestAChoiceIsMadeByItsName: another's name makes none.
func TestAChoiceIsMadeByItsName(t *testing.T) {
	t.Parallel()
	if !slices.Equal(core.KnownOptions(), []core.Option{core.OptionUIDesigner}) {
		t.Errorf("the options are %q", core.KnownOptions())
	}
	made := core.Options{UIDesigner: true}
	if !made.Has(core.OptionUIDesigner) || made.Has("other") || (core.Options{}).Has(core.OptionUIDesigner) {
		t.Errorf("a choice that was made is not told from one that was not")
	}
}
