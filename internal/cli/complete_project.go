package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// completeProjects offers the projects where a command's first argument names
// one.
func completeProjects(sh *shell) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return sh.offerProjects(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeAddressees offers the projects and the open runs, where a conversation
// is named by either.
func completeAddressees(sh *shell) completer {
	projects, runs := completeProjects(sh), completeOpenRuns(sh)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		offers, directive := projects(cmd, args, typed)
		more, _ := runs(cmd, args, typed)
		return append(offers, more...), directive
	}
}

// completeEpics offers the projects, and behind one the epics of its queue.
func completeEpics(sh *shell) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offers []cobra.Completion
		switch len(args) {
		case 0:
			offers = sh.offerProjects(cmd.Context())
		case 1:
			sh.whisper(cmd.Context(), func(ctx context.Context, svc api.Service) error {
				d, err := svc.Project(ctx, args[0])
				for _, e := range d.Queue {
					offers = append(offers, cobra.CompletionWithDesc(e.ID, e.Title))
				}
				return err
			})
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

func (sh *shell) offerProjects(ctx context.Context) []cobra.Completion {
	var offers []cobra.Completion
	sh.whisper(ctx, func(ctx context.Context, svc api.Service) error {
		list, err := svc.Projects(ctx, api.ProjectQuery{All: true})
		for _, p := range list {
			offers = append(offers, cobra.CompletionWithDesc(p.Name, p.Repository))
		}
		return err
	})
	return offers
}

// whisper asks the engine that runs, if one does. Completion starts none, and has
// nobody to tell of an error.
func (sh *shell) whisper(ctx context.Context, fn func(context.Context, api.Service) error) {
	opts, err := sh.options()
	if err != nil {
		return
	}
	opts.Existing = true
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	_ = sh.connectTo(ctx, opts, func(svc api.Service) error { return fn(ctx, svc) })
}
