// Package find resolves what people call things: a run by id, alias or prefix, a
// project by name, key or folder, a conversation by name. It must not change
// anything; who registers a project is package start.
package find

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Engine is what folds runs and projects.
type Engine interface {
	Holds(run string) bool
	Load(ctx context.Context, run string) (*core.Run, error)
	Project(ctx context.Context, id string) (*core.Project, error)
}

// Store is what lists them.
type Store interface {
	Run(ctx context.Context, id string) (store.RunRow, error)
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Project(ctx context.Context, id string) (store.ProjectRow, error)
	Projects(ctx context.Context, limit int) ([]store.ProjectRow, error)
}

// Finder finds runs, projects and conversations.
type Finder struct {
	engine  Engine
	store   Store
	machine string
}

// New makes a Finder. If engines on several machines share the store, machine tells them
// apart; otherwise it is "".
func New(e Engine, s Store, machine string) *Finder {
	return &Finder{engine: e, store: s, machine: machine}
}

// Run loads a run by id, alias or a unique prefix of either.
func (a *Finder) Run(ctx context.Context, id string) (*core.Run, error) {
	if a.engine.Holds(id) {
		return a.engine.Load(ctx, id)
	}
	row, err := a.Row(ctx, id)
	if err != nil {
		return nil, err
	}
	run, err := a.engine.Load(ctx, row.ID)
	if errors.Is(err, core.ErrUnreadable) {
		return nil, fmt.Errorf("run %s %w", row.Alias, err)
	}
	return run, err
}

// Row finds a run as Run does, for a caller to whom its history may stay unread.
func (a *Finder) Row(ctx context.Context, id string) (store.RunRow, error) {
	row, err := a.store.Run(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return a.prefix(ctx, id)
	}
	return row, err
}

