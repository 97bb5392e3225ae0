package cockpit

import (
	"net/http"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// addBody is the form by which a repository comes under Stellwerk.
type addBody struct {
	Form      api.AddProject
	Playbooks []api.PlaybookEntry // that come with the program
	Added     *api.ProjectDetail  // with remarks
}

// addMoved leads from the form's old address to the new one, unless a project has that
// name.
func (c *cockpit) addMoved(w http.ResponseWriter, r *http.Request) {
	r.SetPathValue("project", "add")
	if _, err := c.svc.Project(r.Context(), "add"); core.CodeOf(err) == core.CodeNotFound {
		http.Redirect(w, r, "/add", http.StatusSeeOther)
		return
	}
	c.serve(w, r, c.project)
}

func (c *cockpit) addWith(r *http.Request, body addBody) (page, error) {
	var err error
	body.Playbooks, err = c.svc.Playbooks(r.Context(), api.LibraryQuery{})
	return page{Name: "add", Title: "Add a project", Nav: "projects", Trail: []step{{"Projects", "/"}}, Still: true, Body: body}, err
}

func (c *cockpit) addProject(r *http.Request) (page, string, error) {
	field := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	req := api.AddProject{Repository: field("repository"), Name: field("name"), Playbook: field("playbook"), Base: field("base")}
	if req.Repository == "" {
		return c.notAdded(r, req, core.Errorf(core.CodeInvalid, "no repository given").WithHint("name a path on the engine's machine, or a URL"))
	}
	d, err := c.svc.AddProject(r.Context(), req)
	if err != nil {
		return c.notAdded(r, req, err)
	}
	if len(d.Warnings) == 0 {
		return page{}, projectPath(d.Name), nil
	}
	p, err := c.addWith(r, addBody{Added: &d})
	return p, "", err
}

// notAdded shows the form again, with what was typed and what is wrong with it.
func (c *cockpit) notAdded(r *http.Request, req api.AddProject, why error) (page, string, error) {
	p, err := c.addWith(r, addBody{Form: req})
	return refused(p, why), "", err
}
