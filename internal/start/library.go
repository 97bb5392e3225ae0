package start

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/preflight"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// library is what there is to read for one project, or for none.
type library struct {
	ground *ground // has no repository if no project is meant
	opts   playbook.Options
	own    []string // files of the repository's playbooks
	files  []yard.File
	chosen string // playbook that is taken if none is named
}

// library reads what a project's repository has on its base. One on this machine
// is looked at as it is now; one elsewhere as it was seen last, so that looking
// asks nothing of another machine.
func (a *Starter) library(ctx context.Context, q api.LibraryQuery) (*library, error) {
	if q.Project == "" {
		settings, err := config.OfPerson(nil)
		if err != nil {
			return nil, err
		}
		return &library{ground: &ground{starter: a}, opts: playbook.Options{Roles: role.Builtin(), Agent: settings.Agent.V, Model: settings.Model.V}}, nil
	}
	g, err := a.lookInto(ctx, q.Project)
	if err != nil {
		return nil, err
	}
	settings, _, err := g.settings(ctx, nil)
	if err != nil {
		return nil, err
	}
	l := &library{ground: g}
	if l.opts, _, err = g.options(ctx, settings); err != nil {
		return nil, err
	}
	if l.chosen, err = g.chosen(ctx, ""); err != nil {
		return nil, err
	}
	files, err := g.yard.Files(ctx, g.commit)
	l.files = files
	for _, f := range files {
		ext := path.Ext(f.Path)
		if path.Dir(f.Path) == playbook.Folder && f.Kind == yard.Regular && (ext == ".yaml" || ext == ".yml") {
			l.own = append(l.own, f.Path)
		}
	}
	return l, err
}

// lookInto is a project's repository at the tip of its base. What the engine's copy
// of it has already is not fetched: who only looks changes nothing.
func (a *Starter) lookInto(ctx context.Context, project string) (*ground, error) {
	g, err := a.locate(ctx, site{project: project})
	if err != nil {
		return nil, err
	}
	if g.yard, err = a.Yards.Yard(ctx, g.project); err != nil {
		return nil, err
	}
	row, err := a.Store.Project(ctx, g.project)
	if err != nil {
		return nil, err
	}
	g.base = row.DefaultBranch
	if !g.far() {
		g.base = cmp.Or(g.repo.Branch, g.base)
		if g.commit, err = g.known(ctx); err != nil || g.commit != "" {
			return g, err
		}
		if err := g.yard.Fetch(ctx, g.remote); err != nil {
			return nil, g.fetchError(err)
		}
	}
	g.commit, err = g.yard.Resolve(ctx, yard.UpstreamHeads+g.base)
	if errors.Is(err, yard.ErrNotFound) {
		return nil, core.Errorf(core.CodeNotFound, "project %s has no branch %q", row.Name, g.base)
	}
	return g, err
}

// known is the tip of the base in a repository on this machine, where the engine's
// copy has that commit.
func (g *ground) known(ctx context.Context) (string, error) {
	tip := g.repo.Head
	if g.repo.Detached {
		var err error
		if tip, err = g.yard.RemoteTip(ctx, g.remote, "refs/heads/"+g.base); err != nil {
			return "", g.fetchError(err)
		}
	}
	if tip == "" {
		return "", nil
	}
	if has, err := g.yard.Exists(ctx, tip); err != nil || !has {
		return "", err
	}
	return tip, nil
}

// Playbooks implements api.Service.
func (a *Starter) Playbooks(ctx context.Context, q api.LibraryQuery) ([]api.PlaybookEntry, error) {
	l, err := a.library(ctx, q)
	if err != nil {
		return nil, err
	}
	var list []api.PlaybookEntry
	names := map[string]bool{}
	for _, file := range l.own {
		source, err := l.read(ctx, file)
		if err != nil {
			return nil, err
		}
		names[source.Name] = true
		list = append(list, source.PlaybookEntry)
	}
	for _, name := range playbook.Builtins() {
		if !names[name] { // the repository's own takes its place
			list = append(list, l.builtin(ctx, name).PlaybookEntry)
		}
	}
	return list, nil
}

