package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

type pruneOptions struct {
	older       string
	transcripts bool
	dryRun      bool
	yes         bool
}

func newPrune(sh *shell) *cobra.Command {
	o := &pruneOptions{}
	cmd := &cobra.Command{
		Use:   "prune [flags]",
		Short: "Remove from the state folder what is kept elsewhere",
		Long: `Says what of runs that are over is proved to be kept elsewhere, and with --yes
removes it: folders of attempts and of work, refs of attempts whose commits the
run's branch holds, blobs that no event speaks of; with --transcripts also the
copies of transcripts in run folders, which are among the blobs.

Each thing is proved right before it goes: by its digest, or by git. What cannot
be proved stays, and is listed with the reason. Events, manifests, artifacts,
whatever belongs to an open run, and the only copy of anything stay always.
Cut short, it can be repeated. The setting retention has an engine that serves
do it once a day.`,
		Example: `  stellwerk prune
  stellwerk prune --older-than 90d --yes
  stellwerk prune --transcripts --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().StringVar(&o.older, "older-than", "30d", "how long ago runs must have ended: `AGE` such as 30d")
	cmd.Flags().BoolVar(&o.transcripts, "transcripts", false, "copies of transcripts in run folders, too")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "remove nothing, which is also what happens without --yes")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "remove it")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

func (o *pruneOptions) run(ctx context.Context, sh *shell) error {
	if err := sh.personal("what is removed"); err != nil {
		return err
	}
	age, err := config.ParseAge(o.older)
	if err != nil {
		return usagef("--older-than: %v", err)
	}
	var out api.Pruned
	err = sh.connect(ctx, func(svc api.Service) (err error) {
		out, err = svc.Prune(ctx, api.Prune{OlderThan: age, Transcripts: o.transcripts, Remove: o.yes})
		return err
	})
	if err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(out)
	}
	sh.printPruned(out, o.older)
	return nil
}

func (sh *shell) printPruned(out api.Pruned, older string) {
	for _, i := range out.Items {
		sh.printText(fmt.Sprintf("%-10s %10s  ", i.Kind, wording.Bytes(uint64(max(i.Bytes, 0)))), terminal.Line(named(i.Run, i.Name))+": "+terminal.Line(i.Proof))
	}
	for _, k := range out.Kept {
		sh.printText(fmt.Sprintf("%-10s %10s  ", k.Kind, "stays"), terminal.Line(named(k.Run, k.Name))+": "+terminal.Line(k.Reason))
	}
	size := wording.Bytes(uint64(max(out.Bytes, 0)))
	switch {
	case len(out.Items) == 0:
		sh.printf("Nothing older than %s can go.\n", older)
	case out.Removed:
		sh.printf("Removed %d things, %s.\n", len(out.Items), size)
	default:
		sh.printf("Nothing was removed. `stellwerk prune --older-than %s --yes` removes %d things, %s.\n", older, len(out.Items), size)
	}
}

func named(run, name string) string {
	if run == "" {
		return name
	}
	return run + " " + name
}
