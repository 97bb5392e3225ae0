package cockpit

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// playbooksBody is what there is to choose from.
type playbooksBody struct {
	Projects  []api.Project
	Project   string
	Playbooks []api.PlaybookEntry
	Problem   *problem
}

func (c *cockpit) playbooks(r *http.Request) (page, error) {
	body := playbooksBody{Project: r.URL.Query().Get("project")}
	var err error
	if body.Projects, err = c.svc.Projects(r.Context(), api.ProjectQuery{}); err != nil {
		return page{}, err
	}
	p := page{Name: "playbooks", Title: "Playbooks", Nav: "settings", Still: true}
	if body.Playbooks, err = c.svc.Playbooks(r.Context(), api.LibraryQuery{Project: body.Project}); err != nil {
		said := problemOf(err) // another project may be chosen
		body.Problem = &said
		p = refused(p, err)
	}
	p.Body = body
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
	Problem *problem
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
		Trail: []step{{"Settings", "/settings"}, {"Playbooks", playbooksPath(body.Project)}},
	}
	v, err := c.svc.CheckPlaybook(r.Context(), api.CheckPlaybook{Project: body.Project, Text: body.Text})
	if err != nil {
		said := problemOf(err)
		body.Problem = &said
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

func playbooksPath(project string) string {
	if project == "" {
		return "/settings/playbooks"
	}
	return "/settings/playbooks?project=" + url.QueryEscape(project)
}

// savePlaybook hands the text back as a file. The repository is not touched: its
// files change by commits that its people make.
func (c *cockpit) savePlaybook(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		c.show(w, r, problemPage(core.Wrap(core.CodeInvalid, err, "the form cannot be read", "go back and send a shorter text")))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/yaml; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+fileName(r.PathValue("playbook"), "playbook")+`.yaml"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if _, err := w.Write([]byte(plainLines(r.PostForm.Get("text")))); err != nil {
		c.opts.Log.Debug("send a playbook", "error", err)
	}
}
