package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/naming"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/show"
)

// Import implements api.Service: it rebuilds a run from its folder. The same
// history is dropped, a longer folder's tail is taken over, a different one is
// refused and named.
func (a *Service) Import(ctx context.Context, req api.Import) (api.Imported, error) {
	manifest, err := runfolder.ReadManifest(filepath.Join(req.Folder, runfolder.ManifestFile))
	if err != nil {
		return api.Imported{}, err
	}
	kind, id := core.StreamKind(manifest.Stream)
	if kind != "run" || len(manifest.Events) == 0 {
		return api.Imported{}, core.Errorf(core.CodeInvalid, "%s holds no run", req.Folder).WithHint("name a folder below runs/ of a state folder")
	}
	if erased, err := a.engine.Erased(ctx, manifest.Stream); err != nil {
		return api.Imported{}, err
	} else if erased {
		return api.Imported{}, core.RunErased(id)
	}
	project, err := a.adopt(ctx, req, id, manifest.Events)
	if err != nil {
		return api.Imported{}, err
	}
	n, err := a.takeEvents(ctx, project, id, manifest.Events)
	if err != nil {
		return api.Imported{}, err
	}
	run, err := a.engine.Load(ctx, id)
	if err == nil {
		err = errors.Join(a.engine.Tend(ctx, run.Project), a.takeArtifacts(id, req.Folder))
	}
	if err != nil {
		return api.Imported{}, err
	}
	imported := api.Imported{Run: show.Run(run), Events: n}
	if manifest.TornTail != nil {
		imported.Torn = manifest.TornTail.String()
	}
	return imported, nil
}

// takeEvents brings the run's commits back if its yard was lost as well, then its events. The commits come from packs, and the
// one that it began at from the repository, if that stands for it. A run whose repository is away is rebuilt all the same: what
// has ended can be looked at, and what goes on says what it misses until the repository is back.
func (a *Service) takeEvents(ctx context.Context, project, id string, events []core.Event) (int, error) {
	missing := a.yards.Adopt(ctx, project, id, events)
	n, err := a.engine.Import(ctx, id, events)
	if err != nil || missing == nil {
		return n, err
	}
	if missing = a.yards.Adopt(ctx, project, id, events); missing != nil {
		a.log.Warn("not all of the run's code could be brought back", "run", id, "error", missing)
	}
	return n, nil
}

// adopt brings back what a run rests on besides its events and commits: its project, and the documents and packs that are not
// among the objects any more. It returns the project.
func (a *Service) adopt(ctx context.Context, req api.Import, id string, events []core.Event) (string, error) {
	folder := req.Folder
	body, err := core.Decode(events[0])
	if err != nil {
		return "", err
	}
	started, ok := body.(core.RunStarted)
	if !ok {
		return "", core.Errorf(core.CodeInvalid, "the history in %s does not begin with the start of a run", folder)
	}
	if _, err := uuid.Parse(id); err != nil || started.Run != id || !a.find.Keys(started.Project, started.Folder()) {
		return "", core.Errorf(core.CodeInvalid, "the history in %s does not name one run of one project", folder)
	}
	if err := a.vouched(req, started); err != nil {
		return "", err
	}
	project, err := a.engine.Project(ctx, started.Project)
	if err != nil {
		return "", err
	}
	if project == nil {
		home := started.Folder()
		body := core.ProjectRegistered{Project: started.Project, Name: naming.Project(home), URL: home}
		if filepath.IsAbs(home) {
			body.Path, body.URL = home, ""
		}
		if err := a.start.Register(ctx, body, started.Base); err != nil {
			return "", err
		}
	}
	for _, name := range []string{runfolder.ArtifactsDir, runfolder.PacksDir} {
		if err := a.restoreObjects(ctx, folder, name); err != nil {
			return "", err
		}
	}
	return started.Project, a.restoreEffects(folder, id)
}

// restoreEffects takes over what the run's agents did, which no event tells
// whole. The run does not rest on it: what is damaged ends it, and is logged.
func (a *Service) restoreEffects(folder, run string) error {
	var records []runfolder.SideEffect
	err := runfolder.EachSideEffect(folder, func(e runfolder.SideEffect) error {
		if e.Run == run {
			records = append(records, e)
		}
		return nil
	})
	if err != nil {
		a.log.Warn("not all that agents did could be taken over", "run", run, "error", err)
	}
	return a.journal.Use(run, func(f *runfolder.Folder) error { return f.SideEffects(records...) })
}

// vouched refuses a history from elsewhere that nobody has vouched for, because it
// says which programs run, and how isolated. A folder of this state folder was
// written by an engine of the same person.
func (a *Service) vouched(req api.Import, started core.RunStarted) error {
	folder, err := filepath.EvalSymlinks(req.Folder)
	if err != nil {
		return core.Wrap(core.CodeNotFound, err, "the run's folder cannot be read", "check the path")
	}
	for _, phase := range started.Playbook.Phases {
		if !role.ValidName(phase.ID) {
			return core.Errorf(core.CodeInvalid, "the history in %s has a stage named %.80q", folder, phase.ID)
		}
	}
	if req.Trust || folder == a.journal.Dir(started.Run) {
		return nil
	}
	return core.Errorf(core.CodeUntrusted, "the run in %s comes from elsewhere, and Stellwerk would do what its playbook %q says", folder, started.Playbook.Name).
		WithHint("read its manifest.jsonl, then repeat").Offer(core.Choice{Verb: core.VerbWithTrust})
}

// within hands a folder inside a run's folder to fn, if it is there.
func within(folder, name string, fn func(*os.Root) error) error {
	root, err := os.OpenRoot(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the run's %s: %w", name, err)
	}
	defer func() { _ = root.Close() }() // only read from
	return fn(root)
}

// takeArtifacts copies the documents of a folder from elsewhere into the run's own.
func (a *Service) takeArtifacts(run, folder string) error {
	return within(folder, runfolder.ArtifactsDir, func(root *os.Root) error {
		return a.journal.Use(run, func(f *runfolder.Folder) error { return f.TakeArtifacts(root.FS()) })
	})
}

func (a *Service) restoreObjects(ctx context.Context, folder, name string) error {
	return within(folder, name, func(root *os.Root) error {
		return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			file, err := root.Open(path)
			if err != nil {
				return fmt.Errorf("read the run's %s: %w", name, err)
			}
			_, _, err = a.objects.Put(ctx, file, 0)
			return errors.Join(err, file.Close())
		})
	})
}
