package cli

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

type diffOptions struct{ query api.DiffQuery }

func newDiff(sh *shell) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:   "diff [RUN] [flags]",
		Short: "Show a run's changes",
		Long: `Shows what the run has changed against its base, or what one stage's current
round has. Written to a file or a pipe it is a patch that git apply takes.`,
		Example: `  stellwerk diff
  stellwerk diff brisk-otter --stat
  stellwerk diff brisk-otter --stage build > build.patch`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, first(args)) },
	}
	cmd.Flags().StringVar(&o.query.Stage, "stage", "", "only this `STAGE`")
	cmd.Flags().BoolVar(&o.query.Stat, "stat", false, "only a summary")
	completeStages(sh, cmd, "stage")
	return cmd
}

func (o *diffOptions) run(ctx context.Context, sh *shell, given string) error {
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.find(ctx, svc, given)
		if err != nil {
			return err
		}
		if !sh.json {
			return sh.diffTo(ctx, svc, id, o.query)
		}
		var text strings.Builder
		if err := svc.Diff(ctx, id, o.query, &text); err != nil {
			return err
		}
		return sh.printJSON(struct {
			Diff string `json:"diff"`
		}{text.String()})
	})
}

// diffTo prints a diff: as it is to a file or pipe, harmless and in colour to
// a screen.
func (sh *shell) diffTo(ctx context.Context, svc api.Service, id string, q api.DiffQuery) error {
	if !sh.Console.Live && !sh.Console.Ask {
		return svc.Diff(ctx, id, q, sh.Console.Out)
	}
	screen := &diffScreen{out: sh.Console.Out, style: sh.Console.Style}
	if err := svc.Diff(ctx, id, q, screen); err != nil {
		return err
	}
	return screen.flush()
}

// diffScreen shows a diff line by line.
type diffScreen struct {
	out   io.Writer
	style terminal.Style
	rest  []byte
}

func (d *diffScreen) Write(p []byte) (int, error) {
	d.rest = append(d.rest, p...)
	for {
		line, rest, found := bytes.Cut(d.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		if err := d.line(string(line)); err != nil {
			return 0, err
		}
		d.rest = rest
	}
}

func (d *diffScreen) flush() error {
	if len(d.rest) == 0 {
		return nil
	}
	return d.line(string(d.rest))
}

func (d *diffScreen) line(l string) error {
	l = strings.ReplaceAll(terminal.Text(strings.TrimSuffix(l, "\r")), "\t", "    ")
	switch {
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "diff "):
		l = d.style.Strong(l)
	case strings.HasPrefix(l, "+"):
		l = d.style.Good(l)
	case strings.HasPrefix(l, "-"):
		l = d.style.Bad(l)
	case strings.HasPrefix(l, "@@"):
		l = d.style.Faint(l)
	}
	_, err := io.WriteString(d.out, l+"\n")
	return err
}
