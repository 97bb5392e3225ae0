package run

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type logOptions struct {
	follow  bool
	attempt string
}

func NewLog(sh *shell.Shell) *cobra.Command {
	o := &logOptions{}
	cmd := &cobra.Command{
		Use:   "log [RUN] [flags]",
		Short: "Show what happened in a run",
		Long: `Shows every event of a run, one line each: time, event, actor, details. With
--json each line is the stored event. With --attempt, shows the transcript of an
attempt's agent instead.`,
		Example: `  stellwerk log
  stellwerk log brisk-otter --follow
  stellwerk log brisk-otter --attempt build.r1.a2
  stellwerk log --json | jq -r 'select(.type == "VerifyConcluded")'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "keep printing new events")
	cmd.Flags().StringVar(&o.attempt, "attempt", "", "show the transcript of the attempt `ID`")
	return cmd
}

// page is how many events one request returns.
const page = 1000

func (o *logOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	err := sh.WithRun(ctx, given, func(svc api.Service, id string) error {
		if o.attempt != "" {
			return o.transcript(ctx, sh, svc, id)
		}
		return o.events(ctx, sh, svc, id)
	})
	if o.follow && errors.Is(err, shell.ErrInterrupted) {
		return nil
	}
	return err
}

func (o *logOptions) events(ctx context.Context, sh *shell.Shell, svc api.Service, id string) error {
	show := func(e core.Event) error {
		if sh.JSON {
			return sh.PrintJSONLine(e)
		}
		sh.Printf("%s\n", sh.View().Event(e))
		return nil
	}
	if o.follow {
		return svc.Follow(ctx, id, 0, show)
	}
	for after := int64(0); ; {
		events, err := svc.Events(ctx, id, after, page)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := show(e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
}

func (o *logOptions) transcript(ctx context.Context, sh *shell.Shell, svc api.Service, id string) error {
	silent := true
	for after := int64(0); ; {
		out, err := svc.Output(ctx, id, o.attempt, after)
		if err != nil {
			return err
		}
		for _, r := range out.Records {
			silent = false
			if sh.JSON {
				if err := sh.PrintJSONLine(r); err != nil {
					return err
				}
				continue
			}
			sh.PrintLines(sh.View().Record(r))
		}
		if out.Done || len(out.Records) == 0 && !o.follow {
			if silent {
				sh.Warn([]string{o.silence(out.Done)})
			}
			return nil
		}
		if len(out.Records) == 0 {
			if err := drive.Wait(ctx, drive.RedrawEvery); err != nil {
				return err
			}
		}
		after = out.Next
	}
}

// silence says why a transcript is empty.
func (o *logOptions) silence(ended bool) string {
	if ended {
		return o.attempt + " ended without saying anything"
	}
	return o.attempt + " has said nothing yet; --follow waits for it"
}
