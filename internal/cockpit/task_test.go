package cockpit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	digest    = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	taskPage  = "/runs/r1/tasks/build.r1"
	longWords = 10_000
)

// hostileTask is a run whose agents write evil into whatever they can.
func hostileTask(t *testing.T) *apitest.Service {
	t.Helper()
	svc := hostile()
	d, err := svc.Run(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	long := evil + strings.Repeat("y", longWords)
	names := []string{"a.md", "a.json", "a.txt", "a.html", "a.svg", evil + "../../etc/passwd"}
	at := api.Attempt{
		ID: "build.r1.a1", N: 1, Status: "ended", Agent: long, Exit: "failed", Message: long, Summary: long, Verdict: "failed", Duration: time.Minute,
		Resources: &core.Consumption{Held: "memory, cpu: " + evil + "; disk: watched", Breach: long},
		Notes:     []string{long}, Rejected: []string{long}, Results: []core.CheckResult{{Check: long, Detail: long, Output: digest}, {Check: long, Passed: true, Detail: evil}},
	}
	for _, n := range names {
		at.Artifacts = append(at.Artifacts, core.Artifact{Name: n, Digest: digest, Size: 3})
	}
	d.Stages[0].Tasks[0].Attempts = []api.Attempt{{ID: "build.r1.a0", N: 0, Status: "ended", Summary: evil}, at}
	d.Stages[0].Tasks[0].Checks = []string{long}
	d.Stages[0].Tasks[0].Blocked = long
	svc.Put(d)
	input, err := json.Marshal(map[string]string{"command": long, evil: evil})
	if err != nil {
		t.Fatal(err)
	}
	var records []api.Utterance
	for i, kind := range []string{"text", "thinking", "tool_call", "tool_result", "usage", "notice", "result", "stderr", "raw", evil} {
		records = append(records, api.Utterance{N: int64(i + 1), Kind: kind, Text: long, Tool: long, Input: input, Failed: i%2 == 0, Denied: i%3 == 0})
	}
	svc.Transcripts = map[string]api.Transcript{"build.r1.a1": {Records: records}}
	svc.EffectsAnswer = api.Effects{Total: 2, Effects: []api.Effect{{Attempt: long, Role: long, Tool: long, Input: input, Outcome: "denied", Reason: long}, {Attempt: "build.r1.a1", Outcome: evil}}}
	svc.Documents = map[string]string{digest: evil + "\n\n[x](javascript:alert(1))\n<svg onload=alert(1)>", "prompt/build.r1.a1": long + "\n# Do it\n![i](https://example.org/i.png)"}
	svc.Happen("r1", time.Unix(1, 0), core.Person(evil), core.FeedbackGiven{Stage: evil, Text: long}, nil)
	svc.Happen("r1", time.Unix(2, 0), core.Engine(), core.CommandRefused{Command: evil, Reason: long}, nil)
	return svc
}

func TestHostileAgentsStayText(t *testing.T) {
	h := serve(t, hostileTask(t), api.RoleViewer)
	for _, path := range []string{
		taskPage, taskPage + "?attempt=build.r1.a0", taskPage + "?attempt=" + "%3Cscript%3E", "/runs/r1/attempts/build.r1.a1/transcript",
		"/runs/r1/documents/" + digest + "/view?name=a.md", "/runs/r1/documents/" + digest + "/view?name=%3Cscript%3Ealert(1)%3C/script%3E.html",
		"/runs/r1/effects", "/runs/r1/effects?tool=%22%3E%3Cscript%3Ealert(1)", "/runs/r1/timeline", "/runs/r1/timeline?at=1",
	} {
		staysText(t, h, path, http.StatusOK, 300_000)
	}
	for path, want := range map[string]int{
		"/runs/r1/timeline?at=%3Cscript%3Ealert": http.StatusUnprocessableEntity, "/runs/r1/tasks/%3Cscript%3Ealert": http.StatusNotFound,
		"/runs/r1/attempts/..%2f..%2fx/transcript": http.StatusNotFound, "/runs/r1/documents/..%2f..%2fetc%2fpasswd/view": http.StatusNotFound,
	} {
		staysText(t, h, path, want, 300_000)
	}
}

func TestThePromptComesFirst(t *testing.T) {
	svc := hostileTask(t)
	svc.Documents["prompt/build.r1.a1"] = "# Say hello\n\nBe *kind*."
	_, body := get(t, serve(t, svc, api.RoleViewer), taskPage)
	prompt, attempts := strings.Index(body, "<em>kind</em>"), strings.Index(body, `id="attempts"`)
	if prompt < 0 || attempts < 0 || prompt > attempts {
		t.Errorf("the prompt is at %d, the attempts at %d", prompt, attempts)
	}
	newest, older := strings.Index(body, "Attempt 1<"), strings.Index(body, "Attempt 0<")
	if newest < 0 || older < newest {
		t.Errorf("attempts are in the wrong order: %d, %d", newest, older)
	}
}

func TestDownloadsAreNeverShown(t *testing.T) {
	svc := hostileTask(t)
	h := serve(t, svc, api.RoleViewer)
	for path, name := range map[string]string{
		"/runs/r1/documents/" + digest + "?name=plan.md":                   "plan.md",
		"/runs/r1/documents/" + digest + "?name=..%2f..%2f.bashrc":         "bashrc",
		"/runs/r1/documents/" + digest + "?name=a%22%0d%0aSet-Cookie:%20x": "a---Set-Cookie--x",
		"/runs/r1/documents/" + digest:                                     "aaaaaaaaaa",
		"/runs/r1/attempts/build.r1.a1/prompt":                             "build.r1.a1.prompt.md",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		head := w.Header()
		if w.Code != http.StatusOK || head.Get("Content-Disposition") != "attachment; filename="+name || head.Get("X-Content-Type-Options") != "nosniff" || head.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: %d %v", path, w.Code, head)
		}
	}
	for _, path := range []string{"/runs/r1/documents/none", "/runs/r1/documents/..%2f..%2fx", "/runs/r1/attempts/none/prompt"} {
		if code, _ := get(t, h, path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	svc.DocumentError = core.Errorf(core.CodeInternal, "the disk is gone")
	defer func() {
		if recover() != http.ErrAbortHandler { //nolint:errorlint // what the server looks for
			t.Error("half a document was sent as if it were whole")
		}
	}()
	get(t, h, "/runs/r1/documents/"+digest)
}

func TestATranscriptIsReadInPieces(t *testing.T) {
	svc := hostileTask(t)
	var records []api.Utterance
	for i := range 250 {
		records = append(records, api.Utterance{N: int64(i + 1), Kind: "text", Text: fmt.Sprintf("said-%d.", i+1)})
	}
	svc.Transcripts["build.r1.a1"] = api.Transcript{Records: records}
	h := serve(t, svc, api.RoleViewer)
	_, body := get(t, h, taskPage)
	for text, want := range map[string]bool{"said-250.": true, "said-151.": true, "said-150.": false, "transcript?at=150": true, `data-next="/runs/r1/attempts/build.r1.a1/transcript?forward&amp;at=250"`: true} {
		if strings.Contains(body, text) != want {
			t.Errorf("the page has %q: %v", text, !want)
		}
	}
	_, body = get(t, h, "/runs/r1/attempts/build.r1.a1/transcript?at=50")
	if !strings.Contains(body, "said-50.") || strings.Contains(body, "said-51.") || !strings.Contains(body, "This is the beginning.") {
		t.Errorf("the first piece: %.3000s", body)
	}
	r := httptest.NewRequest(http.MethodGet, "/runs/r1/attempts/build.r1.a1/transcript?forward&at=248", nil)
	r.Header.Set("Stellwerk-Part", "records")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := w.Body.String(); !strings.HasPrefix(got, "<ol") || strings.Count(got, "<li") != 2 || !strings.Contains(got, "at=250") {
		t.Errorf("what follows: %.500s", got)
	}
	svc.Transcripts["build.r1.a1"] = api.Transcript{Records: records, Done: true}
	if _, body := get(t, h, taskPage); strings.Contains(body, "data-next") {
		t.Error("an attempt that is over is followed")
	}
	for _, at := range []string{"-1", "x", "999999999999999999999", "251"} {
		if code, _ := get(t, h, "/runs/r1/attempts/build.r1.a1/transcript?at="+at); code != http.StatusUnprocessableEntity {
			t.Errorf("at %s: %d", at, code)
		}
	}
}

func TestTasksOfEarlierRoundsAreFound(t *testing.T) {
	svc := &past{Service: hostileTask(t), then: map[int64]api.RunDetail{}}
	then := api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1"}, Stages: []api.Stage{{ID: "plan", Round: 1, Tasks: []api.Task{{ID: "plan.r1", Prompt: "Plan the old way", Status: "done"}}}}}
	svc.Happen("r1", time.Unix(3, 0), core.Engine(), core.TaskAdmitted{Stage: "plan", Task: "plan.r1"}, nil)
	last := svc.Happen("r1", time.Unix(4, 0), core.Engine(), core.VerifyRequested{Task: "plan.r1"}, nil)
	svc.Happen("r1", time.Unix(5, 0), core.Engine(), core.StageOpened{Stage: "plan", Round: 2}, nil)
	svc.Happen("r1", time.Unix(6, 0), core.Engine(), core.MessageSent{Text: "plan.r1"}, nil)
	h := serveAny(t, svc)
	svc.then[last.Seq] = then
	code, body := get(t, h, "/runs/r1/tasks/plan.r1")
	if code != http.StatusOK || !strings.Contains(body, "Plan the old way") || !strings.Contains(body, "earlier round") {
		t.Errorf("%d %.2000s", code, body)
	}
	// Something between took it away before the stage was opened again.
	svc.Happen("r1", time.Unix(7, 0), core.Engine(), core.TaskAdmitted{Stage: "plan", Task: "plan.r2"}, nil)
	ended := svc.Happen("r1", time.Unix(8, 0), core.Engine(), core.AttemptExited{Attempt: "plan.r2.a1"}, nil)
	svc.Happen("r1", time.Unix(9, 0), core.Engine(), core.RolledBack{From: "build", Target: "plan"}, nil)
	svc.Happen("r1", time.Unix(10, 0), core.Engine(), core.StageOpened{Stage: "plan", Round: 3}, nil)
	svc.then[ended.Seq] = api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1"}, Stages: []api.Stage{{ID: "plan", Tasks: []api.Task{{ID: "plan.r2", Prompt: "Plan it again"}}}}}
	if code, body := get(t, h, "/runs/r1/tasks/plan.r2"); code != http.StatusOK || !strings.Contains(body, "Plan it again") {
		t.Errorf("after a rollback: %d", code)
	}
	if code, body := get(t, h, "/runs/r1/tasks/plan.r7"); code != http.StatusNotFound || !strings.Contains(body, "timeline") {
		t.Errorf("a task that never was: %d", code)
	}
}

// TestAttemptShowsItsResources: what it took, the limit, whether the kernel held it or somebody only looked, and which
// hosts it was refused.
func TestAttemptShowsItsResources(t *testing.T) {
	svc := hostile()
	d, err := svc.Run(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	d.Resources.Attempt = core.ResourceLimits{Memory: 1 << 30, Processes: 120, Disk: 4 << 10}
	d.Stages[0].Tasks[0].Attempts = []api.Attempt{{ID: "build.r1.a1", N: 1, Status: "ended", Resources: &core.Consumption{
		PeakMemory: 3 << 20, PeakProcesses: 7, CPUSeconds: 1.25, Disk: 2 << 10,
		Held: "memory: watched; processes: rlimit; cpu: measured; disk: watched", Breach: "refused more than 120 processes, the limit of an attempt", Exceeded: "processes",
	}, Traffic: &core.Traffic{Refused: 2, Turned: []string{"api.example.com:443"}}}}
	svc.Put(d)
	_, page := get(t, serve(t, svc, api.RoleViewer), taskPage)
	for _, want := range []string{
		"The agent was refused more than 120 processes, the limit of an attempt.",
		`<h3>Network</h3><p class="bad">2 connections refused (api.example.com:443)</p>`,
		"<code>network.allow</code> in your settings",
		`<dt>Memory</dt><dd>3.0 MiB of 1.0 GiB</dd><dd class="quiet">only watched</dd>`,
		`<dt>Processes</dt><dd>7 of 120</dd><dd class="quiet">enforced by the kernel (rlimit)</dd>`,
		`<dt>Processor</dt><dd>1.2 s</dd><dd class="quiet">no limit</dd>`,
		`<dt>Disk</dt><dd>2.0 KiB of 4.0 KiB</dd><dd class="quiet">only watched</dd>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not on the page", want)
		}
	}
}
