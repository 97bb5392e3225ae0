package start

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/naming"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// ground is where a run starts from: a person's repository, its yard, and the
// exact commit that playbooks, roles and settings are read from.
type ground struct {
	starter *Starter
	dir     string // where the person is
	repo    yard.Repository
	remote  string // the repository itself: its folder, or its URL
	project string
	yard    *yard.Yard
	base    string
	commit  string
	forge   config.ForgeSettings
	up      upstream
	wanted  string // name that a project gets which is not registered yet
}

// ground looks at a repository and brings its yard up to date. The person's
// working copy is only read.
func (a *Starter) ground(ctx context.Context, at site, base string, flags map[string]string) (*ground, error) {
	forge, err := chooseForge(flags)
	if err != nil {
		return nil, err
	}
	g, err := a.locate(ctx, at)
	if err != nil {
		return nil, err
	}
	g.base, g.forge = base, forge
	return g, g.prepare(ctx)
}

// prepare fetches the repository and settles the base. It registers nothing: what
// is refused later leaves no project behind.
func (g *ground) prepare(ctx context.Context) error {
	var err error
	if g.yard, err = g.starter.Yards.Yard(ctx, g.project); err != nil {
		return err
	}
	if g.base == "" {
		if g.base, err = g.branch(ctx); err != nil {
			return err
		}
	}
	if err := g.yard.Fetch(ctx, g.remote); err != nil {
		return g.fetchError(err)
	}
	if err := g.begin(ctx); err != nil {
		return err
	}
	return g.special(ctx)
}

// special refuses what a workspace could not show completely.
func (g *ground) special(ctx context.Context) error {
	found, err := g.yard.Special(ctx, g.commit)
	switch {
	case err != nil:
		return err
	case found.Submodules:
		return core.Errorf(core.CodeUnsupported, "the repository has submodules, which this version cannot bring into a workspace")
	case found.Hollow != "":
		return core.Errorf(core.CodeUnsupported, "the repository has a symlink without a target at %.200q, which git cannot bring into a workspace", found.Hollow).
			WithHint("remove it from %s, commit that, then repeat", g.base)
	case found.LFS:
		return core.Errorf(core.CodeUnsupported, "the repository keeps files in Git LFS, which this version cannot bring into a workspace")
	}
	return nil
}

// register puts the repository under Stellwerk if it is not yet.
func (g *ground) register(ctx context.Context) error {
	p, err := g.starter.Engine.Project(ctx, g.project)
	if err != nil || p != nil {
		return err
	}
	body := g.registration()
	if g.wanted != "" {
		body.Name = g.wanted
	}
	return g.starter.Register(ctx, body, g.base)
}

func (g *ground) registration() core.ProjectRegistered {
	if g.far() {
		return core.ProjectRegistered{Project: g.project, Name: naming.Project(g.remote), URL: g.remote}
	}
	name := g.repo.CommonDir
	if g.repo.Top != "" {
		name = g.repo.Top
	}
	return core.ProjectRegistered{Project: g.project, Name: naming.Project(name), Path: g.remote}
}

// warnings are what a person should know and nothing is refused for.
func (g *ground) warnings() []string {
	var all []string
	if g.repo.Dirty > 0 && g.base == g.repo.Branch {
		what := fmt.Sprintf("%d uncommitted changes in %s are", g.repo.Dirty, g.repo.Top)
		if g.repo.Dirty == 1 {
			what = fmt.Sprintf("an uncommitted change in %s is", g.repo.Top)
		}
		all = append(all, fmt.Sprintf("%s not part of the run: it starts from the tip of %s", what, g.base))
	}
	return append(all, g.up.warnings...)
}

// maxConfigFile bounds files that are obeyed.
const maxConfigFile = 256 << 10

