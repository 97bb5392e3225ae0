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

// TestAdviceLeadsToPages: what the engine tells people to type is a link where a
// page does the same, and stays what it is where none does.
func TestAdviceLeadsToPages(t *testing.T) {
	svc := reviewed(smallDiff)
	h := serve(t, svc, api.RoleAdmin)
	for hint, want := range map[string]string{
		"see `stellwerk status r1`":                                      `See <a href="/runs/r1">the run</a>`,
		"raise it: `stellwerk resume r1 --max-cost USD --max-tokens N`":  `Raise it: <a href="/runs/r1/costs#raise">Limits</a>`,
		"`stellwerk resume r1` tries again":                              `<a href="/runs/r1#gate">Resume</a> tries again`,
		"take it over with `stellwerk resume r1 --session`":              `Take it over with <code>stellwerk resume r1 --session</code>`,
		"look again: `stellwerk diff r1`":                                `Look again: <a href="/runs/r1/changes">the changes</a>`,
		"say it with `stellwerk feedback r1 \"…\"`":                      `Say it with <a href="/runs/r1#gate">Send it back</a>`,
		"`stellwerk cancel RUN` ends one":                                `<code>stellwerk cancel RUN</code> ends one`,
		"`stellwerk status` lists the runs":                              `<a href="/runs">The runs</a> lists the runs`,
		"`stellwerk projects resume shop` lets it go on":                 `<a href="/projects/shop">Resume</a> lets it go on`,
		"`stellwerk projects drop shop EPIC` takes one out":              `<a href="/projects/shop#queue">Drop</a> takes one out`,
		"`stellwerk projects --all` lists them":                          `<a href="/?all">The projects</a> lists them`,
		"`limits.cost` in your settings":                                 `<code>limits.cost</code> in your settings`,
		"`stellwerk status ../../" + evil + "`":                          `href="/runs/..%2F..%2F%3Cscript%3Ealert%281%29%3C%2Fscript%3E%3Cimg"`,
		"`stellwerk frobnicate <img src=x onerror=alert(1)>` " + evil:    `<code>stellwerk frobnicate &lt;img src=x onerror=alert(1)&gt;</code>`,
		"`stellwerk retry r1` or `stellwerk skip r1` or `stellwerk x r1": `<a href="/runs/r1#gate">Try again</a> or <a href="/runs/r1#gate">Skip</a> or <code>stellwerk x r1</code>`,
	} {
		svc.On = func(apitest.Call) error { return core.Errorf(core.CodeConflict, "no").WithHint("%s", hint) }
		w := post(h, "/runs/r1/retry", url.Values{})
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: there is no %s", hint, want)
		}
		harmless(t, hint, w.Body.String())
	}
}

// TestAPausedRunOffersWhatItAdvises: its page has the buttons that its advice names.
func TestAPausedRunOffersWhatItAdvises(t *testing.T) {
	svc := reviewed(smallDiff)
	put := func(next string) {
		run := api.Run{ID: "r1", Alias: "r1", Status: string(core.StatusPaused), Reason: "used up", Next: next, Stage: "another"}
		svc.Put(api.RunDetail{Run: run, Pause: &core.Pause{Stage: "build", Next: next}})
	}
	h := serve(t, svc, api.RoleApprover)
	for next, want := range map[string]string{"": "retry resume", "look with `stellwerk replay`": "retry resume", "then `stellwerk resume r1`": "resume", "`stellwerk projects resume shop`": ""} {
		put(next)
		_, body := get(t, h, "/runs/r1")
		for _, action := range []string{"retry", "resume", "skip", "feedback"} {
			if strings.Contains(body, `action="/runs/r1/`+action+`"`) != (want != "" && strings.Contains(" "+want+" ", " "+action+" ")) {
				t.Errorf("%q: %s is offered or missing", next, action)
			}
		}
	}
	put("`stellwerk resume r1 --max-cost USD` raises it")
	if _, body := get(t, h, "/runs/r1"); strings.Contains(body, "--max-cost") || strings.Contains(body, "/runs/r1/skip") || !strings.Contains(body, `<a href="/runs/r1/costs#raise">Limits</a> raises it`) {
		t.Error("the page speaks of flags, or offers what was not advised")
	}
	put("`stellwerk retry r1`, `stellwerk feedback r1 \"…\"` or `stellwerk skip r1`")
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
