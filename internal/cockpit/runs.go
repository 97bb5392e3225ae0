package cockpit

import (
	"cmp"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// runsPage is how many runs are listed at once.
const runsPage = 50

// runsBody is a page of the list of runs.
type runsBody struct {
	Runs    []listedRun
	Filters []filter
	Project string // name of the only one that is meant
	First   string // address of the newest, unless this is the first page
	Next    string // address of what follows
}

// listedRun is a run with the name of its project, of which a run knows the key
// alone.
type listedRun struct {
	api.Run
	Name string
}

// filter is one way to narrow the list.
type filter struct {
	Title, Href string
	Here        bool
}

func (c *cockpit) runsList(r *http.Request) (page, error) {
	ctx, asked := r.Context(), r.URL.Query()
	q := api.RunQuery{Project: asked.Get("project"), Before: asked.Get("before"), Limit: runsPage + 1}
	if q.Status = core.RunStatus(asked.Get("status")); q.Status == "open" {
		q.Status, q.Open = "", true
	}
	runs, err := c.svc.Runs(ctx, q)
	if err != nil {
		return page{}, err
	}
	projects, err := c.svc.Projects(ctx, api.ProjectQuery{All: true})
	if err != nil {
		return page{}, err
	}
	names := map[string]string{}
	for _, p := range projects {
		names[p.ID] = p.Name
	}
	body := runsBody{Project: cmp.Or(names[q.Project], q.Project)}
	if len(runs) > runsPage {
		runs = runs[:runsPage]
		body.Next = address("/runs", "project", body.Project, "status", asked.Get("status"), "before", runs[runsPage-1].ID)
	}
	if q.Before != "" {
		body.First = address("/runs", "project", body.Project, "status", asked.Get("status"))
	}
	for _, run := range runs {
		body.Runs = append(body.Runs, listedRun{run, names[run.Project]})
	}
	for _, f := range []struct {
		status core.RunStatus // or "open": those that have not ended
		title  string
	}{
		{"", "All"}, {"open", "Open"}, {core.StatusAwaiting, "Waiting for you"}, {core.StatusPaused, "Paused"},
		{core.StatusReview, "In review"}, {core.StatusCompleted, "Completed"}, {core.StatusFailed, "Failed"}, {core.StatusCancelled, "Cancelled"},
	} {
		href := address("/runs", "project", body.Project, "status", string(f.status))
		body.Filters = append(body.Filters, filter{f.title, href, string(f.status) == asked.Get("status")})
	}
	p := page{Name: "runs", Title: "Runs", Nav: "projects", Trail: []step{{"Projects", "/"}}, Body: body, Still: q.Before != ""}
	if body.Project != "" {
		p.Title = "Runs of " + body.Project
		p.Trail = append(p.Trail, step{body.Project, projectPath(body.Project)})
	}
	return p, nil
}
