package runfolder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// sealed makes events of bodies, a second apart.
func sealed(t testing.TB, bodies ...core.Body) []core.Event {
	t.Helper()
	var events []core.Event
	head := core.Head{}
	for i, b := range bodies {
		e, next, err := core.Seal(stream, head, time.Unix(100+int64(i), 0), core.Engine(), "", b)
		if err != nil {
			t.Fatal(err)
		}
		events, head = append(events, e), next
	}
	return events
}

// story is a round that is tried twice, with everything that has a metric.
func story(t *testing.T) []core.Event {
	return sealed(t,
		core.RunStarted{Run: "0198", Playbook: core.Playbook{
			Name: "feature", Kind: "phases", Agents: map[string]core.Agent{"a": {Use: "claude", Model: "sonnet"}},
			Roles: map[string]core.Role{"planner": {Name: "planner", Agent: "a"}},
		}},
		core.StageOpened{Stage: "plan", Round: 1},
		core.TaskAdmitted{Task: "plan.r1", Stage: "plan", Round: 1, Role: "planner"},
		core.AttemptRequested{Task: "plan.r1", Attempt: "plan.r1.a1", N: 1},
		core.AttemptStarted{Attempt: "plan.r1.a1", Agent: "claude"},
		core.AttemptExited{Attempt: "plan.r1.a1", Kind: core.ExitFailed, Class: "network", Message: "no route",
			Duration: 500 * time.Millisecond, Usage: core.Usage{CostUSD: 0.5}, Observed: true},
		core.VerifyRequested{Task: "plan.r1", Attempt: "plan.r1.a1"},
		core.VerifyConcluded{Task: "plan.r1", Attempt: "plan.r1.a1", Duration: 20 * time.Millisecond, Results: []core.CheckResult{
			{Check: "command: go test", Passed: false}, {Check: "files: go.mod", Passed: true, Reused: true}}},
		core.TaskRefused{Delegation: "d1", Code: "inputs", Reason: "no db_schema"},
		core.VerifyConcluded{Task: "plan.r1", Attempt: "plan.r1.a2", Passed: true},
		core.StagePassed{Stage: "plan", Round: 1},
		core.RunCompleted{},
	)
}

const told = `{"at":"1970-01-01T00:01:41Z","run":"0198","seq":2,"metric":"stage","stage":"plan","round":1,"outcome":"opened"}
{"at":"1970-01-01T00:01:45Z","run":"0198","seq":6,"metric":"attempt","stage":"plan","round":1,"task":"plan.r1","attempt":"plan.r1.a1","role":"planner","agent":"claude","model":"sonnet","outcome":"failed","duration_ms":500,"usage":{"cost_usd":0.5},"reasons":["network","no route"],"observed":true,"agent_latency":500,"NOT_OK":["network","no route"]}
{"at":"1970-01-01T00:01:47Z","run":"0198","seq":8,"metric":"verify","stage":"plan","round":1,"task":"plan.r1","attempt":"plan.r1.a1","outcome":"NOT_OK","duration_ms":20,"reasons":["command: go test"],"reused":1,"NOT_OK":["command: go test"]}
{"at":"1970-01-01T00:01:48Z","run":"0198","seq":9,"metric":"refusal","task":"d1","outcome":"NOT_OK","reasons":["inputs","no db_schema"],"NOT_OK":["inputs","no db_schema"]}
{"at":"1970-01-01T00:01:49Z","run":"0198","seq":10,"metric":"verify","task":"plan.r1","attempt":"plan.r1.a2","outcome":"OK","duration_ms":0}
{"at":"1970-01-01T00:01:49Z","run":"0198","seq":10,"metric":"task","stage":"plan","round":1,"task":"plan.r1","role":"planner","outcome":"OK","duration_ms":7000}
{"at":"1970-01-01T00:01:50Z","run":"0198","seq":11,"metric":"stage","stage":"plan","round":1,"outcome":"OK","duration_ms":9000}
{"at":"1970-01-01T00:01:51Z","run":"0198","seq":12,"metric":"run","outcome":"OK","duration_ms":11000}
`

func TestMetrics(t *testing.T) {
	f := openTemp(t)
	events := story(t)
	appendAll(t, f, events)
	appendAll(t, f, events)
	wantFile(t, f, MetricsFile, []byte(told))
}

// The file does not depend on how the events were grouped, nor on when a
// program was started again between them.
func TestMetricsAreAFunctionOfTheEvents(t *testing.T) {
	events := story(t)
	for cut := 1; cut < len(events); cut++ {
		path := filepath.Join(t.TempDir(), "0198")
		for _, part := range [][]core.Event{events[:cut], events[cut:]} {
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			appendAll(t, f, part)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(path, MetricsFile))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != told {
			t.Errorf("started again after event %d:\n%s", cut, got)
		}
	}
}

