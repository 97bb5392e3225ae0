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

// Without a script a refusal is a page of its own: what was written is on it, and
// what it was about, so that it can be sent again where that may help.
func TestARefusedWordIsShownAgain(t *testing.T) {
	const shown = `{"stage":"build","round":1,"delivery":"","commit":"abc"}`
	sent := url.Values{"text": {"Name the </textarea><b>platform"}, "subject": {shown}, "back": {"/inbox"}, "proof": {"secret"}}
	for _, c := range []struct {
		name  string
		why   error
		again bool
	}{
		{"busy", core.Errorf(core.CodeUnavailable, "The engine ends"), true},
		{"changed", core.Errorf(core.CodeConflict, "Something else waits now"), false},
	} {
		svc := hostile()
		svc.On = func(apitest.Call) error { return c.why }
		w := post(serve(t, svc, api.RoleApprover), "/runs/r1/feedback", sent)
		body := w.Body.String()
		for _, want := range []string{c.why.Error(), "Name the &lt;/textarea&gt;&lt;b&gt;platform</textarea>", `action="/runs/r1/feedback"`, `href="/inbox">Look at the page again`, "&#34;commit&#34;:&#34;abc&#34;"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %d without %s: %s", c.name, w.Code, want, body)
			}
		}
		if strings.Contains(body, "Send it again") != c.again || strings.Contains(body, "secret") || w.Code == http.StatusOK {
			t.Errorf("%s: %d %s", c.name, w.Code, body)
		}
	}
	if w := post(serve(t, hostile(), api.RoleApprover), "/runs/none/feedback", url.Values{}); strings.Contains(w.Body.String(), "<textarea") {
		t.Error("a form is shown where nothing was written")
	}
}
