package prompt

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	originCommit = "0000000000000000000000000000000000000000"
	baseCommit   = "1111111111111111111111111111111111111111"
	workCommit   = "2222222222222222222222222222222222222222"
)

// dashboard is a run in its phase `backend`, after `plan`.
func dashboard() *core.Run {
	playbook := &core.Playbook{
		Name: "dashboard", Kind: "phases",
		Roles: map[string]core.Role{
			"backend-developer": {Description: "builds services and their tests.", Prompt: "You write Go services.\n\nHandle every error."},
			"code-reviewer":     {Description: "examines a change against its plan"},
			"architect":         {Description: "makes one plan of many"},
		},
		Phases: []core.Phase{
			{ID: "plan", Title: "Plan", Team: &core.Team{Spokes: []string{"backend", "frontend", "quality"}, Hub: "architect"},
				Prompt: "Plan the change that the goal asks for."},
			{ID: "backend", Title: "Backend", Role: "backend-developer",
				Prompt: "Implement the service that the plan describes, with tests.\nRun the tests before you end."},
			{ID: "review", Role: "code-reviewer",
				Rollback: &core.Rollback{Types: []core.RollbackRule{{Match: "database", Stage: "plan"}, {Match: "backend", Stage: "backend"}}}},
		},
	}
	plan := &core.Task{
		ID: "plan-1-hub", Stage: "plan", Name: "hub", Status: core.TaskDone, Outputs: []string{"plan.md"},
		Attempts: []*core.Attempt{{ID: "plan-1-hub-1", Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: "plan.md", Digest: "d", Size: 9}}}}},
	}
	return &core.Run{
		ID: "run", Alias: "dash-1", Title: "User dashboard", Issue: "42", Playbook: playbook,
		Goal:   "Show each user their open orders on one page.\n\nIt must load in under a second.",
		Branch: "feature/issue-42-user-dashboard", Base: "main", BaseCommit: originCommit, Options: core.Options{Coverage: 70},
		Stages: []*core.Stage{
			{ID: "plan", Status: core.StageDone, Round: 1, Base: baseCommit, Tasks: []*core.Task{plan}},
			{ID: "backend", Status: core.StageOpen, Round: 1, Base: baseCommit, Reason: core.OpenAdvance, Tasks: []*core.Task{backendTask()}},
			{ID: "review", Status: core.StagePending},
		},
	}
}

func backendTask() *core.Task {
	return &core.Task{
		ID: "backend-1", Stage: "backend", Role: "backend-developer", Writes: core.WritesCode, Limit: 3, Timeout: 90 * time.Minute,
		Inputs:  []core.Input{{Name: "plan.md"}, {Name: "wireframes.md", Optional: true}},
		Outputs: []string{"backend.md", "api.json"},
		Done: core.Check{Kind: core.CheckAll, Of: []core.Check{
			{Kind: core.CheckChanged, Globs: []string{"internal/**/*.go"}},
			{Kind: core.CheckFiles, Globs: []string{"go.mod", "go.sum"}},
			{Kind: core.CheckCommand, Run: "go test ./...", Timeout: 10 * time.Minute},
			{Kind: core.CheckCommand, Run: "set -e\ngo build ./...\ngo vet ./...\n"},
			{Kind: core.CheckArtifact, Name: "api.json", Schema: json.RawMessage(`{"type":"object"}`)},
			{Kind: core.CheckState, Expr: ".tests.passed == true"},
			{Kind: core.CheckGit, Git: &core.GitCheck{Commits: 1, Linear: true, Message: "^(feat|fix): ", MaxFiles: 40, MaxLines: 2000}},
			{Kind: core.CheckAny, Of: []core.Check{
				{Kind: core.CheckFiles, Globs: []string{"CHANGELOG.md"}},
				{Kind: core.CheckAll, Of: []core.Check{
					{Kind: core.CheckFiles, Globs: []string{"docs/**"}},
					{Kind: core.CheckNot, Of: []core.Check{{Kind: core.CheckChanged, Globs: []string{"**/*.sql"}}}},
				}},
			}},
		}},
		Attempts: []*core.Attempt{{ID: "backend-1-1", N: 1, Base: baseCommit}},
	}
}

