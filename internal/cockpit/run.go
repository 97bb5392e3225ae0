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
	Project  string
	Diagram  template.HTML
	Evidence []evidence
	Asked    []api.Question // that wait for an answer
	Before   []string       // what was found before it began
}

func (c *cockpit) run(r *http.Request) (page, error) {
	d, err := c.svc.Run(r.Context(), r.PathValue("run"))
	if err != nil {
		return page{}, err
	}
	body := runBody{RunDetail: d, Asked: asked(d), Before: wording.Preflight(d.Preflight)}
	if body.Evidence, err = c.evidenceOf(r, d, look); err != nil {
		return page{}, err
	}
	body.Diagram, body.Stages = track.Draw(diagram(d)), inOrder(d)
	p, err := c.runPage(r, d, "run", d.Title)
	p.Body = body
	return p, err
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

// runPage is a page about a run, with the way to it.
func (c *cockpit) runPage(r *http.Request, d api.RunDetail, name, title string) (page, error) {
	project, err := c.svc.Project(r.Context(), d.Project)
	if err != nil {
		return page{}, err
	}
	p := page{Name: name, Title: title, Nav: "projects", Runs: []string{d.ID}, Trail: []step{{project.Name, projectPath(project.Name)}}}
	if name != "run" {
		p.Trail = append(p.Trail, step{d.Title, runPath(d.Alias)})
	}
	return p, nil
}
