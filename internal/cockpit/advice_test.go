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

// TestAdviceLeadsToPages: a choice is a link where a page does the same, and is
// what people type where none does.
func TestAdviceLeadsToPages(t *testing.T) {
	svc := reviewed(smallDiff)
	h := serve(t, svc, api.RoleAdmin)
	for want, advice := range map[string]core.Advice{
		`See <a href="/runs/r1">the run</a>`:                                         can("", core.Choice{Verb: core.VerbStatus, Run: "r1"}),
		`Raise it: <a href="/runs/r1/costs#raise">Limits</a>`:                        can("raise it", core.Choice{Verb: core.VerbRaise, Run: "r1", Limit: core.LimitCost}),
		`Take it over: <code>stellwerk resume r1 --session</code>`:                   can("take it over", core.Choice{Verb: core.VerbTakeOver, Run: "r1"}),
		`Look again: <a href="/runs/r1/changes">the changes</a>`:                     can("look again", core.Choice{Verb: core.VerbDiff, Run: "r1"}),
		`Say it: <a href="/runs/r1#gate">Send it back</a>`:                           can("say it", core.Choice{Verb: core.VerbFeedback, Run: "r1"}),
		`See <a href="/runs">the runs</a>`:                                           can("", core.Choice{Verb: core.VerbRuns}),
		`Let it go on: <a href="/projects/shop">Resume</a>`:                          can("let it go on", core.Choice{Verb: core.VerbResumeProject, Project: "shop"}),
		`Take one out: <a href="/projects/shop#queue">Drop</a>`:                      can("take one out", core.Choice{Verb: core.VerbDropEpic, Project: "shop"}),
		`See <a href="/?all">the projects</a>`:                                       can("", core.Choice{Verb: core.VerbProjects}),
		`<code>limits.cost</code> in your settings`:                                  can("`limits.cost` in your settings"),
		`href="/runs/..%2F..%2F%3Cscript%3Ealert%281%29%3C%2Fscript%3E%3Cimg`:        can("", core.Choice{Verb: core.VerbStatus, Run: "../../" + evil}),
		`<code>stellwerk x &lt;img src=x onerror=alert(1)&gt;</code>`:                can("`stellwerk x <img src=x onerror=alert(1)>` " + evil),
		`<code>stellwerk projects show &lt;img`:                                      can("`stellwerk projects show <img src=x onerror=alert(1)>`"),
		`<a href="/runs/r1#gate">Try again</a>, or <a href="/runs/r1#gate">Skip</a>`: can("", core.Choice{Verb: core.VerbRetry, Run: "r1"}, core.Choice{Verb: core.VerbSkip, Run: "r1"}),
	} {
		svc.On = func(apitest.Call) error { return core.Errorf(core.CodeConflict, "no").Advise(advice) }
		w := post(h, "/runs/r1/retry", url.Values{})
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), want) {
			t.Errorf("there is no %s", want)
		}
		harmless(t, want, w.Body.String())
	}
}

// TestAPausedRunOffersWhatItAdvises: its page has the buttons that its advice names.
func TestAPausedRunOffersWhatItAdvises(t *testing.T) {
	svc := reviewed(smallDiff)
	put := func(advice core.Advice) {
		run := api.Run{ID: "r1", Alias: "r1", Status: core.StatusPaused, Reason: "used up", Advice: advice, Stage: "another"}
		svc.Put(api.RunDetail{Run: run, Pause: &core.Pause{Code: core.PauseBudget, Stage: "build", Advice: advice}})
	}
	h := serve(t, svc, api.RoleApprover)
	for want, advice := range map[string]core.Advice{
		"retry resume":  {},
		"resume retry ": can("look", core.Choice{Verb: core.VerbReplay}),
		"":              can("", core.Choice{Verb: core.VerbResumeProject, Project: "shop"}),
	} {
		put(advice)
		d, err := svc.Run(t.Context(), "r1")
		if err != nil {
			t.Fatal(err)
		}
		d.Pause.Code = core.PausePerson
		svc.Put(d)
		_, body := get(t, h, "/runs/r1")
		for _, action := range []string{"retry", "resume", "skip", "feedback"} {
			if strings.Contains(body, `action="/runs/r1/`+action+`"`) != strings.Contains(want, action) {
				t.Errorf("%+v: %s is offered or missing", advice, action)
			}
		}
	}
	put(can("", core.Choice{Verb: core.VerbRaise, Run: "r1", Limit: core.LimitCost}))
	if _, body := get(t, h, "/runs/r1"); strings.Contains(body, "--max-cost") || strings.Contains(body, "/runs/r1/skip") || !strings.Contains(body, `<a href="/runs/r1/costs#raise">Limits</a> raises it`) {
		t.Error("the page speaks of flags, or offers what was not advised")
	}
	put(can("", about("r1", core.VerbRetry, core.VerbFeedback, core.VerbSkip)...))
	_, body := get(t, h, "/runs/r1")
	for action, offered := range map[string]bool{"skip": true, "retry": true, "rollback": true, "resume": false} {
		if strings.Contains(body, "stellwerk "+action) || strings.Contains(body, `action="/runs/r1/`+action+`"`) != offered {
			t.Fatalf("%s: want %v", action, offered)
		}
	}
	if w := post(h, "/runs/r1/feedback", url.Values{"stage": {"another"}, "text": {"so"}}); w.Code != http.StatusConflict {
		t.Errorf("about what is not paused: %d", w.Code)
	}
	if w := post(h, "/runs/r1/feedback", url.Values{"stage": {"build"}, "text": {"so"}}); w.Code != http.StatusSeeOther || said(t, svc, "feedback") != (api.Feedback{Text: "so"}) {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if w := post(h, "/runs/r1/skip", url.Values{}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("without saying which: %d", w.Code)
	}
	if w := post(h, "/runs/r1/skip", url.Values{"stage": {field(t, body, "stage")}}); w.Code != http.StatusSeeOther {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if req := said(t, svc, "skip"); req != (api.Skip{Stage: "build"}) {
		t.Errorf("the engine was told %+v", req)
	}
}

func can(hint string, choices ...core.Choice) core.Advice {
	return core.Advice{Hint: hint, Choices: choices}
}

func about(run string, verbs ...core.Verb) []core.Choice {
	return (&core.Run{Alias: run}).Choices(verbs...)
}