// failedOnce adds a delivered attempt that did not pass, and the one after it.
func failedOnce(r *core.Run) *core.Task {
	t := r.Stage("backend").Tasks[0]
	*t.Attempts[0] = core.Attempt{
		ID: "backend-1-1", N: 1, Base: baseCommit, Status: core.AttemptEnded, Exit: core.ExitFinished, Counted: true,
		Summary: "All tests pass, everything is done.", Verdict: core.VerdictFailed,
		Delivery: &core.Delivery{Commit: workCommit},
		Results: []core.CheckResult{
			{Check: "changed: internal/**/*.go", Kind: core.CheckChanged, Passed: true},
			{Check: "command: go test ./...", Kind: core.CheckCommand,
				Detail: "Exit status 1. The end of its output:\n--- FAIL: TestOrders (0.01s)\n    orders_test.go:14: got 0 orders, want 3\nFAIL"},
			{Check: "artifact: backend.md", Kind: core.CheckArtifact, Detail: "backend.md was not handed in. The output folder held no artifact."},
		},
	}
	t.Counted = 1
	t.Attempts = append(t.Attempts, &core.Attempt{ID: "backend-1-2", N: 2, Base: workCommit})
	return t
}

// prompt gathers and builds with the paths of a usual attempt.
func build(t testing.TB, r *core.Run, attempt string, change func(*Input)) []byte {
	t.Helper()
	in, err := Gather(r, attempt)
	if err != nil {
		t.Fatal(err)
	}
	in.Paths = Paths{Work: "/attempt/work", Checkout: true, In: "/attempt/in", Out: "/attempt/out"}
	if change != nil {
		change(&in)
	}
	text, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// golden compares with testdata; UPDATE_GOLDEN=1 writes it anew.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestFresh(t *testing.T) {
	golden(t, "fresh.md", build(t, dashboard(), "backend-1-1", nil))
}

func TestInlineRole(t *testing.T) {
	with := build(t, dashboard(), "backend-1-1", func(in *Input) { in.Inline = true })
	without := build(t, dashboard(), "backend-1-1", nil)
	if !bytes.Contains(with, []byte("Handle every error.")) || bytes.Contains(without, []byte("Handle every error.")) {
		t.Error("the role's text belongs into the prompt exactly where the agent takes no system prompt")
	}
}

func TestRetry(t *testing.T) {
	r := dashboard()
	failedOnce(r)
	text := build(t, r, "backend-1-2", nil)
	golden(t, "retry.md", text)
	if bytes.Contains(text, []byte("everything is done")) {
		t.Error("the agent's own words about its work are in the prompt")
	}
}

func TestRetryAfterALoss(t *testing.T) {
	r := dashboard()
	task := failedOnce(r)
	*task.Attempts[1] = core.Attempt{ID: "backend-1-2", N: 2, Base: workCommit, Exit: core.ExitLost, Status: core.AttemptEnded}
	task.Attempts = append(task.Attempts, &core.Attempt{ID: "backend-1-3", N: 3, Base: workCommit})
	text := build(t, r, "backend-1-3", func(in *Input) { in.Paths.Kept = []string{"backend.md"} })
	golden(t, "retry-after-loss.md", text)
}

func TestEveryEndIsExplained(t *testing.T) {
	seen := map[string]core.ExitKind{}
	for _, exit := range []core.ExitKind{core.ExitFinished, core.ExitFailed, core.ExitTimeout, core.ExitCancelled, core.ExitLost, core.ExitNoStart} {
		v := view{Input{Timeout: time.Hour, Last: &core.Attempt{Exit: exit}}}
		said := v.LastEnded()
		if other, dup := seen[said]; dup || said == "How it ended is not known." {
			t.Errorf("%s and %s are told in the same words: %s", exit, other, said)
		}
		seen[said] = exit
	}
}

