package cockpit

import (
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// settingsBody is how the engine stands, and what it is held to.
type settingsBody struct {
	Info     api.Info
	Health   []api.Examined
	Accounts []accountView // of the engine and the projects
}

func (c *cockpit) settings(r *http.Request) (page, error) {
	ctx := r.Context()
	var body settingsBody
	var err error
	if body.Info, err = c.svc.Info(ctx); err != nil {
		return page{}, err
	}
	if body.Health, err = c.svc.Examine(ctx); err != nil {
		return page{}, err
	}
	accounts, err := c.svc.Limits(ctx, api.LimitsQuery{})
	if err != nil {
		return page{}, err
	}
	body.Accounts = accountViews(slices.DeleteFunc(slices.Clone(accounts), func(a api.Account) bool { return a.Scope == api.ScopeRun }))
	return page{Name: "settings", Title: "Settings", Nav: "settings", Still: true, Body: body}, nil
}

// settingsnav leads from one page of the settings to the others.
func settingsnav(here string) tabs {
	return tabs{Here: here, Tabs: []tab{
		{"health", "Health and limits", "/settings"}, {"engines", "Engines", "/settings/engines"}, {"playbooks", "Playbooks", "/settings/playbooks"},
		{"roles", "Roles", "/settings/roles"}, {"people", "People", "/settings/people"},
	}}
}