// read reads a file of the base commit.
func (g *ground) read(ctx context.Context, name string) ([]byte, error) {
	data, err := g.yard.Show(ctx, g.commit, name, maxConfigFile)
	if errors.Is(err, yard.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return data, err
}

// settings settles what holds for a run in this repository.
func (g *ground) settings(ctx context.Context, flags map[string]string) (*config.Settings, []string, error) {
	data, err := g.read(ctx, config.ProjectFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	return config.Read(flags, config.File{Name: config.ProjectFile, Data: data})
}

// loaded is a playbook with the settings and files that it was read with.
type loaded struct {
	settings *config.Settings
	playbook *core.Playbook
	files    []playbook.File // content of the repository that is obeyed
	warnings []string
}

// load reads the settings and the playbook of a run: a name among the
// repository's and the built-in ones, or a file that the person points at.
func (g *ground) load(ctx context.Context, name string, flags map[string]string) (*loaded, error) {
	settings, remarks, err := g.settings(ctx, flags)
	if err != nil {
		return nil, err
	}
	opts, sources, err := g.options(ctx, settings)
	if err != nil {
		return nil, err
	}
	file, data, err := g.find(ctx, name)
	if err != nil {
		return nil, err
	}
	p := &loaded{settings: settings}
	var warnings []playbook.Warning
	if data == nil {
		p.playbook, warnings, err = playbook.Builtin(file, opts)
	} else {
		p.playbook, warnings, err = playbook.Parse(file, data, opts)
		p.files = append(p.files, playbook.File{Name: file, Data: data})
	}
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		p.warnings = append(p.warnings, w.String())
	}
	for _, used := range p.playbook.Roles {
		for _, note := range opts.Roles[used.Name].Notes {
			p.warnings = append(p.warnings, note.String())
		}
	}
	slices.Sort(p.warnings)
	p.warnings = append(remarks, p.warnings...)
	for _, needed := range playbook.RepositoryFiles(p.playbook, opts.Roles) {
		if content, ok := sources[needed]; ok {
			p.files = append(p.files, playbook.File{Name: needed, Data: content})
		}
	}
	if settings, err := g.read(ctx, config.ProjectFile); err == nil {
		p.files = append(p.files, playbook.File{Name: config.ProjectFile, Data: settings})
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(p.files) > 0 {
		p.playbook.Hash = playbook.Hash(p.files...)
	}
	return p, nil
}

// options is what a playbook may rely on here, with the files of the roles among
// it.
func (g *ground) options(ctx context.Context, settings *config.Settings) (playbook.Options, map[string][]byte, error) {
	files, err := g.yard.Files(ctx, g.commit)
	if err != nil {
		return playbook.Options{}, nil, err
	}
	roles, sources, err := g.roles(ctx, files)
	if err != nil {
		return playbook.Options{}, nil, err
	}
	return playbook.Options{
		Roles: roles.Over(role.Builtin()), Agent: settings.Agent.V, Model: settings.Model.V, Commands: g.detect(ctx, files),
	}, sources, nil
}

// chosen is the playbook that was named, or that of the project, or the one for
// any stack.
func (g *ground) chosen(ctx context.Context, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	p, err := g.starter.Engine.Project(ctx, g.project)
	if err != nil {
		return "", err
	}
	if p == nil {
		return playbook.Feature, nil
	}
	return cmp.Or(p.Playbook, playbook.Feature), nil
}

// find is the playbook's file and text; no text means a built-in one.
func (g *ground) find(ctx context.Context, name string) (string, []byte, error) {
	if !strings.ContainsAny(name, "/.") {
		for _, ext := range []string{".yaml", ".yml"} {
			file := path.Join(playbook.Folder, name+ext)
			data, err := g.read(ctx, file)
			if err == nil {
				return file, data, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return "", nil, err
			}
		}
		if _, ok := playbook.BuiltinSource(name); ok {
			return name, nil, nil
		}
		return "", nil, core.Errorf(core.CodeNotFound, "there is no playbook %q", name).
			WithHint("it would be %s/%s.yaml, committed on %s; built in: %s", playbook.Folder, name, g.start(), strings.Join(playbook.Builtins(), ", "))
	}
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(g.dir, file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", nil, core.Wrap(core.CodeNotFound, err, "the playbook cannot be read", "check its path")
	}
	return name, data, nil
}

// roles reads the repository's roles from the base commit.
func (g *ground) roles(ctx context.Context, files []yard.File) (role.Set, map[string][]byte, error) {
	sources := map[string][]byte{}
	set := role.Set{}
	for _, f := range files {
		if path.Dir(f.Path) != role.Folder || path.Ext(f.Path) != ".md" || f.Kind != yard.Regular {
			continue
		}
		data, err := g.read(ctx, f.Path)
		if err != nil {
			return nil, nil, err
		}
		r, err := role.Parse(f.Path, data)
		if err != nil {
			return nil, nil, err
		}
		if other, ok := set[r.Name]; ok {
			return nil, nil, core.Errorf(core.CodeInvalid, "%s and %s both define the role %q", other.Origin, f.Path, r.Name).
				WithHint("give one of them another name")
		}
		set[r.Name] = r
		sources[f.Path] = data
	}
	return set, sources, nil
}

func (g *ground) detect(ctx context.Context, files []yard.File) playbook.Commands {
	names := make([]string, 0, len(files))
	for _, f := range files {
		if f.Kind == yard.Regular || f.Kind == yard.Executable {
			names = append(names, f.Path)
		}
	}
	return playbook.Detect(names, func(name string) ([]byte, error) { return g.read(ctx, name) }, program.OnPath(os.Getenv("PATH")))
}