// TestAClosedNetworkIsTold: most programs show a refusal as a bare 403, which says nothing of what to do.
func TestAClosedNetworkIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		isolation string
		network   *core.Network
		want      bool
	}{
		"closed":            {"sandbox", &core.Network{}, true},
		"the model only":    {"sandbox", &core.Network{None: true}, true},
		"open":              {"sandbox", &core.Network{Open: true}, false},
		"without isolation": {"none", &core.Network{}, false},
		"of an older run":   {"sandbox", nil, false},
	} {
		phases, managed, waves := dashboard(), project(), inWaves()
		for _, r := range []*core.Run{phases, managed, waves} {
			r.Isolation, r.Network = c.isolation, c.network
		}
		for who, text := range map[string]string{
			"developer": string(build(t, phases, "backend-1-1", nil)),
			"manager":   turnPrompt(t, managed, ""),
			"planner":   plannerPrompt(t, waves, room()),
			"worker":    workerPrompt(t, waves, workAttempt, room()),
		} {
			if strings.Contains(text, "\n- Network: closed. A proxy refuses every host that is not on the list") != c.want {
				t.Errorf("%s, for a %s: %s", name, who, text)
			}
		}
	}
}

// TestALimitOfTheMachineIsTold to the next attempt, if that was how the last one ended.
func TestALimitOfTheMachineIsTold(t *testing.T) {
	took := &core.Consumption{Breach: "killed at 4.0 GiB of memory, the limit of an attempt"}
	for exit, want := range map[core.ExitKind]bool{core.ExitFailed: true, core.ExitFinished: false, core.ExitCancelled: false} {
		v := view{Input{Last: &core.Attempt{Exit: exit, Resources: took, Message: took.Breach + ": and more"}}}
		said := v.LastEnded()
		if strings.HasPrefix(said, "It ran into a limit of this machine: killed at 4.0 GiB of memory, the limit of an attempt. Use less") != want {
			t.Errorf("%s: %s", exit, said)
		}
	}
	v := view{Input{Last: &core.Attempt{Exit: core.ExitFailed, Resources: &core.Consumption{PeakMemory: 1}}}}
	if said := v.LastEnded(); said != "It ended with an error." {
		t.Errorf("without a breach: %s", said)
	}
}

// TestALimitOfTheAttemptIsTold to the next one, however the last one ended at it.
func TestALimitOfTheAttemptIsTold(t *testing.T) {
	for _, exit := range []core.ExitKind{core.ExitFailed, core.ExitCancelled} {
		v := view{Input{Last: &core.Attempt{Exit: exit, Exceeded: "the attempt has cost $0.97 of its $1.00", Message: "402"}}}
		if said := v.LastEnded(); !strings.HasPrefix(said, "It ran into a limit: the attempt has cost $0.97 of its $1.00. You have a limit, too.") {
			t.Errorf("%s: %s", exit, said)
		}
	}
}

func TestRewrittenHistory(t *testing.T) {
	r := dashboard()
	task := failedOnce(r)
	task.Attempts[0].Delivery.Rewritten = true
	task.Attempts[1].Base = baseCommit
	text := build(t, r, "backend-1-2", nil)
	if !bytes.Contains(text, []byte("were set aside")) || bytes.Contains(text, []byte("Its work is kept")) {
		t.Errorf("the prompt does not say that the commits were set aside:\n%s", text)
	}
}

// TestCodeThatWasRefused is not said to be kept; what was left before it is.
func TestCodeThatWasRefused(t *testing.T) {
	for base, want := range map[string]string{baseCommit: "You start again from commit", workCommit: "holds what attempts before it left"} {
		r := dashboard()
		task := failedOnce(r)
		task.Attempts[0].Delivery.Commit = ""
		task.Attempts[1].Base = base
		text := build(t, r, "backend-1-2", nil)
		if !bytes.Contains(text, []byte("None of its code could be taken over. ")) || !bytes.Contains(text, []byte(want)) || bytes.Contains(text, []byte("Its work is kept")) {
			t.Errorf("from %s the prompt says:\n%s", base, text)
		}
	}
}

func TestHotfix(t *testing.T) {
	r := dashboard()
	s := r.Stage("backend")
	s.Round, s.Reason = 2, core.OpenFeedback
	s.Hotfix = &core.Hotfix{Text: "Orders that are cancelled must not be listed.\nAnd sort them by date."}
	golden(t, "hotfix.md", build(t, r, "backend-1-1", nil))
}

