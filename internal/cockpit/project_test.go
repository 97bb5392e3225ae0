package cockpit_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// yard is a project with hostile content in everything that others can write.
func yard() *apitest.Service {
	svc := hostile()
	limit := 2.0
	run := api.Run{ID: "r1", Alias: "r1", Title: evil, Status: "active", Kind: "manager", Stage: evil, URL: "javascript:alert(1)"}
	svc.ProjectAnswer = api.ProjectDetail{
		Project: api.Project{ID: "p", Name: "shop", Repository: evil, Base: evil, Playbook: evil, Status: "paused", Epic: evil, URL: "javascript:alert(1)", Tasks: 4, CompletedTasks: 1},
		Run:     &run, Open: []api.Run{run}, Runs: 99, PausedBy: &core.Standstill{By: evil, Reason: evil},
		Queue: []api.Epic{
			{ID: "epic-1", Project: "shop", Title: evil, Issue: evil, Playbook: evil, Base: evil, By: evil, Place: 1},
			{ID: "epic-2", Project: "shop", Title: evil, Refused: &core.Refusal{Reason: evil, Advice: core.Advice{Hint: evil}}},
		},
	}
	svc.Accounts = []api.Account{{Scope: api.ScopeProject, ID: "p", Name: "shop", Allowances: []api.Allowance{{Kind: api.LimitCost, Used: new(float64(1.9)), Limit: &limit}}}}
	epic := svc.ProjectAnswer.Queue[1]
	svc.Waiting = append(svc.Waiting,
		api.Waiting{Kind: api.WaitEpic, Project: "shop", Reason: evil, Run: api.Run{Alias: "e", Title: evil}, Epic: &epic},
		api.Waiting{Kind: api.WaitReview, Project: "shop", Reason: evil, Run: api.Run{Alias: "r1", Title: evil, URL: "javascript:alert(1)", Branch: evil, CI: evil}},
	)
	return svc
}

// harmless fails where hostile content would be obeyed.
func harmless(t *testing.T, where, body string) {
	t.Helper()
	for _, bad := range []string{"<script>alert", "<img", "onerror=alert(1)>", "javascript:", "\u202e", "\x1b"} {
		if strings.Contains(body, bad) {
			t.Errorf("%s holds %q", where, bad)
		}
	}
}

// said is what the engine was told last.
func said(t *testing.T, svc *apitest.Service, verb string) any {
	t.Helper()
	calls := svc.Calls()
	if len(calls) == 0 || calls[len(calls)-1].Verb != verb {
		t.Fatalf("the engine was told %+v, want %s", calls, verb)
	}
	return calls[len(calls)-1].Req
}

func TestProjectPages(t *testing.T) {
	h := serve(t, yard(), api.RoleAdmin)
	for path, want := range map[string]string{
		"/projects/shop":               "Stellwerk could not start it",
		"/projects/shop?queued=epic-1": "in the queue at position 1",
		"/inbox":                       "/projects/shop/requeue",
		"/runs":                        "Runs",
		"/runs?project=" + url.QueryEscape(evil) + "&status=" + url.QueryEscape(evil): "No matching runs",
		"/add":               "Add the project",
		"/projects/shop/new": "Goal",
	} {
		code, body := get(t, h, path)
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d without %q", path, code, want)
		}
		harmless(t, path, body)
	}
}

func TestWhoMayOnlyLookChangesNoProject(t *testing.T) {
	h := serve(t, yard(), api.RoleViewer)
	for _, path := range []string{"/projects/shop", "/projects/shop/new", "/add", "/inbox"} {
		if _, body := get(t, h, path); strings.Contains(body, `action="/projects`) || strings.Contains(body, `action="/add`) {
			t.Errorf("%s offers a viewer a form", path)
		}
	}
	if _, body := get(t, serve(t, yard(), api.RoleApprover), "/projects/shop"); strings.Contains(body, "/archive") || !strings.Contains(body, "/drop") {
		t.Error("an approver is offered what is an admin's, or not what is theirs")
	}
}

// only is an engine with one project.
type only struct {
	*apitest.Service
	name string
}

func (s only) Project(_ context.Context, id string) (api.ProjectDetail, error) {
	if id != s.name {
		return api.ProjectDetail{}, core.Errorf(core.CodeNotFound, "there is no project %q", id)
	}
	return api.ProjectDetail{Project: api.Project{ID: "p", Name: id}}, nil
}

// TestAProjectCalledAdd is reached by its name; where there is none, the old address
// of the form leads to it.
func TestAProjectCalledAdd(t *testing.T) {
	for name, want := range map[string]string{"add": "", "shop": "/add"} {
		h, err := cockpit.New(only{yard(), name}, cockpit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/projects/add", nil))
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("with a project %s it leads to %q", name, got)
		}
		if want == "" && (w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<h1>add</h1>")) {
			t.Errorf("the project's page is not shown: %d", w.Code)
		}
	}
}

