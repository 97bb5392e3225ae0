package cockpit_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// paused is a run by phases that stands still before or in its second stage.
func paused(code core.PauseCode, choices ...core.Choice) *apitest.Service {
	advice := core.Advice{Choices: choices}
	d := api.RunDetail{
		Run:   api.Run{ID: "r1", Alias: "r1", Status: "paused", Stage: "implement", Reason: "it cannot go on", Advice: advice},
		Pause: &core.Pause{Code: code, Stage: "implement", Advice: advice},
		Stages: []api.Stage{
			{ID: "plan", Title: "Plan", Status: "passed"}, {ID: "implement", Title: "Implement", Status: "open", Code: true}, {ID: "publish", Status: "pending"},
		},
	}
	svc := &apitest.Service{Waiting: []api.Waiting{{Kind: api.WaitPause, Run: d.Run, Pause: d.Pause}}}
	svc.Put(d)
	return svc
}

// On each page there is what the engine advises, all of it, and the most sensible
// is in front.
func TestWhatCanBeDoneAboutAPause(t *testing.T) {
	for what, c := range map[string]struct {
		code    core.PauseCode
		choices []core.Choice
		says    []string
		missing []string
		inFront string
	}{
		"what a stage needs was left out": {
			code: core.PauseInput, choices: append(about("r1", core.VerbSkip), core.Choice{Verb: core.VerbRollback, Run: "r1", Stage: "plan"}),
			says: []string{`name="to" value="plan"`, "/runs/r1/skip"}, missing: []string{"/runs/r1/resume", "/runs/r1/retry"}, inFront: "Go back to Plan",
		},
		"no try is left": {
			code: core.PauseAttempts, choices: about("r1", core.VerbStatus, core.VerbRetry, core.VerbFeedback, core.VerbSkip),
			says: []string{"/runs/r1/skip", "Send it back and try again", `<option value="implement" selected>`, `<option value="plan">`}, missing: []string{"/runs/r1/resume"}, inFront: "Try again",
		},
		"it could not be published": {
			code: core.PausePublish, choices: about("r1", core.VerbResume, core.VerbRollback),
			says: []string{`name="to" value="plan"`}, missing: []string{"/runs/r1/retry", "/runs/r1/skip"}, inFront: "Resume",
		},
		"money is spent": {
			code: core.PauseBudget, choices: []core.Choice{{Verb: core.VerbRaise, Run: "r1", Limit: core.LimitCost}},
			says: []string{"Raise the limit"}, missing: []string{"/runs/r1/retry", "/runs/r1/skip", "/runs/r1/resume"},
		},
	} {
		h := serve(t, paused(c.code, c.choices...), api.RoleApprover)
		for _, address := range []string{"/runs/r1", "/inbox"} {
			_, body := get(t, h, address)
			for _, want := range c.says {
				if !strings.Contains(body, want) {
					t.Errorf("%s: %s does not say %q", what, address, want)
				}
			}
			for _, bad := range c.missing {
				if strings.Contains(body, bad) {
					t.Errorf("%s: %s offers %q", what, address, bad)
				}
			}
			if front := `<button class="go">`; strings.Count(body, front) > 1 || c.inFront != "" && !strings.Contains(body, front+c.inFront+"</button>") {
				t.Errorf("%s: %s does not have %q in front", what, address, c.inFront)
			}
		}
	}
}

func TestAPausedRunGoesBack(t *testing.T) {
	svc := paused(core.PauseInput, core.Choice{Verb: core.VerbRollback, Run: "r1", Stage: "plan"})
	h := serve(t, svc, api.RoleApprover)
	if w := post(h, "/runs/r1/rollback", url.Values{"stage": {"plan"}, "to": {"plan"}}); w.Code != http.StatusConflict {
		t.Errorf("about what is not paused: %d", w.Code)
	}
	if w := post(h, "/runs/r1/rollback", url.Values{"stage": {"implement"}, "to": {"plan"}}); w.Code != http.StatusSeeOther || said(t, svc, "rollback") != (api.Rollback{To: "plan"}) {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if w := post(h, "/runs/r1/rollback", url.Values{"stage": {"implement"}, "to": {"implement"}}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("the same again, without a word: %d", w.Code)
	}
}

// TestNoWayBackIsNotOffered: with every earlier stage skipped there is no form, so no link leads to one.
func TestNoWayBackIsNotOffered(t *testing.T) {
	svc := paused(core.PausePublish, about("r1", core.VerbRollback, core.VerbCancel)...)
	d, err := svc.Run(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	d.Stages[0].Status = core.StageOmitted
	svc.Put(d)
	_, body := get(t, serve(t, svc, api.RoleApprover), "/runs/r1")
	if strings.Contains(body, "Send it back") || !strings.Contains(body, `<a href="/runs/r1#end">Cancel the run</a>`) {
		t.Error("the page offers a way back that it has no form for, or does not offer to cancel")
	}
}
