package cockpit

import (
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
)

// projectsBody is every project, what waits for a person first.
type projectsBody struct {
	Waiting  []api.Waiting
	Projects []projectCard
	Archived bool
}

// projectCard is a project at a glance.
type projectCard struct {
	api.Project
	Colour track.State
	Asks   int // what waits for a person in it
}

func (c *cockpit) projects(r *http.Request) (page, error) {
	all := r.URL.Query().Has("all")
	list, err := c.svc.Projects(r.Context(), api.ProjectQuery{All: all})
	if err != nil {
		return page{}, err
	}
	waiting, err := c.svc.Inbox(r.Context())
	if err != nil {
		return page{}, err
	}
	body := projectsBody{Waiting: waiting, Archived: all}
	asks := map[string]int{}
	for _, w := range waiting {
		asks[w.Project]++
	}
	for _, p := range list {
		card := projectCard{Project: p, Colour: colour(p.State), Asks: asks[p.Name]}
		if card.Asks > 0 {
			card.Colour = track.Waiting
		}
		body.Projects = append(body.Projects, card)
	}
	slices.SortStableFunc(body.Projects, func(a, b projectCard) int { return min(1, b.Asks) - min(1, a.Asks) })
	return page{Name: "projects", Title: "Projects", Nav: "projects", Body: body}, nil
}
