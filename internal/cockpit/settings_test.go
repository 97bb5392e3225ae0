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

// office is an engine with hostile content in everything the settings show.
func office() *apitest.Service {
	svc := shelved()
	svc.InfoAnswer = api.Info{Version: evil, State: evil}
	svc.ProjectList = []api.Project{{ID: "p", Name: evil}}
	svc.Shelf.Health = []api.Examined{{What: evil, Grade: api.GradeFail, Found: evil, Advice: evil}, {What: "Space", Grade: api.GradeOK, Found: "much"}}
	svc.Shelf.Roles = []api.RoleEntry{{Name: evil, Origin: evil, Description: evil, Agent: evil, Model: evil, Tools: []string{evil}, Prompt: "</pre>" + evil, Notes: []string{evil}}}
	svc.Shelf.Verdict = api.PlaybookVerdict{
		Problems: []api.PlaybookRemark{{Line: 2, Column: 7, Path: evil, Message: evil, Hint: evil}, {Line: 99, Column: 1, Message: "beyond the end"}},
		Warnings: []api.PlaybookRemark{{Line: 1, Column: 1, Message: evil}},
	}
	svc.Accounts = []api.Account{{Scope: api.ScopeEngine, Allowances: []api.Allowance{{Kind: evil, Used: new(float64(1))}}}, {Scope: api.ScopeProject, Name: evil, Allowances: []api.Allowance{{Kind: api.LimitTokens, Used: new(float64(5))}}}}
	return svc
}

func TestSettings(t *testing.T) {
	h := serve(t, office(), api.RoleViewer)
	for path, want := range map[string]string{
		"/settings":                       "Much",
		"/settings/roles":                 "Tools",
		"/settings/playbooks":             "any stack",
		"/settings/playbooks/own":         "Line 2, column 7",
		"/settings/playbooks/none":        "There is no playbook",
		"/settings/playbooks?project=any": "/settings/playbooks/own?project=any",
	} {
		_, body := get(t, h, path)
		if !strings.Contains(body, want) {
			t.Errorf("%s does not hold %q", path, want)
		}
		harmless(t, path, body)
	}
}

func TestATextIsCheckedAndKept(t *testing.T) {
	svc := office()
	h := serve(t, svc, api.RoleViewer)
	w := post(h, "/settings/playbooks/own", url.Values{"project": {"shop"}, "text": {"name: mine\r\nkind: </textarea>" + evil + "\r\n"}})
	body := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(body, "2 problems") || !strings.Contains(body, "name: mine\nkind: &lt;/textarea&gt;") {
		t.Errorf("%d: %s", w.Code, body)
	}
	harmless(t, "editor", body)
	if req := said(t, svc, "check-playbook"); req != (api.CheckPlaybook{Project: "shop", Text: "name: mine\nkind: </textarea>" + evil + "\n"}) {
		t.Errorf("the engine was asked to check %+v", req)
	}
	svc.On = func(apitest.Call) error { return core.Errorf(core.CodeUnavailable, "the repository cannot be read") }
	w = post(h, "/settings/playbooks/own", url.Values{"text": {"kept: text"}})
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "cannot be read") || !strings.Contains(w.Body.String(), "kept: text") {
		t.Errorf("%d: what was typed is lost", w.Code)
	}
}

func TestATextIsSavedAsAFile(t *testing.T) {
	svc := office()
	h := serve(t, svc, api.RoleViewer)
	for name, file := range map[string]string{"own": "own.yaml", "%22%0d%0aX%3a%20y": "X--y.yaml", "..": "playbook.yaml"} {
		w := post(h, "/settings/playbooks/"+strings.ReplaceAll(name, "..", "%2e%2e%2f")+"/file", url.Values{"text": {"a: 1\r\n"}})
		if w.Code != http.StatusOK || w.Body.String() != "a: 1\n" || w.Header().Get("Content-Disposition") != "attachment; filename="+file ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" || strings.Contains(w.Header().Get("Content-Type"), "html") {
			t.Errorf("%s: %d %v %q", name, w.Code, w.Header(), w.Body)
		}
	}
	if len(svc.Calls()) != 0 {
		t.Errorf("the engine was told: %+v", svc.Calls())
	}
}