// Playbook implements api.Service.
func (a *Starter) Playbook(ctx context.Context, name string, q api.LibraryQuery) (api.PlaybookSource, error) {
	l, err := a.library(ctx, q)
	if err != nil {
		return api.PlaybookSource{}, err
	}
	for _, file := range l.own {
		if playbookName(file) == name {
			return l.read(ctx, file)
		}
	}
	if slices.Contains(playbook.Builtins(), name) {
		return l.builtin(ctx, name), nil
	}
	return api.PlaybookSource{}, core.Errorf(core.CodeNotFound, "there is no playbook %.80q", name).
		WithHint("built in: %s", strings.Join(playbook.Builtins(), ", "))
}

func playbookName(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// read reads one of the repository's own.
func (l *library) read(ctx context.Context, file string) (api.PlaybookSource, error) {
	data, err := l.ground.read(ctx, file)
	if err != nil {
		return api.PlaybookSource{}, err
	}
	p, _, err := playbook.Parse(file, data, l.opts)
	return l.source(ctx, playbookName(file), file, data, p, err), nil
}

func (l *library) builtin(ctx context.Context, name string) api.PlaybookSource {
	data, _ := playbook.BuiltinSource(name)
	p, _, err := playbook.Builtin(name, l.opts)
	return l.source(ctx, name, playbook.OriginBuiltin, data, p, err)
}

func (l *library) source(ctx context.Context, name, origin string, data []byte, p *core.Playbook, err error) api.PlaybookSource {
	s := api.PlaybookSource{PlaybookEntry: api.PlaybookEntry{Name: name, Origin: origin, Chosen: name == l.chosen}, Text: string(data)}
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Kind, s.Description, s.Drives = p.Kind, p.Description, p.Drives()
	if _, err := preflight.Run(ctx, l.ground.look(p, l.files)); err != nil && ctx.Err() == nil {
		s.Lacks = err.Error()
	}
	return s
}

// CheckPlaybook implements api.Service.
func (a *Starter) CheckPlaybook(ctx context.Context, req api.CheckPlaybook) (api.PlaybookVerdict, error) {
	if len(req.Text) > maxConfigFile {
		return api.PlaybookVerdict{}, core.Errorf(core.CodeInvalid, "the text has more than %d KiB", maxConfigFile>>10)
	}
	l, err := a.library(ctx, api.LibraryQuery{Project: req.Project})
	if err != nil {
		return api.PlaybookVerdict{}, err
	}
	p, warnings, err := playbook.Parse("playbook.yaml", []byte(req.Text), l.opts)
	v := api.PlaybookVerdict{}
	var problems playbook.Problems
	switch {
	case errors.As(err, &problems):
		for _, found := range problems {
			v.Problems = append(v.Problems, remark(found))
		}
		return v, nil
	case err != nil:
		return v, err
	}
	v.Valid, v.Name, v.Kind = true, p.Name, p.Kind
	for _, w := range warnings {
		v.Warnings = append(v.Warnings, remark(playbook.Problem(w)))
	}
	return v, nil
}

func remark(p playbook.Problem) api.PlaybookRemark {
	return api.PlaybookRemark{Line: p.Line, Column: p.Column, Path: p.Path, Message: p.Message, Hint: p.Hint}
}

// Roles implements api.Service.
func (a *Starter) Roles(ctx context.Context, q api.LibraryQuery) ([]api.RoleEntry, error) {
	l, err := a.library(ctx, q)
	if err != nil {
		return nil, err
	}
	var list []api.RoleEntry
	for _, name := range l.opts.Roles.Names() {
		r := l.opts.Roles[name]
		entry := api.RoleEntry{Name: r.Name, Origin: r.Origin, Description: r.Description, Agent: r.Agent, Model: r.Model, Tools: r.Tools, Prompt: r.Prompt}
		for _, n := range r.Notes {
			entry.Notes = append(entry.Notes, n.String())
		}
		list = append(list, entry)
	}
	return list, nil
}
