package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

type projectsAddOptions struct{ req api.AddProject }

func newProjectsAdd(sh *shell) *cobra.Command {
	o := &projectsAddOptions{}
	cmd := &cobra.Command{
		Use:   "add PATH|URL [flags]",
		Short: "Put a repository under Stellwerk, or name one",
		Long: `Puts a repository under Stellwerk: one on this machine by its path, or one on a
server by its https, http or ssh URL, which then needs no working copy here.
For one that is there already, sets its name and playbook.

A URL must not hold a password or a token: it is kept and shown.`,
		Example: `  stellwerk projects add . --id shop --playbook project-rules
  stellwerk projects add git@git.example.org:team/shop.git`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args[0]) },
	}
	cmd.Flags().StringVar(&o.req.Name, "id", "", "`NAME` that commands know it by (default from its place)")
	cmd.Flags().StringVarP(&o.req.Playbook, "playbook", "p", "", "playbook `NAME` that drives it where run names none")
	cmd.Flags().StringVar(&o.req.Base, "base", "", "`BRANCH` that is looked at (default the current one)")
	completePlaybooks(sh, cmd)
	return cmd
}

func (o *projectsAddOptions) run(ctx context.Context, sh *shell, where string) error {
	if err := sh.personal("projects add"); err != nil {
		return err
	}
	dir, err := sh.Dir()
	if err != nil {
		return err
	}
	o.req.Repository = where
	if before, _, _ := strings.Cut(where, "/"); where != "" && !strings.HasPrefix(where, "-") && !strings.Contains(before, ":") && !filepath.IsAbs(where) {
		if err := sh.notElsewhere("a folder here", "name a URL, or a path on the engine's machine from its root"); err != nil {
			return err
		}
		o.req.Repository = filepath.Join(dir, where)
	}
	return sh.connect(ctx, func(svc api.Service) error {
		d, err := svc.AddProject(ctx, o.req)
		if err != nil {
			return err
		}
		return sh.showProject(d)
	})
}
