// Package project has the commands that list, add and steer projects.
package project

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type listOptions struct{ all bool }

func New(sh *shell.Shell) *cobra.Command {
	o := &listOptions{}
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
	cmd.AddCommand(newAdd(sh), newShow(sh), newQueue(sh), newDrop(sh), newRequeue(sh),
		newPause(sh), newResume(sh), newArchive(sh), newErase(sh))
	return cmd
}

func (o *listOptions) run(ctx context.Context, sh *shell.Shell) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		list, err := svc.Projects(ctx, api.ProjectQuery{All: o.all})
		if err != nil {
			return err
		}
		none := "No projects yet. `stellwerk projects add` or `stellwerk run` adds one."
		if len(list) == 0 && !o.all {
			archived, err := svc.Projects(ctx, api.ProjectQuery{All: true})
			if err != nil {
				return err
			}
			if len(archived) > 0 {
				none = "All projects are archived: `stellwerk projects --all` lists them."
			}
		}
		return sh.PrintList(api.ProjectList{Projects: append([]api.Project{}, list...)}, sh.View().Projects(list), none)
	})
}

// Find is the project that was named, or that of the working directory.
func Find(ctx context.Context, sh *shell.Shell, svc api.Service, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	list, err := svc.Projects(ctx, api.ProjectQuery{Dir: sh.Dir})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", core.Errorf(core.CodeNotFound, "this repository is not a project yet").WithHint("stellwerk projects add .")
	}
	return list[0].ID, nil
}

// answer asks the engine about a project, or tells it something, and prints the
// project.
func answer(ctx context.Context, sh *shell.Shell, given string, tell func(svc api.Service, id string) (api.ProjectDetail, error)) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		id, err := Find(ctx, sh, svc, given)
		if err != nil {
			return err
		}
		d, err := tell(svc, id)
		if err != nil {
			return err
		}
		return printProject(sh, d)
	})
}

func printProject(sh *shell.Shell, d api.ProjectDetail) error {
	if !sh.JSON {
		sh.Warn(d.Warnings)
	}
	return sh.Print(d, sh.View().Project(d)...)
}
