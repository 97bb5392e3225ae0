package cockpit_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// atReview is a run by phases whose reviewer has said something.
func atReview(status core.ReviewStatus, findings ...core.Finding) api.RunDetail {
	gate := &core.Gate{Subject: core.Subject{Stage: "review", Round: 1, Commit: "abc"}}
	if status != core.ReviewApproved {
		gate.Findings, gate.Suggestion = findings, "implement"
	}
	return api.RunDetail{
		Run:  api.Run{ID: "r1", Alias: "r1", Status: "awaiting_approval", Stage: "review", Reason: "stage review waits for an approval"},
		Gate: gate,
		Stages: []api.Stage{
			{ID: "plan", Title: "Plan", Status: "passed", Round: 1},
			{ID: "implement", Title: "Implement", Status: "passed", Round: 1, Code: true},
			{ID: "review", Title: "Review", Status: "gated", Round: 1, Review: &core.Review{Status: status, Findings: findings}},
			{ID: "publish", Title: "Publish", Status: "pending"},
		},
	}
}

func waiting(d api.RunDetail) *apitest.Service {
	svc := &apitest.Service{Documents: map[string]string{"diff": smallDiff}}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: d.Gate}}
	return svc
}

var everyGate = []string{"/inbox", "/runs/r1", "/runs/r1/changes"}

