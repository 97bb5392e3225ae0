package cockpit

import (
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
)

// settingsBody is how the engine stands, and what it is held to.
type settingsBody struct {
	Info   api.Info
	Health []api.Examined
	Meters []meter
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
	for _, a := range accounts {
		switch a.Scope {
		case api.ScopeEngine:
			body.Meters = append(body.Meters, metersOf("The engine", a)...)
		case api.ScopeProject:
			body.Meters = append(body.Meters, metersOf(clip(60, a.Name), a)...)
		}
	}
	return page{Name: "settings", Title: "Settings", Nav: "settings", Still: true, Body: body}, nil
}

// settingsnav leads from one page of the settings to the others.
func settingsnav(here string) tabs {
	return tabs{Here: here, Tabs: []tab{
		{"health", "Health and limits", "/settings"}, {"playbooks", "Playbooks", "/settings/playbooks"},
		{"roles", "Roles", "/settings/roles"}, {"people", "People", "/settings/people"},
	}}
}

// gradeColour is how what an examination found looks.
func gradeColour(grade string) track.State {
	switch grade {
	case api.GradeOK:
		return track.Passed
	case api.GradeWarn:
		return track.Under
	}
	return track.Failed
}

// rolesBody is what agents are told to be.
type rolesBody struct {
	Projects []api.Project
	Project  string
	Roles    []api.RoleEntry
	Problem  *problem
}

func (c *cockpit) roles(r *http.Request) (page, error) {
	body := rolesBody{Project: r.URL.Query().Get("project")}
	var err error
	if body.Projects, err = c.svc.Projects(r.Context(), api.ProjectQuery{}); err != nil {
		return page{}, err
	}
	p := page{Name: "roles", Title: "Roles", Nav: "settings", Still: true}
	if body.Roles, err = c.svc.Roles(r.Context(), api.LibraryQuery{Project: body.Project}); err != nil {
		said := problemOf(err) // another project may be chosen
		body.Problem = &said
		p = refused(p, err)
	}
	p.Body = body
	return p, nil
}
