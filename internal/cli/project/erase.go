package project

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

type eraseOptions struct {
	reason string
	yes    bool
}

func newErase(sh *shell.Shell) *cobra.Command {
	o := &eraseOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "erase PROJECT [flags]",
		Short:       "Erase the content of a project for good",
		Long: `Erases what people and agents wrote in a project and all its runs: goals,
prompts, messages, transcripts, deliveries, names. All its runs must be over.
Nothing brings it back but a backup, which still has it.

What stays is the skeleton of the history: ids, types, times and hashes, so that
stellwerk audit verify still holds, and a record of who erased it and why. Your
repository and pull requests are not touched.

Type the project's name to confirm, or give --yes.`,
		Example: `  stellwerk projects erase shop
  stellwerk projects erase shop --yes -m "asked for by the customer"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: shell.CompleteProjects(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args[0]) },
	}
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "reason, as `TEXT`, which stays on record")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for the project's name")
	return cmd
}

func (o *eraseOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		p, err := svc.Project(ctx, given)
		if err != nil {
			return err
		}
		req := api.EraseProject{Name: p.Name, Reason: o.reason}
		if !o.yes {
			if !sh.Console.Ask {
				return shell.Usagef("nobody can be asked here: add --yes to erase project %s for good", p.Name)
			}
			question := fmt.Sprintf("Everything written in project %s and its runs is erased for good. Type its name to go on:", terminal.Line(p.Name))
			if req.Name, err = sh.Prompt(ctx, question+" "); err != nil {
				return err
			}
		}
		out, err := svc.EraseProject(ctx, p.ID, req)
		if err != nil {
			return err
		}
		if sh.JSON {
			return sh.PrintJSON(out)
		}
		sh.Printf("Erased project %s: the content of %s in %s.\n", terminal.Line(out.Name), wording.Number(int(out.Events), "event", "events"), wording.Number(out.Runs, "run", "runs"))
		if out.Objects > 0 {
			sh.Printf("Removed %s, %s.\n", wording.Number(out.Objects, "object", "objects"), wording.Bytes(uint64(max(out.Bytes, 0))))
		}
		sh.Printf("Objects younger than a day go within two days, while an engine runs. Backups still have everything.\n")
		if out.Pending != "" {
			sh.Warn([]string{"not all of it could be removed on this machine, which is tried again: " + out.Pending})
		}
		return nil
	})
}
