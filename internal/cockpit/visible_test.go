package cockpit_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// unseen are characters that a page does not show: a flag made of tags, a mark that
// turns the direction of writing, a space without width, and controls.
const unseen = "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F a\u200fb a\u200bb \x01\x1b \u0085\u0099"

// fieldAs is a field of a page as a browser would send it.
func fieldAs(t *testing.T, page, name string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		of := map[string]string{}
		for _, a := range n.Attr {
			of[a.Key] = a.Val
		}
		switch {
		case n.Data == "textarea" && of["name"] == name:
			return n.FirstChild.Data
		case n.Data == "input" && of["name"] == name:
			return of["value"]
		}
	}
	t.Fatalf("there is no field %s", name)
	return ""
}

// TestWhatComesBackIsWhatWasSent: characters that pages do not show are still those
// that were meant where a form sends them back.
func TestWhatComesBackIsWhatWasSent(t *testing.T) {
	svc := hostile()
	svc.ProjectAnswer.Name = "shop"
	h := serve(t, svc, api.RoleAdmin)
	body := post(h, "/projects/shop/new", url.Values{"goal": {unseen}, "title": {unseen}, "hours": {"none"}}).Body.String()
	for _, name := range []string{"goal", "title"} {
		if got := fieldAs(t, body, name); got != unseen {
			t.Errorf("the %s comes back as %+q", name, got)
		}
	}
	subject := core.Subject{Stage: "build", Round: 1, Commit: "abc", Base: "main\u200b", Ref: "refs/heads/\u202ex"}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Title: unseen, Status: core.StatusAwaiting, Stage: "build"}, Gate: &core.Gate{Subject: subject}})
	_, body = get(t, h, "/runs/r1")
	if strings.ContainsAny(body, "\u200b\u200f\u202e\x1b\U000E0067") {
		t.Error("the page has characters that it does not show")
	}
	if w := post(h, "/runs/r1/approve", url.Values{"subject": {fieldAs(t, body, "subject")}}); w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	calls := svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.Approve); !ok || req.Subject == nil || *req.Subject != subject {
		t.Errorf("approved was %+q", calls[len(calls)-1].Req)
	}
}

// TestAFieldHidesNothingBesideIt: only the text of a field is left as it is, however
// others imitate one.
func TestAFieldHidesNothingBesideIt(t *testing.T) {
	trick := "x value=\u202e\" value=\"\u202e <textarea>\u202e value="
	svc := &apitest.Service{ProjectList: []api.Project{{ID: "p", Name: "p", Epic: trick, Reason: trick}}}
	said, err := json.Marshal(trick)
	if err != nil {
		t.Fatal(err)
	}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Title: trick, Branch: string(said), Reason: trick}, Goal: trick, Stages: []api.Stage{{ID: "a", Title: trick}}})
	h := serve(t, svc, api.RoleAdmin)
	for _, path := range []string{"/", "/runs", "/runs/r1", "/runs/r1/timeline"} {
		code, body := get(t, h, path)
		if code != http.StatusOK || strings.Contains(body, "\u202e") || strings.Contains(body, "&#8238;") || !strings.Contains(body, "\ufffd") {
			t.Errorf("%s: %d: %s", path, code, body)
		}
	}
}
