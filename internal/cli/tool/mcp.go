package tool

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/mcp"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

func NewMCP(sh *shell.Shell) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the manager's tools over MCP",
		Long: `Serves the tools of a project's manager over the Model Context Protocol, on
standard input and output: delegate_to_red, send_message, update_plan,
request_clarification and show_plan, and fetch_detail for runs in waves. They do
the same as "stellwerk tool", for an agent or for a person.`,
		Example: `  stellwerk mcp
  claude mcp add shop -- stellwerk mcp --project shop`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			use := func(ctx context.Context, fn func(tool.Kit) error) error { return o.use(ctx, sh, fn) }
			return mcp.Serve(cmd.Context(), use, sh.Build.Version, io.NopCloser(sh.Console.In), unclosed{sh.Console.Out})
		},
	}
	cmd.Flags().StringVar(&o.run, "run", "", "the `RUN` to work on")
	cmd.Flags().StringVar(&o.project, "project", "", "the `PROJECT` whose open run to work on")
	o.speaks(cmd)
	return cmd
}

// unclosed is a writer that others may think they have closed.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
