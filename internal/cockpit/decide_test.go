package cockpit_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Wherever there is a button to approve, what it is about stands beside it:
// commit, ref and remote.
func TestWhatIsApprovedIsShown(t *testing.T) {
	svc := &apitest.Service{Documents: map[string]string{"diff": smallDiff}}
	gate := &core.Gate{Subject: core.Subject{Stage: "publish", Round: 1, Commit: "0123456789abcdef", Ref: "refs/heads/work", Remote: "https://example.org/shop.git", Base: "trunk"}}
	d := api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Status: "awaiting_approval", Stage: "publish"}, Gate: gate}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: gate}}
	h := serve(t, svc, api.RoleApprover)
	for _, path := range []string{"/inbox", "/runs/r1", "/runs/r1/changes"} {
		_, body := get(t, h, path)
		if !strings.Contains(body, "Approve and publish") {
			t.Errorf("%s has no button: %s", path, body)
		}
		for _, shown := range []string{"0123456789", "work", "https://example.org/shop.git", "trunk"} {
			if !strings.Contains(body, "<code>"+shown+"</code>") {
				t.Errorf("%s does not show %s", path, shown)
			}
		}
	}
}

func TestTheInboxWhileSomebodyElseDecides(t *testing.T) {
	svc := &apitest.Service{}
	d := api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Title: "Greet", Status: "active"}}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: &core.Gate{Subject: core.Subject{Commit: "abc"}}}}
	if code, body := get(t, serve(t, svc, api.RoleApprover), "/inbox"); code != http.StatusOK || strings.Contains(body, "/approve") {
		t.Errorf("%d %s", code, body)
	}
}

// Names that look the same, or like nothing, are told apart.
func TestLettersWithoutAShapeAreShown(t *testing.T) {
	for _, r := range "\u00ad\u115f\u1160\u180e\u200b\u2060\u2063\u3164\ufeff\uffa0\ufff9\U000e0041\U000e0100" {
		svc := &apitest.Service{}
		svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Title: "pay" + string(r) + "ment"}})
		if _, body := get(t, serve(t, svc, api.RoleViewer), "/runs/r1"); strings.ContainsRune(body, r) || !strings.Contains(body, "pay\ufffdment") {
			t.Errorf("U+%04X stays unseen", r)
		}
	}
}

// TestLeaksAreShownBesideTheButton: and said yes to with a tick, which nobody sends
// by accident.
func TestLeaksAreShownBesideTheButton(t *testing.T) {
	svc := &apitest.Service{Documents: map[string]string{"diff": smallDiff}}
	gate := &core.Gate{
		Subject: core.Subject{Stage: "publish", Round: 1, Commit: "0123456789abcdef", Ref: "refs/heads/work", Base: "trunk"},
		Leaks:   []core.Leak{{Rule: "github-token", File: "a<b>.env", Line: 7}},
	}
	d := api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Status: "awaiting_approval", Stage: "publish"}, Gate: gate}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: gate}}
	h := serve(t, svc, api.RoleApprover)
	for _, path := range []string{"/inbox", "/runs/r1", "/runs/r1/changes"} {
		_, body := get(t, h, path)
		for _, shown := range []string{"a&lt;b&gt;.env:7: github-token", `type="checkbox" name="with_secrets"`} {
			if !strings.Contains(body, shown) {
				t.Errorf("%s does not show %s", path, shown)
			}
		}
		if strings.Contains(body, `name="with_secrets" value="yes" checked`) {
			t.Errorf("%s says yes by itself", path)
		}
	}
	gate.Leaks = nil
	if _, body := get(t, h, "/runs/r1"); strings.Contains(body, "with_secrets") {
		t.Error("a gate without finds asks about them")
	}
}
