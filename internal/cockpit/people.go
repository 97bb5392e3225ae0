package cockpit

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// peopleBody is who may reach the engine, by their tokens.
type peopleBody struct {
	Tokens  []api.Token // that let people in
	Revoked []api.Token
	Roles   []api.Role
	Form    api.AddToken
	New     *api.NewToken // with its secret, shown this once
}

func (c *cockpit) peopleWith(r *http.Request, body peopleBody) (page, error) {
	body.Roles = api.Roles()
	p := page{Name: "people", Title: "People", Nav: "settings", Still: true}
	if !api.CallerFrom(r.Context()).May(api.RoleAdmin) {
		p.Body = body
		return p, nil
	}
	tokens, err := c.svc.Tokens(r.Context())
	if err != nil {
		return page{}, err
	}
	for _, t := range tokens {
		if t.RevokedAt == nil {
			body.Tokens = append(body.Tokens, t)
		} else {
			body.Revoked = append(body.Revoked, t)
		}
	}
	slices.Reverse(body.Revoked)
	p.Body = body
	return p, nil
}

func (c *cockpit) addToken(r *http.Request) (page, string, error) {
	req := api.AddToken{Name: strings.TrimSpace(r.PostForm.Get("name")), Role: api.Role(r.PostForm.Get("role"))}
	token, err := c.svc.AddToken(r.Context(), req)
	if err != nil {
		p, failed := c.peopleWith(r, peopleBody{Form: req})
		return refused(p, err), "", failed
	}
	p, err := c.peopleWith(r, peopleBody{New: &token})
	return p, "", err
}

func (c *cockpit) revokeToken(r *http.Request) (string, error) {
	_, err := c.svc.RevokeToken(r.Context(), r.PathValue("token"), api.RevokeToken{})
	return "/settings/people", err
}
