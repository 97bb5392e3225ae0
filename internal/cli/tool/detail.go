package tool

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

func newDetail(sh *shell.Shell, t *options) *cobra.Command {
	var req api.FetchDetail
	var list bool
	cmd := &cobra.Command{
		Use:   "detail ID|NAME [flags]",
		Short: "Read a document of a run in waves",
		Long:  tool.ExplainDetail,
		Example: `  fetch-detail d3
  fetch-detail db_schema.md
  fetch-detail --list`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name = shell.First(args)
			switch {
			case list && req.Name != "":
				return shell.Usagef("give a name or --list, not both")
			case list:
				return call(cmd.Context(), sh, t, tool.SayDetails, func(k tool.Kit) (api.DetailIndex, error) {
					return k.Details(cmd.Context(), k.Run)
				})
			case req.Name == "":
				return shell.Usagef("name a document; --list shows them")
			case req.From < 0:
				return shell.Usagef("--from: must be 0 or more")
			}
			return call(cmd.Context(), sh, t, tool.SayDetail, func(k tool.Kit) (api.FetchedDetail, error) {
				return k.Detail(cmd.Context(), k.Run, req)
			})
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the documents")
	cmd.Flags().Int64Var(&req.From, "from", 0, "start at this `BYTE`, to read a part that was cut")
	return cmd
}