func TestRollbackFindings(t *testing.T) {
	r := dashboard()
	s := r.Stage("backend")
	s.Round, s.Reason = 2, core.OpenRollback
	s.Hotfix = &core.Hotfix{From: "review", Findings: []core.Finding{
		{Type: "backend", File: "internal/orders/list.go", Line: 14, Severity: "high", Issue: "The user id of the request is trusted.\nTake it from the session."},
		{File: "internal/orders/list_test.go", Issue: "The test cannot fail."},
		{Issue: "The README does not name the new setting."},
	}}
	golden(t, "rollback.md", build(t, r, "backend-1-1", nil))
}

// A person's word is theirs: the phase that was under way found nothing.
func TestRollbackByAPerson(t *testing.T) {
	r := dashboard()
	s := r.Stage("backend")
	s.Round, s.Reason = 2, core.OpenRollback
	s.Hotfix = &core.Hotfix{By: core.Person("alice"), From: "review", Text: "Sort the orders by date."}
	golden(t, "rollback-person.md", build(t, r, "backend-1-1", nil))
	s.Hotfix = &core.Hotfix{By: core.Person("alice"), From: "review"}
	golden(t, "rollback-unexplained.md", build(t, r, "backend-1-1", nil))
}

func TestReview(t *testing.T) {
	r := dashboard()
	r.Stages[2] = &core.Stage{ID: "review", Status: core.StageOpen, Round: 1, Base: workCommit, Reason: core.OpenAdvance, Tasks: []*core.Task{{
		ID: "review-1", Role: "code-reviewer", Writes: core.WritesArtifacts, Limit: 3, Inputs: []core.Input{{Name: "plan.md"}},
		Outputs: []string{"review.json", "review.md"}, Attempts: []*core.Attempt{{ID: "review-1-1", N: 1, Base: workCommit}},
	}}}
	golden(t, "review.md", build(t, r, "review-1-1", nil))
}

// TestAlone is the one who does a team's work where a specialist could not deliver, and whose plan may leave phases out.
func TestAlone(t *testing.T) {
	r := team()
	s := r.Stage("plan")
	s.Reduced = "architect does plan alone: nothing usable came from quality"
	s.Tasks[2].Status, s.Tasks[3].Status = core.TaskDropped, core.TaskDropped
	s.Tasks = append(s.Tasks, &core.Task{
		ID: "plan-1-alone", Name: core.SoloTask, Role: "architect", Status: core.TaskRunning, Writes: core.WritesArtifacts, Limit: 3,
		Inputs:   []core.Input{{Name: "plan-backend.md"}, {Name: "plan-frontend.md"}},
		Outputs:  []string{"plan.md", core.PlanArtifact},
		Attempts: []*core.Attempt{{ID: "plan-1-alone-1", N: 1, Base: baseCommit}},
	})
	r.Playbook.Phases[0].Outputs = []string{"plan.md", core.PlanArtifact}
	r.Playbook.Phases[1].Skippable = true
	golden(t, "alone.md", build(t, r, "plan-1-alone-1", nil))
	r.Playbook.Phases[1].Skippable = false
	if text := build(t, r, "plan-1-alone-1", nil); bytes.Contains(text, []byte(`"skip"`)) {
		t.Errorf("a plan is asked what to skip where nothing may be:\n%s", text)
	}
}

