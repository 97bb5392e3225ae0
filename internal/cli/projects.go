package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type projectsOptions struct{ all bool }

func newProjects(sh *shell) *cobra.Command {
	o := &projectsOptions{}
	cmd := &cobra.Command{
		Use:   "projects [flags]",
		Short: "List, add and steer projects",
		Long: `Lists the repositories that Stellwerk knows, most recently active first: the
state of each, what it is working on, and its cost so far. Tasks are those of
all its runs.

The commands below take a project by its name; without one, they use the project
of the working directory.`,
		Example: `  stellwerk projects
  stellwerk projects add https://git.example.org/team/shop.git --id shop
  stellwerk projects show shop`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "also list archived projects")
	cmd.AddCommand(newProjectsAdd(sh), newProjectsShow(sh), newProjectsQueue(sh), newProjectsDrop(sh), newProjectsRequeue(sh),
		newProjectsPause(sh), newProjectsResume(sh), newProjectsArchive(sh))
	return cmd
}

func (o *projectsOptions) run(ctx context.Context, sh *shell) error {
	return sh.connect(ctx, func(svc api.Service) error {
		list, err := svc.Projects(ctx, api.ProjectQuery{All: o.all})
		if err != nil {
			return err
		}
		if sh.json {
			return sh.printJSON(api.ProjectList{Projects: append([]api.Project{}, list...)})
		}
		if len(list) == 0 && !o.all {
			aside, err := svc.Projects(ctx, api.ProjectQuery{All: true})
			if err != nil {
				return err
			}
			if len(aside) > 0 {
				sh.printf("All projects are archived: `stellwerk projects --all` lists them.\n")
				return nil
			}
		}
		if len(list) == 0 {
			sh.printf("No projects yet. `stellwerk projects add` or `stellwerk run` adds one.\n")
			return nil
		}
		sh.printLines(sh.view().Projects(list))
		return nil
	})
}

// findProject is the project that was named, or that of the working directory.
func (sh *shell) findProject(ctx context.Context, svc api.Service, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	dir, err := sh.Dir()
	if err != nil {
		return "", err
	}
	list, err := svc.Projects(ctx, api.ProjectQuery{Dir: dir})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", core.Errorf(core.CodeNotFound, "this repository is not a project yet").WithHint("stellwerk projects add .")
	}
	return list[0].ID, nil
}

// tellProject gives a person's word about a project and shows what came of it.
func (sh *shell) tellProject(ctx context.Context, what, given string, tell func(svc api.Service, id string) (api.ProjectDetail, error)) error {
	if err := sh.personal(what); err != nil {
		return err
	}
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.findProject(ctx, svc, given)
		if err != nil {
			return err
		}
		d, err := tell(svc, id)
		if err != nil {
			return err
		}
		return sh.showProject(d)
	})
}

func (sh *shell) showProject(d api.ProjectDetail) error {
	if sh.json {
		return sh.printJSON(d)
	}
	sh.warn(d.Warnings)
	sh.printLines(sh.view().Project(d))
	return nil
}
