package cockpit

import (
	"html/template"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// runBody is a run drawn as tracks, and told as a list.
type runBody struct {
	api.RunDetail
	Diagram  template.HTML
	Evidence []evidence
	Asked    []api.Question // that wait for an answer
	Before   []string       // what was found before it began
}

func (c *cockpit) run(r *http.Request, d api.RunDetail) (page, error) {
	shown, err := c.evidenceOf(r, d, look)
	body := runBody{RunDetail: d, Diagram: track.Draw(diagram(d)), Evidence: shown, Asked: asked(d), Before: wording.Preflight(d.Preflight)}
	body.Stages = inOrder(d)
	return page{Name: "run", Title: d.Title, Body: body}, err
}

// asked is what the run's manager, planner or workers want to know.
func asked(d api.RunDetail) []api.Question {
	switch {
	case d.Manager != nil:
		return d.Manager.Questions
	case d.Waves != nil:
		return d.Waves.Questions
	}
	return nil
}

// runFunc makes the name, the title and the body of a page about a run.
type runFunc func(*http.Request, api.RunDetail) (page, error)

// ofRun makes a page about the run that the address names.
func (c *cockpit) ofRun(make runFunc) pageFunc {
	return func(r *http.Request) (page, error) {
		d, err := c.svc.Run(r.Context(), r.PathValue("run"))
		if err != nil {
			return page{}, err
		}
		p, err := make(r, d)
		if err != nil {
			return page{}, err
		}
		return c.aboutRun(r, d, p)
	}
}

// aboutRun adds to a page about a run what leads to it, and when it is out of date.
func (c *cockpit) aboutRun(r *http.Request, d api.RunDetail, p page) (page, error) {
	project, err := c.svc.Project(r.Context(), d.Project)
	p.Nav, p.Runs, p.Trail = "projects", append(p.Runs, d.ID), []step{{project.Name, projectPath(project.Name)}}
	if p.Name != "run" {
		p.Trail = append(p.Trail, step{d.Title, runPath(d.Alias)})
	}
	return p, err
}
