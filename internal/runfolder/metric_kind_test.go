package runfolder

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestEveryEndHasItsMetric: by these lines somebody counts what went well, what did not, and why.
func TestEveryEndHasItsMetric(t *testing.T) {
	results := []core.CheckResult{{Check: "command: make", Passed: false}, {Check: "files: x", Passed: true, Reused: true}}
	for name, c := range map[string]struct {
		body core.Body
		want string // of the line behind its number
	}{
		"publish prepared": {core.PublishPrepared{Task: "t", Subject: core.Subject{Stage: "pr", Round: 2}, Passed: true, Results: results[1:]},
			`"metric":"publish","stage":"pr","round":2,"task":"t","outcome":"OK","reused":1}`},
		"publish not prepared": {core.PublishPrepared{Task: "t", Subject: core.Subject{Stage: "pr", Round: 2}, Error: "no git", Results: results},
			`"metric":"publish","stage":"pr","round":2,"task":"t","outcome":"NOT_OK","reasons":["no git","command: make"],"reused":1,"NOT_OK":["no git","command: make"]}`},
		"published":     {core.PublishConcluded{Task: "t", OK: true}, `"metric":"publish","task":"t","outcome":"OK"}`},
		"not published": {core.PublishConcluded{Task: "t", Reason: "declined"}, `"metric":"publish","task":"t","outcome":"NOT_OK","reasons":["declined"],"NOT_OK":["declined"]}`},
		"merged":        {core.MergeConcluded{Task: "t", Passed: true}, `"metric":"merge","task":"t","outcome":"OK"}`},
		"conflicts": {core.MergeConcluded{Task: "t", Error: "two", Conflicts: []string{"a.go", "b.go"}},
			`"metric":"merge","stage":"s","round":1,"task":"t","outcome":"NOT_OK","reasons":["two","conflict: a.go","conflict: b.go"],"NOT_OK":["two","conflict: a.go","conflict: b.go"]}`},
		"valid":      {core.ValidateConcluded{Task: "t", Passed: true}, `"metric":"validate","task":"t","outcome":"OK"}`},
		"not valid":  {core.ValidateConcluded{Task: "t", Results: results}, `"metric":"validate","stage":"s","round":1,"task":"t","outcome":"NOT_OK","reasons":["command: make"],"reused":1,"NOT_OK":["command: make"]}`},
		"failed":     {core.TaskFailed{Task: "t", Reason: "red"}, `"metric":"failure","task":"t","outcome":"NOT_OK","reasons":["red"],"NOT_OK":["red"]}`},
		"paused":     {core.RunPaused{Stage: "plan", Code: "login", Reason: "gone"}, `"metric":"pause","stage":"plan","outcome":"NOT_OK","reasons":["login","gone"],"NOT_OK":["login","gone"]}`},
		"run failed": {core.RunFailed{Reason: "red"}, `"metric":"run","outcome":"NOT_OK","duration_ms":2000,"reasons":["red"],"NOT_OK":["red"]}`},
		"cancelled":  {core.RunCancelled{Reason: "no"}, `"metric":"run","outcome":"cancelled","duration_ms":2000,"reasons":["no"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := openTemp(t)
			appendAll(t, f, sealed(t, core.RunStarted{Run: "0198"}, core.TaskAdmitted{Task: "t", Stage: "s", Round: 1}, c.body))
			got, err := f.root.ReadFile(MetricsFile)
			if err != nil {
				t.Fatal(err)
			}
			if _, rest, _ := strings.Cut(string(got), `"seq":3,`); strings.Split(rest, "\n")[0] != c.want {
				t.Errorf("got\n%s\nwant\n%s", rest, c.want)
			}
		})
	}
}
