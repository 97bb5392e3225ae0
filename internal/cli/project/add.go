package project

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type addOptions struct{ req api.AddProject }

func newAdd(sh *shell.Shell) *cobra.Command {
	o := &addOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "add PATH|URL [flags]",
		Short:       "Add a repository, or change its name or playbook",
		Long: `Adds a repository: one on this machine by its path, or one on a server by its
https, http or ssh URL, which then needs no working copy here. If Stellwerk
knows the repository already, sets its name and playbook.

A URL must not contain a password or a token: Stellwerk stores and shows it.`,
		Example: `  stellwerk projects add . --id shop --playbook project-rules
  stellwerk projects add git@git.example.org:team/shop.git`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args[0]) },
	}
	cmd.Flags().StringVar(&o.req.Name, "id", "", "`NAME` of the project (default: from its path or URL)")
	cmd.Flags().StringVarP(&o.req.Playbook, "playbook", "p", "", "default playbook `NAME` of its runs")
	cmd.Flags().StringVar(&o.req.Base, "base", "", "`BRANCH` to work on (default: the current one)")
	shell.CompleteFlag(cmd, "playbook", shell.Offer(sh.PlaybookNames))
	return cmd
}

func (o *addOptions) run(ctx context.Context, sh *shell.Shell, where string) error {
	o.req.Repository = where
	if before, _, _ := strings.Cut(where, "/"); where != "" && !strings.HasPrefix(where, "-") && !strings.Contains(before, ":") && !filepath.IsAbs(where) {
		if err := sh.NotElsewhere("a folder here", "give a URL, or an absolute path on the engine's machine"); err != nil {
			return err
		}
		o.req.Repository = filepath.Join(sh.Dir, where)
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		d, err := svc.AddProject(ctx, o.req)
		if err != nil {
			return err
		}
		return printProject(sh, d)
	}, shell.Anew)
}
