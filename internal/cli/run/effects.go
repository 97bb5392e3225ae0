package run

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type effectsOptions struct {
	tool, outcome string
	last          uint
}

func NewEffects(sh *shell.Shell) *cobra.Command {
	o := &effectsOptions{}
	cmd := &cobra.Command{
		Use:   "effects [RUN] [ATTEMPT] [flags]",
		Short: "Show every tool call that agents made",
		Long: `Shows the tool calls of a run's agents, newest last: time, attempt, tool,
outcome and arguments, shortened and without secrets. The full record is in
transcripts/ in the run's folder. Connections to hosts other than the model's
appear as the tool network.

Outcomes:
  ok          the call succeeded
  error       the call failed
  denied      the call did not run: the role does not list the tool, or a rule
              or a session's guard forbids it
  refused     the engine refused one of Stellwerk's own tools, or a connection
              to a host that agents may not reach
  running     no result yet
  unknown     the attempt ended without a result for the call
  unobserved  the agent does not report its calls and cannot be held to its
              role's tools: one line for everything the attempt did

--json prints {"effects": […], "left_out": N, "total": N}.`,
		Example: `  stellwerk effects
  stellwerk effects brisk-otter build.r1.a2
  stellwerk effects brisk-otter --outcome denied
  stellwerk effects brisk-otter --tool network --outcome refused
  stellwerk effects --tool Bash --json | jq -r '.effects[].input.command'`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: shell.CompleteAttempts(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args) },
	}
	cmd.Flags().StringVar(&o.tool, "tool", "", "only calls of the tool `NAME`")
	cmd.Flags().StringVar(&o.outcome, "outcome", "", "only calls with this `OUTCOME`")
	cmd.Flags().UintVarP(&o.last, "last", "n", 0, "show only the last `N`; 0 for all")
	shell.CompleteFlag(cmd, "tool", cobra.NoFileCompletions)
	shell.CompleteFlag(cmd, "outcome", shell.Choices(api.EffectOutcomes()...))
	return cmd
}

func (o *effectsOptions) run(ctx context.Context, sh *shell.Shell, args []string) error {
	if all := api.EffectOutcomes(); o.outcome != "" && !slices.Contains(all, o.outcome) {
		return shell.Usagef("--outcome %s: no such outcome; use one of %s", o.outcome, strings.Join(all, ", "))
	}
	return sh.WithRun(ctx, shell.First(args), func(svc api.Service, id string) error {
		q := api.EffectQuery{Tool: o.tool, Outcome: o.outcome, Limit: int(o.last)}
		if len(args) > 1 {
			q.Attempt = args[1]
		}
		list, err := svc.Effects(ctx, id, q)
		if err != nil {
			return err
		}
		list.Effects = append([]api.Effect{}, list.Effects...)
		return sh.Print(list, sh.View().Effects(list)...)
	})
}
