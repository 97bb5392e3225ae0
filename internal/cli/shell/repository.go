package shell

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Repository is the person's working copy. Runs read the same files from the base
// commit instead.
type Repository struct {
	Root string
	env  func(string) string
}

// Repository finds the top of the working copy; outside of one, it is the working
// directory.
func (sh *Shell) Repository() Repository {
	for top := sh.Dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return Repository{Root: top, env: sh.Env}
		}
		if top == filepath.Dir(top) {
			return Repository{Root: sh.Dir, env: sh.Env}
		}
	}
}

func (r Repository) Path(name string) string { return filepath.Join(r.Root, filepath.FromSlash(name)) }

// Read reads a file that may be missing.
func (r Repository) Read(name string) ([]byte, error) {
	data, err := os.ReadFile(r.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Roles are the repository's roles over the built-in ones.
func (r Repository) Roles() (role.Set, error) {
	own, err := role.Load(os.DirFS(r.Root), role.Folder)
	if err != nil {
		return nil, err
	}
	return own.Over(role.Builtin()), nil
}

// Settings are what would hold for a run without flags.
func (r Repository) Settings() (*config.Settings, []yamlfile.Warning, error) {
	project, err := r.Read(config.ProjectFile)
	if err != nil {
		return nil, nil, err
	}
	return Settings(r.env, project)
}

// Settings are the person's settings over those of a project.
func Settings(env func(string) string, project []byte) (*config.Settings, []yamlfile.Warning, error) {
	name, err := config.UserFile(env)
	if err != nil {
		return nil, nil, err
	}
	user, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "cannot read your settings", "check "+name)
	}
	lookup := func(name string) (string, bool) { v := env(name); return v, v != "" }
	return config.Load(config.Input{
		Env: lookup, User: config.File{Name: name, Data: user}, Project: config.File{Name: config.ProjectFile, Data: project},
	})
}

// Options are what a playbook may rely on here.
func (r Repository) Options(ctx context.Context) (playbook.Options, error) {
	roles, err := r.Roles()
	if err != nil {
		return playbook.Options{}, err
	}
	settings, _, err := r.Settings()
	if err != nil {
		return playbook.Options{}, err
	}
	return playbook.Options{Roles: roles, Agent: settings.Agent.V, Model: settings.Model.V, Commands: r.Commands(ctx)}, nil
}

// Commands are how the project is built and tested, as far as its files show.
func (r Repository) Commands(ctx context.Context) playbook.Commands {
	return playbook.Detect(r.Files(ctx), r.Read, program.OnPath(r.env("PATH")))
}

// Files lists what git knows of, and runs nothing that the repository names;
// outside a repository there is nothing.
func (r Repository) Files(ctx context.Context) []string {
	files, err := yard.WorkFiles(ctx, r.Root)
	if err != nil {
		return nil
	}
	return files
}

// Playbooks lists the repository's own playbooks by path.
func (r Repository) Playbooks() ([]string, error) {
	entries, err := os.ReadDir(r.Path(playbook.Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".yaml" || ext == ".yml" {
			files = append(files, playbook.Folder+"/"+e.Name())
		}
	}
	return files, nil
}

// Playbook reads a playbook by name or file: first the repository's own, then
// the built-in ones.
func (sh *Shell) Playbook(ctx context.Context, given string) (*core.Playbook, []playbook.Warning, error) {
	repo := sh.Repository()
	opts, err := repo.Options(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !strings.ContainsAny(given, "/.") {
		own, err := repo.Playbooks()
		if err != nil {
			return nil, nil, err
		}
		for _, file := range own {
			if strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) == given {
				return parsePlaybook(file, repo.Path(file), opts)
			}
		}
		return playbook.Builtin(given, opts)
	}
	return parsePlaybook(given, sh.Absolute(given), opts)
}

func parsePlaybook(name, path string, opts playbook.Options) (*core.Playbook, []playbook.Warning, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, core.Wrap(core.CodeNotFound, err, "cannot read the playbook", "stellwerk playbook list")
	}
	return playbook.Parse(name, data, opts)
}