func (a *Finder) prefix(ctx context.Context, prefix string) (store.RunRow, error) {
	rows, err := a.store.Runs(ctx, store.Filter{})
	if err != nil {
		return store.RunRow{}, err
	}
	var found []store.RunRow
	var names []string
	for _, r := range rows {
		if prefix != "" && (strings.HasPrefix(r.ID, prefix) || strings.HasPrefix(r.Alias, prefix)) {
			found = append(found, r)
			names = append(names, r.Alias)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return store.RunRow{}, core.Errorf(core.CodeNotFound, "there is no run %q", prefix).Offer(core.Choice{Verb: core.VerbRuns})
	}
	return store.RunRow{}, core.Errorf(core.CodeInvalid, "%d runs begin with %q", len(found), prefix).WithHint("one of: %s", strings.Join(names, ", "))
}

// ProjectRow finds a project by its name or key, without folding it.
func (a *Finder) ProjectRow(ctx context.Context, nameOrKey string) (store.ProjectRow, error) {
	row, err := a.store.Project(ctx, nameOrKey)
	if errors.Is(err, store.ErrNotFound) {
		return row, core.Errorf(core.CodeNotFound, "there is no project %.80q", nameOrKey).Offer(core.Choice{Verb: core.VerbProjects})
	}
	return row, err
}

// Project loads a project by its name or key.
func (a *Finder) Project(ctx context.Context, nameOrKey string) (*core.Project, error) {
	row, err := a.ProjectRow(ctx, nameOrKey)
	if err != nil {
		return nil, err
	}
	p, err := a.engine.Project(ctx, row.ID)
	if errors.Is(err, core.ErrUnreadable) {
		return nil, fmt.Errorf("project %s %w", row.Name, err)
	}
	if err == nil && p == nil { // it was erased meanwhile
		err = core.Errorf(core.CodeNotFound, "project %s was erased", row.Name).Offer(core.Choice{Verb: core.VerbProjects})
	}
	return p, err
}

// ProjectName is what a person calls a project; its id if it is not known.
func (a *Finder) ProjectName(ctx context.Context, id string) (string, error) {
	row, err := a.store.Project(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return id, nil
	}
	return row.Name, err
}

// ProjectOf is the id of the project that somebody means: by id, name or path, by
// the folder they are in if name is empty, or by one of its runs, which is
// returned as well.
func (a *Finder) ProjectOf(ctx context.Context, name, dir string) (project string, run *core.Run, err error) {
	if project, err = a.projectNamed(ctx, name, dir); err != nil || project != "" {
		return project, nil, err
	}
	run, err = a.Run(ctx, name)
	if core.CodeOf(err) == core.CodeNotFound {
		return "", nil, core.Errorf(core.CodeNotFound, "there is no project or run %.80q", name).
			WithHint("put words that are no name in quotes; look at what there is").Offer(core.Choice{Verb: core.VerbProjects}, core.Choice{Verb: core.VerbRuns})
	}
	if err != nil {
		return "", nil, err
	}
	return run.Project, run, nil
}

// projectNamed is the id of a project by id, name or path, or of the repository
// in dir if name is empty; "" if no project is called so.
func (a *Finder) projectNamed(ctx context.Context, name, dir string) (string, error) {
	if name == "" || strings.ContainsRune(name, '/') || strings.HasPrefix(name, ".") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return a.ProjectAt(ctx, name)
	}
	rows, err := a.store.Projects(ctx, 0)
	if err != nil {
		return "", err
	}
	var found []string
	for _, p := range rows {
		if p.ID == name {
			return p.ID, nil
		}
		if p.Name == name {
			found = append(found, p.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", core.Errorf(core.CodeInvalid, "%d projects are called %q", len(found), name).
		WithHint("name the id, or the path of the repository").Offer(core.Choice{Verb: core.VerbProjects})
}

// NoConversation says that a project has no conversation of that name.
func NoConversation(p *core.Project, called string) error {
	return core.Errorf(core.CodeNotFound, "project %s has no conversation %.80q", p.Name, called).
		Offer(core.Choice{Verb: core.VerbConversations}, core.Choice{Verb: core.VerbOpenConversation})
}

// Conversation is the conversation that somebody calls so, as events name it: nothing for
// the first, which needs no project to be known.
func (a *Finder) Conversation(ctx context.Context, project, called string) (string, error) {
	if called == "" || called == project || strings.EqualFold(called, core.MainConversation) {
		return "", nil
	}
	p, err := a.engine.Project(ctx, project)
	if err != nil {
		return "", err
	}
	if p == nil {
		return "", core.Errorf(core.CodeNotFound, "there is no conversation %.80q", called).
			WithHint("the repository is no project yet; its first run makes it one")
	}
	if c := p.Conversation(called); c != nil {
		return c.ID, nil
	}
	return "", NoConversation(p, called)
}

// ProjectID keys a project by the URL of its repository, or by its canonical git directory,
// so that all its worktrees are one project. A path means something on one machine only: if
// several share the store, each has projects of its own there.
func (a *Finder) ProjectID(repository string) string {
	if a.machine != "" && filepath.IsAbs(repository) {
		return key(a.machine + "\x00" + repository)
	}
	return key(repository)
}

func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Keys reports that a project is that of a repository, by this machine or by one that did not
// share its store then.
func (a *Finder) Keys(project, repository string) bool {
	return project == a.ProjectID(repository) || project == key(repository)
}

// Elsewhere reports that a project's repository was given by its path on another machine.
func (a *Finder) Elsewhere(project, repository string) bool {
	return filepath.IsAbs(repository) && !a.Keys(project, repository)
}

// ProjectAt is the id that the project of the repository at dir has.
func (a *Finder) ProjectAt(ctx context.Context, dir string) (string, error) {
	repo, err := yard.Locate(ctx, dir)
	if err != nil {
		return "", LocateError(dir, err)
	}
	return a.ProjectID(repo.CommonDir), nil
}

// LocateError says why there is no repository at dir that could be used.
func LocateError(dir string, err error) error {
	switch {
	case errors.Is(err, yard.ErrNotRepository):
		return core.Errorf(core.CodeInvalid, "%s is not in a git repository", dir).
			WithHint("change into your repository, or make one: git init && git add . && git commit")
	case errors.Is(err, yard.ErrNoCommits):
		return core.Errorf(core.CodeInvalid, "the repository in %s has no commits yet", dir).
			WithHint("make a first one: git add . && git commit -m 'first commit'")
	}
	return core.Wrap(core.CodeUnavailable, err, "the repository cannot be read", "check "+dir)
}
