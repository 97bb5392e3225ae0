package cockpit

import (
	"io"
	"net/http"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// libraryBody is what there is to choose from: built in, and in a project.
type libraryBody struct {
	Projects  []api.Project
	Project   string
	Playbooks []api.PlaybookEntry
	Roles     []api.RoleEntry
}

func (c *cockpit) playbooks(r *http.Request) (page, error) {
	return c.library(r, page{Name: "playbooks", Title: "Playbooks"}, func(b *libraryBody, q api.LibraryQuery) (err error) {
		b.Playbooks, err = c.svc.Playbooks(r.Context(), q)
		return err
	})
}

func (c *cockpit) roles(r *http.Request) (page, error) {
	return c.library(r, page{Name: "roles", Title: "Roles"}, func(b *libraryBody, q api.LibraryQuery) (err error) {
		b.Roles, err = c.svc.Roles(r.Context(), q)
		return err
	})
}

// library lists something of a project. If that fails, the page says why, and
// another project can be chosen.
func (c *cockpit) library(r *http.Request, p page, list func(*libraryBody, api.LibraryQuery) error) (page, error) {
	projects, err := c.svc.Projects(r.Context(), api.ProjectQuery{})
	if err != nil {
		return page{}, err
	}
	body := libraryBody{Projects: projects, Project: r.URL.Query().Get("project")}
	if err := list(&body, api.LibraryQuery{Project: body.Project}); err != nil {
		p = refused(p, err)
	}
	p.Nav, p.Still, p.Body = "settings", true, body
	return p, nil
}

// editorBody is a playbook's text, and what was found about it.
type editorBody struct {
	Name    string
	Project string
	Origin  string
	Text    string
	Verdict *api.PlaybookVerdict
	Places  []place
}

// place is a remark with the line it is about.
type place struct {
	api.PlaybookRemark
	Source string
	Bad    bool
}

func (c *cockpit) editor(r *http.Request) (page, error) {
	body := editorBody{Name: r.PathValue("playbook"), Project: r.URL.Query().Get("project")}
	p, err := c.svc.Playbook(r.Context(), body.Name, api.LibraryQuery{Project: body.Project})
	if err != nil {
		return page{}, err
	}
	body.Text, body.Origin = p.Text, p.Origin
	return c.editorWith(r, body)
}

// editorWith shows a text with what the engine finds about it.
func (c *cockpit) editorWith(r *http.Request, body editorBody) (page, error) {
	p := page{
		Name: "playbook", Title: "Playbook " + body.Name, Nav: "settings", Still: true,
		Trail: []step{{"Settings", "/settings"}, {"Playbooks", address("/settings/playbooks", "project", body.Project)}},
	}
	v, err := c.svc.CheckPlaybook(r.Context(), api.CheckPlaybook{Project: body.Project, Text: body.Text})
	if err != nil {
		p = refused(p, err)
	} else {
		body.Verdict, body.Places = &v, places(body.Text, v)
	}
	p.Body = body
	return p, nil
}

func (c *cockpit) checkPlaybook(r *http.Request) (page, string, error) {
	p, err := c.editorWith(r, editorBody{
		Name: r.PathValue("playbook"), Project: r.PostForm.Get("project"), Origin: r.PostForm.Get("origin"), Text: plainLines(r.PostForm.Get("text")),
	})
	return p, "", err
}

// plainLines ends lines as files do: browsers send them otherwise.
func plainLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

func places(text string, v api.PlaybookVerdict) []place {
	lines := strings.Split(text, "\n")
	var list []place
	add := func(remarks []api.PlaybookRemark, bad bool) {
		for _, r := range remarks {
			p := place{PlaybookRemark: r, Bad: bad}
			if r.Line >= 1 && r.Line <= len(lines) {
				p.Source = strings.TrimSpace(lines[r.Line-1])
			}
			list = append(list, p)
		}
	}
	add(v.Problems, true)
	add(v.Warnings, false)
	return list
}

// savePlaybook hands the text back as a file. The repository is not touched: its
// files change by commits that its people make.
func (c *cockpit) savePlaybook(w http.ResponseWriter, r *http.Request) {
	c.attach(w, r, "application/yaml; charset=utf-8", fileName(r.PathValue("playbook"), "playbook")+".yaml", func(w io.Writer) error {
		_, err := io.WriteString(w, plainLines(r.PostForm.Get("text")))
		return err
	})
}
