package cockpit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// evil is what an agent or a repository may write into any field.
const evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp.exe\x1b[31m"

func serve(t *testing.T, svc *apitest.Service, role api.Role) http.Handler {
	t.Helper()
	return serveWith(t, svc, role, sqlitetest.New(t))
}

func serveWith(t *testing.T, svc *apitest.Service, role api.Role, docs store.Documents) http.Handler {
	t.Helper()
	h, err := cockpit.New(svc, cockpit.Options{Version: "test", Home: "/home/ada", Documents: docs, Painting: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(api.WithCaller(r.Context(), api.Caller{Actor: core.Person("ada"), Role: role})))
	})
}

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func post(h http.Handler, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func hostile() *apitest.Service {
	svc := &apitest.Service{ProjectList: []api.Project{{ID: "p", Name: "p", Epic: evil, Reason: evil, Status: "paused"}}}
	svc.ProjectAnswer.Name = evil
	gate := &core.Gate{Subject: core.Subject{Stage: "build", Round: 1, Commit: "abc", Ref: evil}, Notices: []string{evil}}
	d := api.RunDetail{
		Run:  api.Run{ID: "r1", Alias: "r1", Title: evil + strings.Repeat("x", 10_000), Status: "awaiting_approval", Stage: "build", Branch: evil, Reason: evil},
		Goal: evil + "\n\n[link](javascript:alert(1)) ![image](https://example.org/x.png)", Gate: gate,
		Stages: []api.Stage{{ID: "build", Title: evil, Status: "gated", Gate: "approval", Tasks: []api.Task{{
			ID: "build.r1", Role: evil, Status: "done", Prompt: evil,
			Attempts: []api.Attempt{{ID: "a", N: 1, Summary: evil, Results: []core.CheckResult{{Check: evil, Detail: evil}}}},
		}}}},
	}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Project: evil, Reason: evil, Run: d.Run, Gate: gate}}
	return svc
}

// staysText asks for a page that shows what somebody hostile wrote: it is there as
// text, and obeyed nowhere. Where another status than OK is wanted, nothing of it
// needs to be there.
func staysText(t *testing.T, h http.Handler, path string, want, most int) {
	t.Helper()
	code, body := get(t, h, path)
	if code != want {
		t.Errorf("%s: %d, want %d: %.300s", path, code, want, body)
	}
	if want == http.StatusOK && !strings.Contains(body, "&lt;script&gt;alert(1)") {
		t.Errorf("%s does not show what was written", path)
	}
	for _, bad := range []string{"<script>alert", "<img", "<svg onload", "onerror=alert(1)>", `="javascript:`, "\u202e", "\x1b", `style="`} {
		if strings.Contains(body, bad) {
			t.Errorf("%s holds %q", path, bad)
		}
	}
	if len(body) > most {
		t.Errorf("%s has %d bytes", path, len(body))
	}
}

func TestHostileContentStaysText(t *testing.T) {
	h := serve(t, hostile(), api.RoleAdmin)
	for path, want := range map[string]int{
		"/": http.StatusOK, "/inbox": http.StatusOK, "/runs/r1": http.StatusOK, "/runs/none": http.StatusNotFound, "/nowhere": http.StatusNotFound,
	} {
		staysText(t, h, path, want, 200_000)
	}
}

