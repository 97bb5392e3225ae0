package cockpit

import (
	"html/template"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
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

// tab is one of the pages about a run.
type tab struct{ Key, Title, Href string }

type tabs struct {
	Here string
	Tabs []tab
}

// runnav leads from one page about a run to the others. Those that have nothing
// to show for a kind of playbook are left out.
func runnav(alias, kind, here string) tabs {
	path := runPath(alias)
	t := tabs{Here: here, Tabs: []tab{{"run", "Tracks", path}, {"changes", "Changes", path + "/changes"}}}
	switch kind {
	case "manager", "rules":
		t.Tabs = append(t.Tabs, tab{"plan", "Plan", path + "/plan"}, tab{"graph", "Graph", path + "/graph"}, tab{"talk", "Conversation", path + "/talk"})
	case "waves":
		t.Tabs = append(t.Tabs, tab{"waves", "Waves", path + "/waves"}, tab{"facts", "Facts", path + "/facts"})
	}
	return tabs{Here: here, Tabs: append(t.Tabs,
		tab{"effects", "Side effects", path + "/effects"}, tab{"costs", "Costs", path + "/costs"}, tab{"timeline", "Timeline", path + "/timeline"})}
}

// gateForm is what the form of an approval needs.
type gateForm struct {
	Run     api.Run
	Gate    *core.Gate
	Way     wayBack
	Against bool // who reviewed it asks for something else
	Back    string
}

func gate(d api.RunDetail, back string) gateForm {
	return gateForm{d.Run, d.Gate, backFrom(d), against(d), back}
}
