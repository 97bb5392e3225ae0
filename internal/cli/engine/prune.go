package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

type pruneOptions struct {
	req    api.Prune
	older  string
	dryRun bool
}

func NewPrune(sh *shell.Shell) *cobra.Command {
	o := &pruneOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "prune [flags]",
		Short:       "Remove redundant data of old runs",
		Long: `Lists the data of ended runs that provably exists elsewhere, and with --yes
removes it: folders of attempts and workspaces, refs of attempts whose commits
the run's branch contains, and objects that no event refers to; with
--transcripts also the copies of transcripts in run folders, which are stored
as objects too.

Right before it removes an item, it proves by digest or by git that the item is
redundant. If it cannot, the item stays and is listed with the reason. It never
removes events, manifests, artifacts, data of open runs, or the only copy of
anything. You can interrupt and repeat it. With the setting retention,
stellwerk serve does this once a day.`,
		Example: `  stellwerk prune
  stellwerk prune --older-than 90d --yes
  stellwerk prune --transcripts --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().StringVar(&o.older, "older-than", "30d", "only runs that ended longer ago than `AGE`, such as 30d")
	cmd.Flags().BoolVar(&o.req.Transcripts, "transcripts", false, "also remove copies of transcripts in run folders")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "remove nothing (the default)")
	cmd.Flags().BoolVarP(&o.req.Remove, "yes", "y", false, "remove what is listed")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

func (o *pruneOptions) run(ctx context.Context, sh *shell.Shell) error {
	var err error
	if o.req.OlderThan, err = config.ParseAge(o.older); err != nil {
		return shell.Usagef("--older-than: %v", err)
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		out, err := svc.Prune(ctx, o.req)
		switch {
		case err != nil:
			return err
		case sh.JSON:
			return sh.PrintJSON(out)
		}
		printPruned(sh, out, o.older)
		return nil
	})
}

func printPruned(sh *shell.Shell, out api.Pruned, older string) {
	for _, i := range out.Items {
		sh.PrintText(fmt.Sprintf("%-10s %10s  ", i.Kind, wording.Bytes(uint64(max(i.Bytes, 0)))), terminal.Line(strings.TrimSpace(i.Run+" "+i.Name))+": "+terminal.Line(i.Proof))
	}
	for _, k := range out.Kept {
		sh.PrintText(fmt.Sprintf("%-10s %10s  ", k.Kind, "stays"), terminal.Line(strings.TrimSpace(k.Run+" "+k.Name))+": "+terminal.Line(k.Reason))
	}
	size := wording.Bytes(uint64(max(out.Bytes, 0)))
	switch {
	case len(out.Items) == 0:
		sh.Printf("Nothing older than %s can go.\n", older)
	case out.Removed:
		sh.Printf("Removed %s (%s).\n", countItems(out.Items), size)
	default:
		sh.Printf("Nothing was removed. `stellwerk prune --older-than %s --yes` removes %s (%s).\n", older, countItems(out.Items), size)
	}
}

// countItems says how many items of each kind there are.
func countItems(items []api.PrunedItem) string {
	names := map[string][2]string{
		"work": {"workspace", "workspaces"}, "attempt": {"attempt folder", "attempt folders"},
		"transcript": {"copy of a transcript", "copies of transcripts"}, "ref": {"ref", "refs"}, "object": {"object", "objects"},
	}
	counts := map[string]int{}
	var kinds []string // in the order of the list above
	for _, i := range items {
		if counts[i.Kind]++; counts[i.Kind] == 1 {
			kinds = append(kinds, i.Kind)
		}
	}
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		name, known := names[kind]
		if !known { // by a newer engine elsewhere
			name = [2]string{kind, kind}
		}
		parts[i] = wording.Number(counts[kind], name[0], name[1])
	}
	return strings.Join(parts, ", ")
}