// team is the run in its first phase, with one specialist done.
func team() *core.Run {
	r := dashboard()
	spoke := func(name string, status core.TaskStatus) *core.Task {
		out := "plan-" + name + ".md"
		return &core.Task{
			ID: "plan-1-" + name, Name: name, Role: name, Status: status, Writes: core.WritesArtifacts, Limit: 3, Outputs: []string{out},
			Done: core.Check{Kind: core.CheckArtifact, Name: out},
			Attempts: []*core.Attempt{{ID: "plan-1-" + name + "-1", N: 1, Base: baseCommit,
				Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: out, Digest: "d-" + name, Size: 5}}}}},
		}
	}
	hub := &core.Task{
		ID: "plan-1-hub", Name: "hub", Role: "architect", Status: core.TaskRunning, Writes: core.WritesArtifacts, Limit: 3,
		Inputs:    []core.Input{{Name: "plan-backend.md"}, {Name: "plan-frontend.md"}, {Name: "plan-quality.md"}},
		Outputs:   []string{"plan.md"},
		DependsOn: []string{"plan-1-backend", "plan-1-frontend", "plan-1-quality"},
		Attempts:  []*core.Attempt{{ID: "plan-1-hub-1", N: 1, Base: baseCommit}},
	}
	r.Stages[0] = &core.Stage{ID: "plan", Status: core.StageOpen, Round: 1, Base: baseCommit, Reason: core.OpenAdvance, Tasks: []*core.Task{
		spoke("backend", core.TaskDone), spoke("frontend", core.TaskDone), spoke("quality", core.TaskDone), hub,
	}}
	r.Stages[1] = &core.Stage{ID: "backend", Status: core.StagePending}
	return r
}

func TestTeam(t *testing.T) {
	golden(t, "spoke.md", build(t, team(), "plan-1-frontend-1", nil))
	golden(t, "hub.md", build(t, team(), "plan-1-hub-1", func(in *Input) { in.Paths.Checkout = false }))
}

func TestFilesHoldWhatThePromptCuts(t *testing.T) {
	r := dashboard()
	failedOnce(r)
	r.Stage("backend").Hotfix = &core.Hotfix{Text: "Sort by date.", Findings: []core.Finding{{File: "a.go", Line: 3, Issue: "Wrong order."}}}
	in, err := Gather(r, "backend-1-2")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		GoalName:               {"Show each user", "under a second."},
		HotfixName:             {"Sort by date.", "a.go:3", "Wrong order."},
		EvidenceName:           {"Failed: `command: go test ./...`", "got 0 orders", "Passed: `changed"},
		"api.json.schema.json": {`"type": "object"`},
	}
	for _, f := range Files(in) {
		for _, words := range want[f.Name] {
			if !bytes.Contains(f.Content, []byte(words)) {
				t.Errorf("%s lacks %q:\n%s", f.Name, words, f.Content)
			}
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("files not written: %v", want)
	}
}

func TestHugeInputIsCutAndPointedTo(t *testing.T) {
	r := dashboard()
	task := failedOnce(r)
	r.Goal = strings.Repeat("Make it better.\n", 100_000)
	s := r.Stage("backend")
	s.Reason, s.Hotfix = core.OpenRollback, &core.Hotfix{Text: strings.Repeat("Please. ", 10_000)}
	for range 500 {
		s.Hotfix.Findings = append(s.Hotfix.Findings, core.Finding{File: "a.go", Line: 1, Issue: strings.Repeat("wrong ", 600)})
		task.Attempts[0].Results = append(task.Attempts[0].Results, core.CheckResult{
			Check: "command: make", Kind: core.CheckCommand, Detail: "Exit status 2.\n" + strings.Repeat("noise\n", 1000) + "the cause",
		})
	}
	text := build(t, r, "backend-1-2", nil)
	if len(text) > 24<<10 {
		t.Errorf("the prompt has %d bytes", len(text))
	}
	for _, words := range []string{"/attempt/in/goal.md", "/attempt/in/hotfix.md", "/attempt/in/evidence.md", "Exit status 2.", "the cause"} {
		if !bytes.Contains(text, []byte(words)) {
			t.Errorf("the prompt lacks %q", words)
		}
	}
}

func TestRefusals(t *testing.T) {
	if _, err := Gather(dashboard(), "no-such-attempt"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("Gather of an unknown attempt: %v", err)
	}
	if _, err := Build(Input{}); err == nil {
		t.Error("Build without paths succeeded")
	}
	for _, name := range []string{GoalName, HotfixName, EvidenceName, ReportName, answersFile} {
		if !core.ReservedName(name) {
			t.Errorf("a document of a project could take the place of %s", name)
		}
	}
	if core.ReservedName("plan.md") {
		t.Error("plan.md is a document of the project")
	}
}
