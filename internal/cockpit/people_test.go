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

func door() *apitest.Service {
	at := time.Now()
	return &apitest.Service{Access: apitest.Access{
		Secret: "the-secret",
		Tokens: []api.Token{
			{ID: "t1", Name: evil, Role: api.RoleViewer, CreatedBy: evil, UsedAt: &at},
			{ID: "t2", Name: "gone", Role: api.RoleAdmin, RevokedAt: &at, RevokedBy: evil},
		},
	}}
}

func TestPeople(t *testing.T) {
	svc := door()
	h := serve(t, svc, api.RoleAdmin)
	_, body := get(t, h, "/settings/people")
	harmless(t, "people", body)
	if !strings.Contains(body, "/settings/people/t1/revoke") || strings.Contains(body, "/settings/people/t2/revoke") || strings.Contains(body, "the-secret") {
		t.Error("not what can be revoked, or a secret")
	}
	w := post(h, "/settings/people", url.Values{"name": {" grace "}, "role": {"approver"}})
	if w.Code != http.StatusOK || strings.Count(w.Body.String(), "the-secret") != 1 || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d: the secret is not shown once", w.Code)
	}
	if req := said(t, svc, "add-token"); req != (api.AddToken{Name: "grace", Role: api.RoleApprover}) {
		t.Errorf("%+v", req)
	}
	if w := post(h, "/settings/people/t1/revoke", nil); w.Header().Get("Location") != "/settings/people" || svc.Calls()[1].Run != "t1" {
		t.Errorf("%d: %+v", w.Code, svc.Calls())
	}
	svc.On = func(apitest.Call) error { return core.Errorf(core.CodeConflict, "that name is taken") }
	body = post(h, "/settings/people", url.Values{"name": {"kept-name"}, "role": {"admin"}}).Body.String()
	if !strings.Contains(body, "kept-name") || !strings.Contains(body, "That name is taken") || !strings.Contains(body, "<option selected>admin") || strings.Contains(body, "the-secret") {
		t.Errorf("what was typed is lost: %s", body)
	}
}

func TestPeopleAreAnAdminsToSee(t *testing.T) {
	_, body := get(t, serve(t, door(), api.RoleApprover), "/settings/people")
	if strings.Contains(body, "revoke") || strings.Contains(body, "gone") || !strings.Contains(body, "an admin") {
		t.Error("an approver sees who may come in")
	}
}
