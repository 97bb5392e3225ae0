package cockpit

import (
	"context"
	"html/template"
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	// recentRuns is how many runs a project's page lists; the rest is a page away.
	recentRuns = 10
	// smallDiagram is how many tasks a diagram on a project's page may have.
	smallDiagram = 40
)

// projectBody is everything about a project.
type projectBody struct {
	api.ProjectDetail
	Waiting  []api.Waiting // what waits for a person in it
	Diagram  template.HTML // of the run that drives it, if it is small
	Accounts []accountView
	Recent   []api.Run
	Talks    bool      // a run drives it that can be spoken to
	Queued   *api.Epic // that was queued just now
	More     bool      // of the open runs than are listed
}

func (c *cockpit) project(r *http.Request) (page, error) {
	ctx := r.Context()
	d, err := c.svc.Project(ctx, r.PathValue("project"))
	if err != nil {
		return page{}, err
	}
	body := projectBody{ProjectDetail: d}
	if body.More = len(d.Open) > runsPage; body.More {
		body.Open = d.Open[:runsPage]
	}
	waiting, err := c.svc.Inbox(ctx)
	if err != nil {
		return page{}, err
	}
	body.Waiting = slices.DeleteFunc(slices.Clone(waiting), func(w api.Waiting) bool { return w.Project != d.Name })
	if body.Recent, err = c.svc.Runs(ctx, api.RunQuery{Project: d.ID, Limit: recentRuns}); err != nil {
		return page{}, err
	}
	if body.Diagram, err = c.smallDiagram(ctx, d.Run); err != nil {
		return page{}, err
	}
	accounts, err := c.svc.Limits(ctx, api.LimitsQuery{Of: d.Name})
	if err != nil {
		return page{}, err
	}
	body.Accounts = accountViews(slices.DeleteFunc(slices.Clone(accounts), func(a api.Account) bool {
		return a.ID != d.ID && (d.Run == nil || a.ID != d.Run.ID)
	}))
	body.Talks = d.Run != nil && (d.Run.Kind == "manager" || d.Run.Kind == "rules")
	for i, e := range d.Queue {
		if e.ID == r.URL.Query().Get("queued") {
			body.Queued = &d.Queue[i]
		}
	}
	return page{Name: "project", Title: d.Name, Nav: "projects", Trail: []step{{"Projects", "/"}}, Body: body}, nil
}

// smallDiagram draws a run, unless it has more to show than fits beside other
// things.
func (c *cockpit) smallDiagram(ctx context.Context, run *api.Run) (template.HTML, error) {
	if run == nil {
		return "", nil
	}
	d, err := c.svc.Run(ctx, run.ID)
	if err != nil {
		return "", err
	}
	tasks := 0
	for _, s := range d.Stages {
		tasks += max(1, len(s.Tasks))
	}
	if tasks == 0 || tasks > smallDiagram {
		return "", nil
	}
	return track.Draw(diagram(d)), nil
}

func (c *cockpit) pauseProject(r *http.Request) (string, error) {
	d, err := c.svc.PauseProject(r.Context(), r.PathValue("project"), api.PauseProject{Reason: r.PostForm.Get("reason")})
	return projectPath(d.Name), err
}

func (c *cockpit) resumeProject(r *http.Request) (string, error) {
	d, err := c.svc.ResumeProject(r.Context(), r.PathValue("project"), api.ResumeProject{})
	return projectPath(d.Name), err
}

func (c *cockpit) archiveProject(r *http.Request) (string, error) {
	d, err := c.svc.ArchiveProject(r.Context(), r.PathValue("project"), api.ArchiveProject{Reason: r.PostForm.Get("reason")})
	return projectPath(d.Name), err
}

func (c *cockpit) dropEpic(r *http.Request) (string, error) {
	epic, err := namedEpic(r)
	if err != nil {
		return "", err
	}
	d, err := c.svc.DropEpic(r.Context(), r.PathValue("project"), api.DropEpic{Epic: epic, Reason: r.PostForm.Get("reason")})
	return projectPath(d.Name) + "#queue", err
}

func (c *cockpit) requeueEpic(r *http.Request) (string, error) {
	epic, err := namedEpic(r)
	if err != nil {
		return "", err
	}
	d, err := c.svc.RequeueEpic(r.Context(), r.PathValue("project"), api.RequeueEpic{Epic: epic})
	return projectPath(d.Name) + "#queue", err
}

// namedEpic is the epic that a button stands beside. To the engine no epic means all
// of them, which no button does.
func namedEpic(r *http.Request) (string, error) {
	epic := r.PostForm.Get("epic")
	if epic == "" {
		return "", core.Errorf(core.CodeInvalid, "no goal chosen").WithHint("go back to the queue and choose one there")
	}
	return epic, nil
}
