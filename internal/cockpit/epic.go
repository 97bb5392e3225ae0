package cockpit

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxTrust is how much a person can be asked to read on a page. Longer text is not
// shown in part: nobody should trust what they could not see.
const maxTrust = 400_000

// epicBody is the form by which a goal is given to a project.
type epicBody struct {
	Project   api.ProjectDetail
	Playbooks []api.PlaybookEntry
	Form      epicForm
	Trust     *api.Trusted // what the run would use, for an admin to read
	TooLong   bool         // to be read here
	AskAdmin  bool         // to trust it
	Tiers     []core.Tier
	Started   *api.Run // with remarks
}

// Picked reports the playbook that is marked in the form: the one that was chosen,
// or else the project's. If that cannot start here, it is the first of the
// repository's own that can.
func (b epicBody) Picked(p api.PlaybookEntry) bool {
	if chosen := b.Form.field("playbook"); chosen != "" {
		return p.Name == chosen
	}
	starts := func(e api.PlaybookEntry) bool { return e.Problem == "" && e.Lacks == "" }
	first := slices.IndexFunc(b.Playbooks, func(e api.PlaybookEntry) bool { return e.Chosen && starts(e) })
	if first < 0 {
		first = slices.IndexFunc(b.Playbooks, func(e api.PlaybookEntry) bool { return !e.Builtin() && starts(e) })
	}
	return first >= 0 && b.Playbooks[first].Name == p.Name
}

// epicPage shows the form with the project's own base: a person in a browser does not
// see which branch is checked out.
func (c *cockpit) epicPage(r *http.Request) (page, error) {
	project, err := c.svc.Project(r.Context(), r.PathValue("project"))
	if err != nil {
		return page{}, err
	}
	return c.epicWith(r, epicBody{Form: epicForm{url.Values{"base": {project.Base}}}})
}

// epicWith shows the form with what is known so far.
func (c *cockpit) epicWith(r *http.Request, body epicBody) (page, error) {
	ctx := r.Context()
	var err error
	if body.Project, err = c.svc.Project(ctx, r.PathValue("project")); err != nil {
		return page{}, err
	}
	name := body.Project.Name
	p := page{Name: "epic", Title: "New goal for " + name, Nav: "projects", Trail: []step{{"Projects", "/"}, {name, projectPath(name)}}, Still: true}
	if body.Playbooks, err = c.svc.Playbooks(ctx, api.LibraryQuery{Project: body.Project.ID}); err != nil {
		p.Problem = problemOf(err) // the goal can be written all the same
	}
	slices.SortStableFunc(body.Playbooks, func(a, b api.PlaybookEntry) int {
		return min(1, len(a.Problem+a.Lacks)) - min(1, len(b.Problem+b.Lacks))
	})
	body.Tiers = core.KnownTiers()
	p.Body = body
	return p, nil
}

func (c *cockpit) startEpic(r *http.Request) (page, string, error) {
	ctx := r.Context()
	form := epicForm{r.PostForm}
	req, err := form.request(r.PathValue("project"))
	if err == nil {
		err = c.trustShown(ctx, req, r.PostForm.Get("confirm"))
	}
	var run api.Run
	if err == nil {
		run, err = c.once.do(r, func(ctx context.Context, id string) (api.Run, error) {
			req.ID = id
			return c.svc.StartRun(ctx, req)
		})
	}
	if err != nil {
		return c.notStarted(r, form, req, err)
	}
	if run.Epic != nil {
		return page{}, address(projectPath(run.Epic.Project), "queued", run.Epic.ID) + "#queue", nil
	}
	if len(run.Warnings) == 0 {
		return page{}, runPath(run.Alias), nil
	}
	p, err := c.epicWith(r, epicBody{Started: &run})
	return p, "", err
}

// trustShown trusts what the page showed, and nothing else: the engine refuses the
// hash if the content has changed since.
func (c *cockpit) trustShown(ctx context.Context, req api.StartRun, hash string) error {
	if hash == "" {
		return nil
	}
	_, err := c.svc.Trust(ctx, api.Trust{Project: req.Project, Playbook: req.Playbook, Base: req.Base, Confirm: hash})
	return err
}

// notStarted shows the form again with what was typed and why it did not start. If
// nobody has trusted what the run would use, the page shows that to an admin instead.
func (c *cockpit) notStarted(r *http.Request, form epicForm, req api.StartRun, why error) (page, string, error) {
	body := epicBody{Form: form}
	changed := core.CodeOf(why) == core.CodeConflict && r.PostForm.Get("confirm") != ""
	untrusted := core.CodeOf(why) == core.CodeUntrusted
	var unshown error
	if untrusted || changed {
		unshown = c.showTrust(r.Context(), req, &body)
	}
	p, err := c.epicWith(r, body)
	asks := p.Problem
	switch p = refused(p, why); {
	case unshown != nil:
		p.Problem = problemOf(unshown)
	case untrusted:
		p.Problem = asks
	}
	return p, "", err
}

func (c *cockpit) showTrust(ctx context.Context, req api.StartRun, body *epicBody) error {
	if !api.CallerFrom(ctx).May(api.RoleAdmin) {
		body.AskAdmin = true
		return nil
	}
	trust, err := c.svc.Trust(ctx, api.Trust{Project: req.Project, Playbook: req.Playbook, Base: req.Base})
	if err != nil || trust.Trusted {
		return err
	}
	body.Trust, body.TooLong = &trust, utf8.RuneCountInString(trust.Content) > maxTrust
	return nil
}