// Nobody overlooks what a reviewer is against: it is said wherever one can
// approve, and approving is not what is proposed there.
func TestAReviewThatIsAgainstIsSaid(t *testing.T) {
	svc := waiting(atReview(core.ReviewChangesRequested, core.Finding{File: "lib.sh", Line: 2, Severity: "high", Issue: evil + " is added twice"}))
	h := serve(t, svc, api.RoleApprover)
	for _, address := range everyGate {
		_, body := get(t, h, address)
		for _, want := range []string{"Review asks for changes", "<code>lib.sh:2</code>", "<strong>high</strong>", "is added twice", "go back to <strong>Implement</strong>", `<button class="go">Send it back`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
		for _, bad := range []string{"<script>alert", `<button class="go">Approve`} {
			if strings.Contains(body, bad) {
				t.Errorf("%s holds %q", address, bad)
			}
		}
	}
	if _, body := get(t, h, "/runs/r1"); !strings.Contains(body, "<button>Approve</button>") {
		t.Error("who sees it differently cannot approve")
	}
}

func TestAReviewInFavourIsSaid(t *testing.T) {
	h := serve(t, waiting(atReview(core.ReviewApproved, core.Finding{Issue: "a nit"})), api.RoleApprover)
	for _, address := range everyGate {
		_, body := get(t, h, address)
		for _, want := range []string{"Review approves", "a nit", `<button class="go">Approve`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
	}
}

// At a later gate it still counts that somebody approved against a review.
func TestALaterGateSaysWhatWasApprovedAgainstAReview(t *testing.T) {
	d := atReview(core.ReviewChangesRequested, core.Finding{Issue: "it is added twice"})
	d.Stage, d.Gate = "publish", &core.Gate{Subject: core.Subject{Stage: "publish", Round: 1, Commit: "abc"}}
	d.Stages[2].Status, d.Stages[3].Status = "passed", "gated"
	d.Stages[3].Tasks = []api.Task{{ID: "publish.r1", Act: "pull-request"}}
	h := serve(t, waiting(d), api.RoleApprover)
	for _, address := range everyGate {
		_, body := get(t, h, address)
		for _, want := range []string{"Review asks for changes", "and was approved anyway", "it is added twice", `<option value="implement" selected>`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
	}
}

// Words on code go to who wrote it, unless somebody chooses another stage.
func TestWordsOnCodeGoToWhoWroteIt(t *testing.T) {
	svc := waiting(atReview(core.ReviewApproved))
	h := serve(t, svc, api.RoleApprover)
	for _, address := range everyGate {
		_, body := get(t, h, address)
		for _, want := range []string{`<option value="review">Review`, `<option value="implement" selected>Implement`, `<option value="plan">Plan`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not offer %q", address, want)
			}
		}
	}
	shown := `{"stage":"review","round":1,"delivery":"","commit":"abc"}`
	told := func(path, to string) string {
		t.Helper()
		if w := post(h, path, url.Values{"subject": {shown}, "to": {to}, "text": {"say it once"}}); w.Code != http.StatusSeeOther {
			t.Fatalf("%s to %s: %d %s", path, to, w.Code, w.Body)
		}
		call := svc.Calls()[len(svc.Calls())-1]
		if back, ok := call.Req.(api.Rollback); ok {
			return call.Verb + " " + back.To + " " + back.Text
		}
		return call.Verb
	}
	for _, path := range []string{"/runs/r1/rollback", "/runs/r1/changes/send"} {
		if got := told(path, "implement"); got != "rollback implement say it once" {
			t.Errorf("%s: %s", path, got)
		}
		if got := told(path, "review"); got != "feedback" {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Where a review speaks for itself, nobody has to repeat it.
func TestFindingsAreWordsEnough(t *testing.T) {
	shown := `{"stage":"review","round":1,"delivery":"","commit":"abc"}`
	for status, want := range map[core.ReviewStatus]int{core.ReviewChangesRequested: http.StatusSeeOther, core.ReviewApproved: http.StatusUnprocessableEntity} {
		svc := waiting(atReview(status, core.Finding{Issue: "twice"}))
		if w := post(serve(t, svc, api.RoleApprover), "/runs/r1/changes/send", url.Values{"subject": {shown}, "to": {"implement"}}); w.Code != want {
			t.Errorf("%s: %d, want %d", status, w.Code, want)
		}
	}
}

// The first gate has one way back, and says no more than that.
func TestThePlanGoesBackToWhoMadeIt(t *testing.T) {
	d := atReview(core.ReviewApproved)
	d.Stage, d.Gate = "plan", &core.Gate{Subject: core.Subject{Stage: "plan", Round: 1}}
	d.Stages = slices.Clone(d.Stages[:2])
	d.Stages[0].Status, d.Stages[1].Status = "gated", "pending"
	_, body := get(t, serve(t, waiting(d), api.RoleApprover), "/runs/r1")
	if strings.Contains(body, "<select") || !strings.Contains(body, `name="to" value="plan"`) {
		t.Error("there is a choice where there is none")
	}
}

// What a person sent back is credited to them, not to the stage that was under way.
func TestWhoSentItBackIsSeen(t *testing.T) {
	for text, want := range map[string]string{
		"":            "alice sent it back from review, and gave no reason.",
		"say it once": "alice sent it back from review:",
	} {
		d := atReview(core.ReviewApproved)
		d.Stages[1].Asked = &core.Hotfix{By: core.Person("alice"), From: "review", Text: text}
		if _, body := get(t, serve(t, waiting(d), api.RoleViewer), "/runs/r1"); !strings.Contains(body, want) || strings.Contains(body, "Requested in this round") {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Who asked for something sees that it was taken up.
func TestWhatWasAskedForIsSeen(t *testing.T) {
	d := atReview(core.ReviewApproved)
	d.Stages[1].Tasks = []api.Task{{ID: "implement.r2", Role: "developer"}}
	d.Stages[1].Asked = &core.Hotfix{From: "review", Text: "say it once, " + evil, Findings: []core.Finding{{File: "lib.sh", Line: 2, Issue: "twice"}}}
	h := serve(t, waiting(d), api.RoleViewer)
	for _, address := range []string{"/runs/r1", "/runs/r1/tasks/implement.r2"} {
		_, body := get(t, h, address)
		if strings.Contains(body, "<script>alert") || !strings.Contains(body, "say it once, ") || !strings.Contains(body, "<code>lib.sh:2</code>") {
			t.Errorf("%s does not say what was asked for", address)
		}
	}
}
