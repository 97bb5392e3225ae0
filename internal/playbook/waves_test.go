package playbook

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

const wavePlanner = "wave-planner"

func command(run string) core.Check {
	return core.Check{Kind: core.CheckCommand, Run: run, Timeout: DefaultCommandTimeout}
}

func TestParseWaves(t *testing.T) {
	p, warnings := parseFile(t, "testdata/good/waves.yaml")
	if len(warnings) != 0 {
		t.Errorf("warnings: %v", warnings)
	}
	want := &core.Management{
		Roles:  map[core.TaskKind]string{core.KindWave: wavePlanner},
		Done:   core.Check{Kind: core.CheckAll, Of: []core.Check{command("go build ./..."), command("tools/coverage.sh ${coverage}")}},
		Review: core.ReviewRule{When: core.ReviewNever}, Push: core.PushStanding, Base: "release/2.x",
		Attempts: 2, Rounds: 1, Timeout: 45 * time.Minute,
		Waves: &core.WaveRules{Writes: core.WritesCode, Waves: 5, Delegations: 7},
	}
	if diff := cmp.Diff(want, p.Project); diff != "" {
		t.Error(diff)
	}
	if got := unassigned(p.Roles, p.Project); !slices.Equal(got, []string{"builder", "migrations", "tester"}) {
		t.Errorf("workers %v", got)
	}
	if got := p.Roles["migrations"].Capabilities; !slices.Equal(got, []string{"code", "sql"}) {
		t.Errorf("capabilities %v", got)
	}
}

// TestWavesDefaults holds what is in force where a playbook is silent: documents only, done by every role it defines.
func TestWavesDefaults(t *testing.T) {
	text := planned + "roles:\n  wave-planner: {model: opus}\n  scout: {description: Looks around.}\n  \"7\": {capabilities: [count]}\n"
	p, warnings, err := Parse("p.yaml", []byte(text), options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	want := &core.Management{
		Roles: map[core.TaskKind]string{core.KindWave: wavePlanner}, Done: core.Check{Kind: core.CheckAll},
		Review: core.ReviewRule{When: core.ReviewNever}, Attempts: DefaultAttempts, Rounds: 1, Timeout: DefaultTimeout,
		Waves: &core.WaveRules{Writes: core.WritesArtifacts, Waves: 10, Delegations: 20},
	}
	if diff := cmp.Diff(want, p.Project); diff != "" {
		t.Error(diff)
	}
	if got := unassigned(p.Roles, p.Project); !slices.Equal(got, []string{"7", "scout"}) {
		t.Errorf("workers %v", got)
	}
}

// TestWavesAreHeldToTheProject holds code to the project's own commands where a playbook does not say otherwise.
func TestWavesAreHeldToTheProject(t *testing.T) {
	text := []byte(planned + "waves: {writes: code, workers: builder}\n")
	p, warnings, err := Parse("p.yaml", text, options())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	want := core.Check{Kind: core.CheckAll, Of: []core.Check{command("go build ./..."), command("go test ./...")}}
	if diff := cmp.Diff(want, p.Project.Done); diff != "" {
		t.Error(diff)
	}
	if p.Project.Push != core.PushAsk {
		t.Errorf("push %q", p.Project.Push)
	}
	_, warnings, err = Parse("p.yaml", text, Options{Roles: role.Builtin()})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "4:8: waves: no check looks at a worker's branch or at a merge") {
		t.Errorf("warnings %v, error %v", warnings, err)
	}
}

func TestWavesWarnings(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a role that says nothing", planned + "roles:\n  scout: {prompt: Look around.}\n",
			"5:3: roles.scout: nothing tells the planner what the role is good for; give it a description and capabilities"},
		{"a role nobody is", planned + "roles:\n  scout: {description: Looks.}\nwaves: {workers: writer}\n",
			"5:3: roles.scout: the role is defined but nothing uses it"},
		{"files only", planned + "waves:\n  writes: code\n  workers: builder\n  done: {files: README.md}\n",
			"7:3: waves.done: nothing builds or tests a worker's branch or a merge; add a command check"},
	}
	for _, test := range tests {
		_, warnings, err := Parse("p.yaml", []byte(test.text), options())
		if err != nil || len(warnings) != 1 || warnings[0].String() != "p.yaml:"+test.want {
			t.Errorf("%s: warnings %v, error %v", test.name, warnings, err)
		}
	}
}

func TestBuiltinWaves(t *testing.T) {
	tests := []struct {
		name   string
		writes core.Writes
		checks int
	}{{"research", core.WritesArtifacts, 0}, {"build-waves", core.WritesCode, 2}}
	for _, test := range tests {
		p, warnings, err := Builtin(test.name, options())
		if err != nil || len(warnings) != 0 {
			t.Fatalf("%s: warnings %v, error %v", test.name, warnings, err)
		}
		m := p.Project
		if m.Waves.Writes != test.writes || len(m.Done.Of) != test.checks || m.Roles[core.KindWave] != wavePlanner || m.Push == core.PushStanding {
			t.Errorf("%s is %+v", test.name, m)
		}
		for _, name := range unassigned(p.Roles, p.Project) {
			codes := slices.Contains(p.Roles[name].Capabilities, "code")
			if _, ok := role.Builtin()[name]; !ok || codes && test.writes == core.WritesArtifacts {
				t.Errorf("%s: %s is no role for it", test.name, name)
			}
		}
		if files := RepositoryFiles(p, role.Builtin()); len(files) != 0 {
			t.Errorf("a built-in playbook rests on %v", files)
		}
	}
}

func TestSettleWaves(t *testing.T) {
	p, _ := parseFile(t, "testdata/good/waves.yaml")
	settled, warnings, err := Settle(*p, core.Options{Coverage: 80, ModelTier: core.TierStrong})
	if err != nil || len(warnings) != 0 {
		t.Fatalf("warnings %v, error %v", warnings, err)
	}
	if got := settled.Project.Done.Of[1].Run; got != "tools/coverage.sh 80" {
		t.Errorf("the target is not in the check: %q", got)
	}
	if got := settled.Roles["tester"].Model; got != "large" {
		t.Errorf("the tester has the model %q", got)
	}
	_, warnings, err = Settle(*p, core.Options{})
	if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "a delegation is not held to a test coverage") {
		t.Errorf("warnings %v, error %v", warnings, err)
	}
}