func TestWordsAboutAProject(t *testing.T) {
	svc := yard()
	h := serve(t, svc, api.RoleAdmin)
	for _, tt := range []struct {
		path, verb string
		form       url.Values
		want       any
	}{
		{"pause", "pause-project", url.Values{"reason": {"holidays"}}, api.PauseProject{Reason: "holidays"}},
		{"resume", "resume-project", nil, api.ResumeProject{}},
		{"archive", "archive-project", nil, api.ArchiveProject{}},
		{"drop", "drop-epic", url.Values{"epic": {"epic-1"}}, api.DropEpic{Epic: "epic-1"}},
		{"requeue", "requeue-epic", url.Values{"epic": {"epic-2"}}, api.RequeueEpic{Epic: "epic-2"}},
	} {
		w := post(h, "/projects/shop/"+tt.path, tt.form)
		if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/projects/shop") {
			t.Errorf("%s: %d to %q", tt.path, w.Code, w.Header().Get("Location"))
		}
		if got := said(t, svc, tt.verb); got != tt.want {
			t.Errorf("%s: %+v", tt.path, got)
		}
	}
	before := len(svc.Calls())
	for _, path := range []string{"drop", "requeue"} { // no epic would mean all of them
		if w := post(h, "/projects/shop/"+path, nil); w.Code != http.StatusUnprocessableEntity || len(svc.Calls()) != before {
			t.Errorf("%s without an epic: %d", path, w.Code)
		}
	}
}

func TestWhatWasTypedIsKept(t *testing.T) {
	svc := yard()
	svc.On = func(apitest.Call) error {
		return core.Errorf(core.CodeNotFound, "there is no such repository").WithHint("look again")
	}
	form := url.Values{"repository": {"/srv/" + evil}, "name": {"my-name"}, "playbook": {"my-playbook"}, "base": {"my-base"}}
	w := post(serve(t, svc, api.RoleAdmin), "/add", form)
	body := w.Body.String()
	if w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
	for _, want := range []string{"There is no such repository", "Look again", "my-name", "my-playbook", "my-base", "/srv/&lt;script"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is lost", want)
		}
	}
	harmless(t, "add", body)
	svc.On = nil
	if w := post(serve(t, svc, api.RoleAdmin), "/add", form); w.Header().Get("Location") != "/projects/shop" {
		t.Errorf("led to %q", w.Header().Get("Location"))
	}
	if req := said(t, svc, "add-project"); req != (api.AddProject{Repository: "/srv/" + evil, Name: "my-name", Playbook: "my-playbook", Base: "my-base"}) {
		t.Errorf("%+v", req)
	}
}

func TestPagesOfTheList(t *testing.T) {
	svc := &apitest.Service{ProjectList: []api.Project{{ID: "p", Name: "shop"}}}
	for i := range 120 {
		status := core.StatusCompleted
		if i%2 == 1 {
			status = core.StatusFailed
		}
		svc.Put(api.RunDetail{Run: api.Run{ID: fmt.Sprintf("id%03d", i), Alias: fmt.Sprintf("run%03d", i), Title: "t", Status: status, Project: "p"}})
	}
	h := serve(t, svc, api.RoleViewer)
	_, body := get(t, h, "/runs")
	if n := strings.Count(body, `class="runrow"`); n != 50 || !strings.Contains(body, "/runs?before=id070") || strings.Contains(body, "Newest") {
		t.Errorf("%d runs on the first page", n)
	}
	_, body = get(t, h, "/runs?before=id020")
	if n := strings.Count(body, `class="runrow"`); n != 20 || strings.Contains(body, "Older") || !strings.Contains(body, `href="/runs">Newest`) {
		t.Errorf("%d runs on the last page", n)
	}
	_, body = get(t, h, "/runs?status=failed")
	if strings.Contains(body, "run118") || !strings.Contains(body, "run119") || !strings.Contains(body, "before=id021&amp;status=failed") {
		t.Error("the filter does not filter, or is lost on the next page")
	}
}

// A project is in the same words on every page, and they are true of all its runs.
func TestHowAProjectStandsIsSaidEverywhere(t *testing.T) {
	for state, words := range map[api.ProjectState]string{
		api.ProjectFree: "free", api.ProjectRunning: "running", api.ProjectWaiting: "waiting for you", api.ProjectPaused: "paused", "awaiting_review": "in review", "completed": "completed",
	} {
		p := api.Project{ID: "p", Name: "shop", Status: "active", State: state}
		svc := &apitest.Service{ProjectList: []api.Project{p}, ProjectAnswer: api.ProjectDetail{Project: p, Runs: 2, Open: []api.Run{{ID: "r1", Alias: "r1", Status: "paused"}}}}
		h := serve(t, svc, api.RoleApprover)
		for _, address := range []string{"/", "/projects/shop"} {
			if _, body := get(t, h, address); !strings.Contains(body, "</span>"+words+"</span>") {
				t.Errorf("%s does not say that the project is %s", address, words)
			}
		}
		if _, body := get(t, h, "/projects/shop"); strings.Contains(body, "No work yet") || !strings.Contains(body, "1 run is open, below") {
			t.Error("the page does not see the runs that it lists")
		}
	}
}

// TestAProjectThatHasWorkedHasGoals: also when nothing of it is open any more.
func TestAProjectThatHasWorkedHasGoals(t *testing.T) {
	for tasks, want := range map[int]string{0: "No goal yet", 3: `<a href="/runs?project=shop">Its runs</a>`} {
		svc := &apitest.Service{ProjectList: []api.Project{{ID: "p", Name: "shop", State: api.ProjectFree, Tasks: tasks}}}
		if _, body := get(t, serve(t, svc, api.RoleViewer), "/"); !strings.Contains(body, want) {
			t.Errorf("with %d tasks the page does not say %q", tasks, want)
		}
	}
}