func TestApprovalIsBoundToWhatWasShown(t *testing.T) {
	svc := hostile()
	h := serve(t, svc, api.RoleApprover)
	if w := post(h, "/runs/r1/approve", url.Values{}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("without saying what was shown: %d", w.Code)
	}
	shown := `{"stage":"build","round":1,"delivery":"","commit":"abc"}`
	w := post(h, "/runs/r1/approve", url.Values{"subject": {shown}, "back": {"//evil.example/"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/runs/r1" {
		t.Errorf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	req, ok := svc.Calls()[len(svc.Calls())-1].Req.(api.Approve)
	if !ok || req.Subject == nil || req.Subject.Commit != "abc" {
		t.Errorf("the engine was told %+v", req)
	}
}

func TestAnotherTargetBranchIsPassedOn(t *testing.T) {
	svc := hostile()
	h := serve(t, svc, api.RoleApprover)
	shown := `{"stage":"publish","round":1,"delivery":"","commit":"abc","ref":"refs/heads/feature/x","base":"main"}`
	post(h, "/runs/r1/approve", url.Values{"subject": {shown}, "base": {"develop"}})
	if req, ok := svc.Calls()[len(svc.Calls())-1].Req.(api.Approve); !ok || req.Base != "develop" {
		t.Errorf("the engine was told %+v", req)
	}
}

func TestWhoMayOnlyLookSeesNoButtons(t *testing.T) {
	svc := hostile()
	if _, body := get(t, serve(t, svc, api.RoleViewer), "/runs/r1"); strings.Contains(body, "/approve") {
		t.Error("a viewer is offered to approve")
	}
	if _, body := get(t, serve(t, svc, api.RoleApprover), "/runs/r1"); !strings.Contains(body, "/approve") {
		t.Error("an approver is not offered to approve")
	}
}

func TestThePartAlone(t *testing.T) {
	h := serve(t, hostile(), api.RoleAdmin)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Stellwerk-Part", "main")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if strings.Contains(w.Body.String(), "<html") || !strings.Contains(w.Body.String(), `id="page"`) {
		t.Errorf("the part is not the part: %.200s", w.Body)
	}
}

// TestPagesStaySmall holds what others wrote, and how much there is of it, to sizes
// that a browser can take.
func TestPagesStaySmall(t *testing.T) {
	words := strings.Repeat("wörd ", 400)
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "shop"
	d := api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Title: words, Branch: words, Base: words, Status: core.StatusActive}}
	for i := range 500 {
		d.Stages = append(d.Stages, api.Stage{ID: fmt.Sprint("s", i), Title: words, Status: core.StageGated, Gate: core.GateApproval, Tasks: []api.Task{
			{ID: fmt.Sprint("s", i, ".r1"), Name: words, Role: words, Attempts: []api.Attempt{{N: 1}, {N: 2}}},
		}})
	}
	svc.Put(d)
	gate := &core.Gate{Subject: core.Subject{Stage: "s1"}}
	for range 3000 {
		svc.Waiting = append(svc.Waiting, api.Waiting{Kind: api.WaitApproval, Reason: words, Project: "shop", Run: d.Run, Gate: gate})
		svc.ProjectAnswer.Open = append(svc.ProjectAnswer.Open, d.Run)
	}
	h := serve(t, svc, api.RoleAdmin)
	for _, path := range []string{"/", "/inbox", "/inbox?from=50", "/projects/shop", "/runs", "/runs/r1", "/runs/r1/graph"} {
		if code, body := get(t, h, path); code != http.StatusOK || len(body) > 1200_000 {
			t.Errorf("%s: %d, %d bytes", path, code, len(body))
		}
	}
}

// TestTheInboxPageByPage shows each thing that waits once.
func TestTheInboxPageByPage(t *testing.T) {
	svc := &apitest.Service{}
	for i := range 120 {
		d := api.RunDetail{Run: api.Run{ID: fmt.Sprint("r", i), Alias: fmt.Sprint("r", i), Title: fmt.Sprintf("Goal %d.", i)}, Pause: &core.Pause{}}
		svc.Put(d)
		svc.Waiting = append(svc.Waiting, api.Waiting{Kind: api.WaitPause, Pause: d.Pause, Run: d.Run})
	}
	h := serve(t, svc, api.RoleApprover)
	seen := ""
	for next := "/inbox"; next != ""; {
		code, body := get(t, h, next)
		if code != http.StatusOK || strings.Count(body, `<li class="card item"`) > 50 || !strings.Contains(body, "120 in all") || !strings.Contains(body, `name="back" value="`+next+`"`) {
			t.Fatalf("%s: %d: %s", next, code, body)
		}
		seen += body
		_, after, _ := strings.Cut(body, `rel="next"`)
		before, _, _ := strings.Cut(body, `" rel="next"`)
		if next = ""; after != "" {
			next = before[strings.LastIndex(before, `href="`)+len(`href="`):]
		}
	}
	for i := range 120 {
		if n := strings.Count(seen, fmt.Sprintf("Goal %d.", i)); n != 1 {
			t.Errorf("goal %d is shown %d times", i, n)
		}
	}
	for _, odd := range []string{"/inbox?from=-1", "/inbox?from=120", "/inbox?from=x", "/inbox?from=99999999999999999999"} {
		if code, body := get(t, h, odd); code != http.StatusOK || !strings.Contains(body, "Goal 0.") {
			t.Errorf("%s: %d", odd, code)
		}
	}
}
