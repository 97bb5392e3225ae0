package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

const somePlan = "# Goal\n\n## Steps\n\n### [ ] 1. One\n### [ ] 2. Two\nRole: developer\n"

// managed makes the attempt a turn of a project's manager on a commit that has a plan.
func managed(t *testing.T) *phased {
	t.Helper()
	p := newPhased(t)
	person := filepath.Join(p.Layout.State, "person")
	write(t, filepath.Join(person, desk.Folder, desk.PlanFile), somePlan)
	p.commit = sh(t, person, "git add .; git commit -q -m plan; git rev-parse HEAD")
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := y.Fetch(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	p.run.Playbook.Phases, p.run.Playbook.Project = nil, &core.Management{Roles: map[core.TaskKind]string{core.KindManage: "developer"}}
	p.run.Head, p.run.Home, p.run.Remote, p.run.Conversation = p.commit, "https://ada:"+hiddenWord+"@git.example.org/r.git", "https://elsewhere", "talk"
	p.attempt.Base, p.task.Kind, p.task.Writes, p.task.Inputs = p.commit, core.KindManage, core.WritesPlan, nil
	p.stage.Turn = &core.Turn{Wakes: []core.Wake{{Kind: core.WakeEpic}, {Kind: core.WakeMessage, Text: "not " + hiddenWord}, {Kind: core.WakeEpic}}}
	p.Tools = Tools{Folder: filepath.Join(p.Layout.State, "tools"), Socket: "/sock", Token: func(run, attempt string) string { return run + "+" + attempt }}
	return p
}

// TestAManagersDesk has the plan and its tools, and no repository; its token is handed over in memory.
func TestAManagersDesk(t *testing.T) {
	p := managed(t)
	if _, ok := p.began(t).(core.AttemptStarted); !ok {
		t.Fatal("it was not started")
	}
	work := p.Layout.Workspace(p.run.ID, builder)
	if names := entriesOf(t, work); !slices.Equal(names, []string{desk.Folder, scriptFolder}) || content(t, filepath.Join(work, desk.Folder, desk.PlanFile)) != somePlan {
		t.Errorf("on the desk are %q", names)
	}
	for _, tool := range core.Tools() {
		if to, err := os.Readlink(filepath.Join(work, scriptFolder, tool.Command()+".sh")); err != nil || to != filepath.Join(p.Tools.Folder, tool.Command()) {
			t.Errorf("%s is at %q, %v", tool.Command(), to, err)
		}
	}
	spec := p.spec(t)
	if spec.Trigger != "epic,message" || spec.Conversation != "talk" || spec.Tools != p.Tools.Folder || spec.Repository != "https://git.example.org/r.git" || spec.Writes != core.WritesPlan {
		t.Errorf("it is told %+v", spec)
	}
	if spec.Env[agent.EnvSocket] != "/sock" || spec.Env[agent.EnvProgram] != p.Self || spec.Env[agent.EnvOrigin] != originPath(p.folder) || spec.Env["COLOR"] != "1" || !slices.Equal(spec.Secrets, []string{"NEEDED", "KNOWN_KEY", agent.EnvToken}) {
		t.Errorf("it gets %v and %q", spec.Env, spec.Secrets)
	}
	if len(p.run.Playbook.Agents["coder"].Env) != 1 {
		t.Error("the playbook was changed")
	}
	orders, _ := p.workers.asked()
	if !slices.Contains(orders[0].Env, agent.EnvToken+"="+p.run.ID+"+"+builder) {
		t.Errorf("handed over is %q", orders[0].Env)
	}
	prompt := content(t, filepath.Join(p.folder, promptFile))
	if !strings.Contains(prompt, "not [redacted]") || strings.Contains(prompt, hiddenWord) || !shimtest.Exists(t, originPath(p.folder)) {
		t.Errorf("asked is %q", prompt)
	}
	p = managed(t)
	p.attempt.Base = p.run.BaseCommit // without a plan
	if _, ok := p.began(t).(core.AttemptStarted); !ok {
		t.Fatal("it was not started")
	}
	if names := entriesOf(t, filepath.Join(p.Layout.Workspace(p.run.ID, builder), desk.Folder)); len(names) > 0 {
		t.Errorf("on the desk are %q", names)
	}
}

func entriesOf(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestWhoHasAProjectsTools: its attempts, and not those that a session runs nor those of phases.
func TestWhoHasAProjectsTools(t *testing.T) {
	p := managed(t)
	for name, c := range map[string]struct {
		change func(r *attemptRoom)
		has    bool
	}{
		"a project's":     {func(*attemptRoom) {}, true},
		"of a session":    {func(r *attemptRoom) { r.taken = session.Taken{Session: "s1"} }, false},
		"that of a phase": {func(r *attemptRoom) { run := *r.run; run.Playbook = &core.Playbook{}; r.run = &run }, false},
	} {
		r := attemptRoom{d: p.Dispatcher, run: p.run, stage: p.stage, task: &core.Task{Kind: core.KindCode, DependsOn: []string{"a", "b"}}, attempt: p.attempt, folder: p.folder}
		c.change(&r)
		var spec shim.Spec
		r.equip(&spec)
		if (spec.Tools != "") != c.has || slices.Contains(spec.Secrets, agent.EnvToken) != c.has || (spec.Env[agent.EnvSocket] != "") != c.has || spec.Env[agent.EnvOrigin] != "" {
			t.Errorf("%s: %+v", name, spec)
		}
		if c.has && (spec.TriggeredBy != "run-1/b" || spec.Conversation != "talk") {
			t.Errorf("%s: %+v", name, spec)
		}
	}
}

// TestWhatAnAttemptMaySpend is what is left of the lower limit, and never nothing: that would be no limit.
func TestWhatAnAttemptMaySpend(t *testing.T) {
	for _, c := range []struct{ limit, project, used, others, want float64 }{
		{0, 0, 5, 5, 0}, {10, 0, 4, 9, 6}, {0, 10, 4, 3, 3}, {10, 20, 4, 15, 1}, {10, 100, 4, 15, 6}, {10, 0, 12, 0, 0.01}, {0, 10, 4, 30, 0.01},
	} {
		run := &core.Run{Limits: core.Limits{CostUSD: c.limit, Project: core.ProjectLimits{CostUSD: c.project}}}
		run.Usage.CostUSD, run.Others.CostUSD = c.used, c.others
		if got := (attemptRoom{run: run}).budget(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for _, c := range []struct{ role, agent, want string }{{"large", "small", "large"}, {"", "small", "small"}, {"inherit", "small", "small"}, {"", "inherit", ""}, {"", "", ""}} {
		p := core.Playbook{Roles: map[string]core.Role{"r": {Model: c.role, Agent: "a"}}, Agents: map[string]core.Agent{"a": {Model: c.agent}}}
		if got := p.Model("r"); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestHowACheckpointIsCalled: by the phase's number or the stage, and the issue where there is one.
func TestHowACheckpointIsCalled(t *testing.T) {
	p := newPhased(t)
	for _, c := range []struct{ stage, issue, want string }{
		{"build", "", "wip(phase-1): Build - A cart"}, {"plan", "", "wip(phase-0): plan - A cart"}, {"step-1", "", "wip(step-1): A cart"},
		{"build", "42", "wip(#42/phase-1): Build - A cart"}, {"step-1", "https://git.example.org/r/issues/7", "wip(#7/step-1): A cart"},
	} {
		p.run.Issue = c.issue
		r := attemptRoom{run: p.run, stage: &core.Stage{ID: c.stage}}
		if got := r.message(); got != c.want || r.marks() != (c.stage != "step-1") {
			t.Errorf("%s: %q (%t)", c.stage, got, r.marks())
		}
	}
	if branchOf(p.run, p.stage) != "feature/x" || branchOf(p.run, &core.Stage{Branch: "own"}) != "own" {
		t.Error("a stage works on another's branch")
	}
}

// TestAScenarioIsReadWhereNoAgentCanWrite: from the commit that the run began with, or a file that the person named.
func TestAScenarioIsReadWhereNoAgentCanWrite(t *testing.T) {
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "own.yaml")
	write(t, own, "own")
	for path, want := range map[string]string{"old.txt": "one\n", own: "own"} {
		r := attemptRoom{d: p.Dispatcher, run: p.run, attempt: p.attempt, folder: t.TempDir(), yard: y}
		options := map[string]string{agent.OptionScenario: path}
		if err := r.scenario(t.Context(), options); err != nil || options[agent.OptionScenario] != filepath.Join(r.folder, "scenario.yaml") || content(t, options[agent.OptionScenario]) != want {
			t.Errorf("%s: %v, %v", path, options, err)
		}
	}
	for _, path := range []string{"more.txt", "/missing"} { // the first was added by an agent
		if err := (attemptRoom{d: p.Dispatcher, run: p.run, attempt: p.attempt, folder: t.TempDir(), yard: y}).scenario(t.Context(), map[string]string{agent.OptionScenario: path}); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// TestAPlanIsRead from the commit that it was asked of; what keeps it from being followed is told, and no plan is none.
func TestAPlanIsRead(t *testing.T) {
	p := managed(t)
	read := func(commit string) core.PlanRead {
		t.Helper()
		if err := p.readPlan(t.Context(), p.run, core.ReadPlan{Commit: commit}); err != nil {
			t.Fatal(err)
		}
		return p.engine.await(t).(core.PlanRead)
	}
	if got := read(p.commit); !got.Found || got.Error != "" || got.Plan.Trouble != "" || got.Plan.Commit != p.commit || len(got.Plan.Steps) != 2 || got.Plan.Digest == "" {
		t.Errorf("read is %+v", got)
	}
	if got := read(p.run.BaseCommit); got.Found || got.Plan.Commit != p.run.BaseCommit || got.Error != "" {
		t.Errorf("read is %+v", got)
	}
	p.run.Playbook.Roles = map[string]core.Role{"tester": {}}
	if got := read(p.commit); !got.Found || !strings.Contains(got.Error, `step 2 is for the role "developer"`) || !strings.Contains(got.Error, "it has tester") {
		t.Errorf("read is %+v", got)
	}
	if err := p.readPlan(t.Context(), p.run, core.ReadPlan{Commit: strings.Repeat("0", 40)}); err == nil || len(p.engine.news) > 0 {
		t.Errorf("what is not there was read: %v", err)
	}
}

// TestAPlanIsWritten on top of the run's head, and held until a branch has it; a write that is no longer wanted is not made.
func TestAPlanIsWritten(t *testing.T) {
	p := managed(t)
	p.run.Stream.At = p.run.Stream.At.AddDate(2025, 0, 0)
	p.run.Driving.Plan = &core.Plan{Commit: p.commit}
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		write core.PlanWrite
		file  string
		want  string
	}{
		"steps that are done": {core.PlanWrite{Done: []string{"2"}}, planPath, strings.Replace(somePlan, "[ ] 2", "[x] 2", 1)},
		"a document":          {core.PlanWrite{Artifact: p.put(t, "# New\n\n## Steps\n\n### [ ] 9. Nine\n")}, planPath, "# New\n\n## Steps\n\n### [ ] 9. Nine\n"},
		"further documents":   {core.PlanWrite{Files: []core.PlanFile{{Name: "notes.md", Digest: p.put(t, "notes")}}}, desk.Folder + "/notes.md", "notes"},
		"another plan":        {core.PlanWrite{Files: []core.PlanFile{{Name: desk.PlanFile, Digest: p.put(t, "# Other\n\n## Steps\n\n### [ ] 8. Eight\n")}}}, planPath, "# Other\n\n## Steps\n\n### [ ] 8. Eight\n"},
	} {
		c.write.Event, c.write.Message = "e1", "because"
		p.run.Driving.PlanWrite = &c.write
		if err := p.writePlan(t.Context(), p.run, core.WritePlan{Event: "e1"}); err != nil {
			t.Fatal(err)
		}
		got := p.engine.await(t).(core.PlanUpdated)
		text, err := y.ReadFile(t.Context(), got.Plan.Commit, c.file, maxPlan)
		if err != nil || string(text) != c.want || got.Old != p.run.Head || len(got.Plan.Steps) == 0 {
			t.Errorf("%s: %q, %+v, %v", name, text, got, err)
		}
		log, err := y.Log(t.Context(), p.run.Head, got.Plan.Commit)
		if err != nil || len(log) != 1 || log[0].Subject != "plan: because" {
			t.Errorf("%s: %+v, %v", name, log, err)
		}
		if held, err := y.Refs(t.Context(), yard.Attempts+p.run.ID+"/"); err != nil || !slices.ContainsFunc(held, func(r yard.Ref) bool { return r.Commit == got.Plan.Commit }) {
			t.Errorf("%s: held are %v, %v", name, held, err)
		}
	}
	for _, write := range []*core.PlanWrite{nil, {Event: "e2", Done: []string{"2"}}} {
		p.run.Driving.PlanWrite = write
		if err := p.writePlan(t.Context(), p.run, core.WritePlan{Event: "e1"}); err != nil || len(p.engine.news) > 0 {
			t.Errorf("written was what nobody wants: %v", err)
		}
	}
	p.run.Driving.PlanWrite = &core.PlanWrite{Event: "e1", Done: []string{"none"}}
	if err := p.writePlan(t.Context(), p.run, core.WritePlan{Event: "e1"}); err == nil || len(p.engine.news) > 0 {
		t.Errorf("a step that is not there is done: %v", err)
	}
}

// TestAMergeThatClashes names where, and neither holds nor verifies anything; one that does not is verified as merged.
func TestAMergeThatClashes(t *testing.T) {
	p := managed(t)
	p.run.Stream.At = p.run.Stream.At.AddDate(2025, 0, 0)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	person := filepath.Join(p.Layout.State, "person")
	side := func(script string) string {
		return sh(t, person, "git checkout -q --detach "+p.run.BaseCommit+"; "+script+"; git add -A; git commit -q -m side; git rev-parse HEAD")
	}
	clash, fits := side("echo mine > more.txt"), side("echo x > side.txt")
	if err := errors.Join(y.Fetch(t.Context(), person), y.Keep(t.Context(), yard.Kept+"x/1", p.commit)); err != nil {
		t.Fatal(err)
	}
	sh(t, person, "git update-ref refs/heads/clash "+clash+"; git update-ref refs/heads/fits "+fits)
	if err := y.Fetch(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	p.run.Playbook.Project.Done = core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckFiles, Globs: []string{"side.txt"}}, {Kind: core.CheckFiles, Globs: []string{"more.txt"}}}}
	merge := func(line string) core.MergeConcluded {
		t.Helper()
		p.stage.Line = line
		if err := p.merge(t.Context(), p.run, core.Merge{Event: "e1", Stage: p.stage.ID, Task: p.task.ID}); err != nil {
			t.Fatal(err)
		}
		return p.engine.await(t).(core.MergeConcluded)
	}
	if got := merge(clash); len(got.Conflicts) != 1 || got.Passed || got.Commit != "" || got.Into != p.run.Head || got.From != clash || got.Error != "" || len(got.Results) > 0 {
		t.Errorf("concluded is %+v", got)
	}
	if held, err := y.Refs(t.Context(), yard.Attempts+p.run.ID+"/"); err != nil || len(held) > 0 {
		t.Errorf("held are %v, %v", held, err)
	}
	got := merge(fits)
	if !got.Passed || got.Commit == "" || len(got.Conflicts) > 0 || len(got.Results) != 2 { // a file of each side
		t.Errorf("concluded is %+v", got)
	}
	if log, err := y.Log(t.Context(), p.run.Head, got.Commit); err != nil || !slices.Equal(log[0].Parents, []string{p.run.Head, fits}) {
		t.Errorf("the merge is %+v, %v", log, err)
	}
	p.task.Done, p.task.First = core.Check{Kind: core.CheckFiles, Globs: []string{"more.txt"}}, true
	if err := p.validate(t.Context(), p.run, core.Validate{Event: "e2", Stage: p.stage.ID, Task: p.task.ID}); err != nil {
		t.Fatal(err)
	}
	if got := p.engine.await(t).(core.ValidateConcluded); !got.Passed || got.Commit != p.run.Head || !got.First || got.Task != p.task.ID {
		t.Errorf("concluded is %+v", got)
	}
}

// TestWhatABranchChanged is what it changed since its base, to everything that verifies the branch.
func TestWhatABranchChanged(t *testing.T) {
	p := managed(t)
	p.run.Stream.At = p.run.Stream.At.AddDate(2025, 0, 0)
	p.stage.Line = p.run.Head
	one := func(kind core.CheckKind, path string) core.Check {
		return core.Check{Kind: kind, Globs: []string{path}}
	}
	verdicts := map[string]func(core.Check) (bool, []core.CheckResult){
		"validated": func(c core.Check) (bool, []core.CheckResult) {
			p.task.Done = c
			if err := p.validate(t.Context(), p.run, core.Validate{Event: "e1", Stage: p.stage.ID, Task: p.task.ID}); err != nil {
				t.Fatal(err)
			}
			got := p.engine.await(t).(core.ValidateConcluded)
			return got.Passed, got.Results
		},
		"merged": func(c core.Check) (bool, []core.CheckResult) {
			p.run.Playbook.Project.Done = c
			if err := p.merge(t.Context(), p.run, core.Merge{Event: "e2", Stage: p.stage.ID, Task: p.task.ID}); err != nil {
				t.Fatal(err)
			}
			got := p.engine.await(t).(core.MergeConcluded)
			return got.Passed, got.Results
		},
	}
	for name, verdict := range verdicts {
		for what, c := range map[string]struct {
			check  core.Check
			passes bool
		}{
			"what it added is changed":               {one(core.CheckChanged, "more.txt"), true},
			"what was there before is not":           {one(core.CheckChanged, "kept.txt"), false},
			"what was to be left alone and was not":  {one(core.CheckAlone, "more.txt"), false},
			"what was to be left alone and was left": {one(core.CheckAlone, "kept.txt"), true},
		} {
			if passed, results := verdict(c.check); passed != c.passes || len(results) != 1 {
				t.Errorf("%s, %s: passed is %v, %+v", name, what, passed, results)
			}
		}
	}
}
