package cockpit_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// shelved is a project with playbooks to choose from.
func shelved() *apitest.Service {
	svc := yard()
	svc.Shelf.Playbooks = []api.PlaybookSource{
		{PlaybookEntry: api.PlaybookEntry{Name: "own", Origin: evil, Description: evil, Chosen: true}, Text: evil},
		{PlaybookEntry: api.PlaybookEntry{Name: "broken", Origin: evil, Problem: evil}},
		{PlaybookEntry: api.PlaybookEntry{Name: "feature", Origin: "builtin", Description: "any stack"}},
	}
	svc.TrustAnswer = api.Trusted{Hash: "hash-1", Files: []string{evil}, Content: evil}
	return svc
}

// untrusted refuses starts until the hash was confirmed.
func untrusted(svc *apitest.Service) {
	trusted := false
	svc.On = func(c apitest.Call) error {
		switch req := c.Req.(type) {
		case api.Trust:
			if req.Confirm != "" && req.Confirm != svc.TrustAnswer.Hash {
				return core.Errorf(core.CodeConflict, "the content changed since you looked at it")
			}
			trusted = trusted || req.Confirm != ""
		case api.StartRun:
			if !trusted {
				return core.Errorf(core.CodeUntrusted, "nobody has trusted it")
			}
		}
		return nil
	}
}

func TestAnEpicIsStarted(t *testing.T) {
	svc := shelved()
	w := post(serve(t, svc, api.RoleAdmin), "/projects/shop/new", url.Values{
		"goal": {" Say\r\nhello "}, "title": {"Hello"}, "issue": {"7"}, "playbook": {"feature"}, "base": {"dev"}, "yes": {"on"},
		"hours": {"1.5"}, "cost": {"$2"}, "attempts": {"4"}, "tokens": {"1000"}, "isolation": {"none"}, "tier": {"fast"}, "coverage": {"80"},
	})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/runs/r1" {
		t.Fatalf("%d to %q: %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	req, _ := said(t, svc, "start").(api.StartRun)
	if req.Limits == nil || *req.Limits != (core.Limits{Attempts: 4, WallTime: 90 * time.Minute, CostUSD: 2, Tokens: 1000}) {
		t.Errorf("limits %+v", req.Limits)
	}
	req.Limits = nil
	if req != (api.StartRun{
		Project: "shop", Goal: "Say\nhello", Title: "Hello", Issue: "7", Playbook: "feature", Base: "dev", Yes: true, Isolation: "none",
		Options: core.Options{ModelTier: "fast", Coverage: 80},
	}) {
		t.Errorf("%+v", req)
	}
}

func TestWhatIsLeftOutAsksForNoRights(t *testing.T) {
	svc := shelved()
	post(serve(t, svc, api.RoleApprover), "/projects/shop/new", url.Values{"goal": {"x"}, "hours": {""}, "isolation": {""}})
	if req := said(t, svc, "start"); req != (api.StartRun{Project: "shop", Goal: "x"}) {
		t.Errorf("%+v", req)
	}
}

func TestBadNumbersAreSaidBesideTheForm(t *testing.T) {
	svc := shelved()
	h := serve(t, svc, api.RoleAdmin)
	for field, value := range map[string]string{
		"goal": "  ", "hours": "-1", "cost": "NaN", "attempts": "1.5", "tokens": "many", "coverage": "101",
	} {
		form := url.Values{"goal": {"kept " + evil}, "title": {"kept-title"}, "playbook": {"feature"}}
		form.Set(field, value)
		w := post(h, "/projects/shop/new", form)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "kept-title") || !strings.Contains(w.Body.String(), `role="alert"`) {
			t.Errorf("%s %q: %d", field, value, w.Code)
		}
		harmless(t, field, w.Body.String())
	}
	if len(svc.Calls()) != 0 {
		t.Errorf("the engine was asked: %+v", svc.Calls())
	}
}

func TestAQueuedGoalLeadsToTheQueue(t *testing.T) {
	svc := shelved()
	svc.StartAnswer = &api.Run{Status: api.StatusQueued, Epic: &api.Epic{ID: "epic-1", Project: "shop", Place: 1}}
	w := post(serve(t, svc, api.RoleApprover), "/projects/shop/new", url.Values{"goal": {"x"}})
	if w.Header().Get("Location") != "/projects/shop?queued=epic-1#queue" {
		t.Errorf("led to %q", w.Header().Get("Location"))
	}
}

func TestRemarksOfAStartAreRead(t *testing.T) {
	svc := shelved()
	svc.StartAnswer = &api.Run{Alias: "r9", Title: evil, Warnings: []string{"uncommitted " + evil}}
	body := post(serve(t, svc, api.RoleApprover), "/projects/shop/new", url.Values{"goal": {"x"}}).Body.String()
	if !strings.Contains(body, "uncommitted") || !strings.Contains(body, "/runs/r9") {
		t.Error("the remarks are lost")
	}
	harmless(t, "started", body)
}

func TestWhatIsTrustedIsWhatWasShown(t *testing.T) {
	svc := shelved()
	untrusted(svc)
	h := serve(t, svc, api.RoleAdmin)
	form := url.Values{"goal": {"kept-goal"}, "playbook": {"own"}, "base": {"dev"}}
	w := post(h, "/projects/shop/new", form)
	body := w.Body.String()
	if w.Code != http.StatusPreconditionRequired || !strings.Contains(body, `name="confirm" value="hash-1"`) || !strings.Contains(body, "kept-goal") {
		t.Errorf("%d: %s", w.Code, body)
	}
	harmless(t, "trust", body)
	svc.TrustAnswer.Hash = "hash-2" // somebody commits meanwhile
	form.Set("confirm", "hash-1")
	body = post(h, "/projects/shop/new", form).Body.String()
	if !strings.Contains(body, "changed since you looked") || !strings.Contains(body, `value="hash-2"`) {
		t.Error("what has changed is not shown again")
	}
	form.Set("confirm", "hash-2")
	if w := post(h, "/projects/shop/new", form); w.Header().Get("Location") != "/runs/r1" {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	for _, c := range svc.Calls() {
		if req, ok := c.Req.(api.StartRun); ok && req.Trust {
			t.Error("the start trusts whatever is there")
		}
		if req, ok := c.Req.(api.Trust); ok && (req.Project != "shop" || req.Playbook != "own" || req.Base != "dev") {
			t.Errorf("something else was trusted: %+v", req)
		}
	}
}

func TestOnlyAnAdminIsAskedToTrust(t *testing.T) {
	svc := shelved()
	untrusted(svc)
	body := post(serve(t, svc, api.RoleApprover), "/projects/shop/new", url.Values{"goal": {"kept-goal"}}).Body.String()
	if strings.Contains(body, "confirm") || !strings.Contains(body, "An admin has to read and trust it") || !strings.Contains(body, "kept-goal") {
		t.Error("an approver is asked to trust, or not told who is")
	}
}

func TestNobodyTrustsWhatTheyCannotSee(t *testing.T) {
	svc := shelved()
	svc.TrustAnswer.Content = strings.Repeat("x", 500_000)
	untrusted(svc)
	body := post(serve(t, svc, api.RoleAdmin), "/projects/shop/new", url.Values{"goal": {"x"}}).Body.String()
	if strings.Contains(body, `name="confirm"`) || !strings.Contains(body, "too long to be read here") {
		t.Error("a part is shown and the whole trusted")
	}
}