// A manifest that was damaged keeps nothing from being measured but what it hides.
func TestMetricsOfADamagedManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "0198")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	events := story(t)
	appendAll(t, f, events[:8])
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(path, ManifestFile)
	content, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(string(content), `"round":1`, `"round":!`, 1)
	if err := os.WriteFile(manifest, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := f.Append(events[8:10], core.Decode); err == nil {
		t.Error("nobody was told that the manifest is damaged")
	}
	if err := f.Append(events[10:], core.Decode); err != nil {
		t.Errorf("told twice: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(path, MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), `"metric":"run","outcome":"OK"`) {
		t.Errorf("the end is missing:\n%s", got)
	}
}

// A run in waves says when each began and ended, and what was refused and failed.
func TestMetricsOfWaves(t *testing.T) {
	f := openTemp(t)
	appendAll(t, f, sealed(t,
		core.RunStarted{Run: "0198", Playbook: core.Playbook{Name: "research", Kind: "waves"}},
		core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "paint", Code: "unknown_role", Reason: "nobody paints"}},
		core.WaveOpened{Wave: 1},
		core.StageOpened{Stage: "survey", Round: 1},
		core.TaskAdmitted{Task: "survey.r1", Stage: "survey", Round: 1, Role: "scout"},
		core.BriefEnded{Delegation: "survey", Status: core.DelegationFailed, Reason: "it cannot be done"},
		core.StageDiscarded{Stage: "survey", Round: 1, Reason: "it cannot be done"},
		core.BriefEnded{Delegation: "prices", Status: core.DelegationDropped, Reason: "not wanted"},
		core.WaveClosed{Wave: 1, Course: core.CourseFinish},
		core.CourseRefused{Course: core.CourseFinish, Reasons: []string{"a criterion is unmet"}},
	))
	wantFile(t, f, MetricsFile, []byte(`{"at":"1970-01-01T00:01:41Z","run":"0198","seq":2,"metric":"refusal","task":"paint","outcome":"NOT_OK","reasons":["unknown_role","nobody paints"],"NOT_OK":["unknown_role","nobody paints"]}
{"at":"1970-01-01T00:01:42Z","run":"0198","seq":3,"metric":"wave","wave":1,"outcome":"opened"}
{"at":"1970-01-01T00:01:43Z","run":"0198","seq":4,"metric":"stage","wave":1,"stage":"survey","round":1,"outcome":"opened"}
{"at":"1970-01-01T00:01:45Z","run":"0198","seq":6,"metric":"failure","wave":1,"task":"survey","outcome":"NOT_OK","reasons":["it cannot be done"],"NOT_OK":["it cannot be done"]}
{"at":"1970-01-01T00:01:45Z","run":"0198","seq":6,"metric":"task","wave":1,"stage":"survey","round":1,"task":"survey.r1","role":"scout","outcome":"NOT_OK","duration_ms":1000}
{"at":"1970-01-01T00:01:46Z","run":"0198","seq":7,"metric":"stage","wave":1,"stage":"survey","round":1,"outcome":"discarded","duration_ms":3000,"reasons":["it cannot be done"]}
{"at":"1970-01-01T00:01:47Z","run":"0198","seq":8,"metric":"failure","wave":1,"task":"prices","outcome":"dropped","reasons":["not wanted"]}
{"at":"1970-01-01T00:01:48Z","run":"0198","seq":9,"metric":"wave","wave":1,"outcome":"OK","duration_ms":6000,"wave_time":6000}
{"at":"1970-01-01T00:01:49Z","run":"0198","seq":10,"metric":"refusal","outcome":"NOT_OK","reasons":["finish","a criterion is unmet"],"NOT_OK":["finish","a criterion is unmet"]}
`))
}

// An engine that was killed after it had written the manifest, or in the middle of
// a line, leaves metrics that the next one puts right.
func TestMetricsThatAKillCutOff(t *testing.T) {
	events := story(t)
	for what, left := range map[string]func(string) []byte{
		"nothing": func(string) []byte { return nil },
		"a part":  func(all string) []byte { return []byte(all[:len(all)/2]) },
		"others":  func(all string) []byte { return []byte(all + "{}\n") },
	} {
		path := filepath.Join(t.TempDir(), "0198")
		for _, part := range [][]core.Event{events[:9], events[9:]} {
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			appendAll(t, f, part)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(path, MetricsFile))
			if err != nil {
				t.Fatal(err)
			}
			if len(part) != 9 && string(got) != told {
				t.Errorf("%s was left:\n%s", what, got)
			}
			if err := os.WriteFile(filepath.Join(path, MetricsFile), left(string(got)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
