package shell

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// CompleteProjects offers the projects where a command's first argument names
// one.
func CompleteProjects(sh *Shell) Completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return sh.offerProjects(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteAddressees offers the projects and the open runs, where a conversation
// is named by either.
func CompleteAddressees(sh *Shell) Completer {
	projects, runs := CompleteProjects(sh), CompleteOpenRuns(sh)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		offers, directive := projects(cmd, args, typed)
		more, _ := runs(cmd, args, typed)
		return append(offers, more...), directive
	}
}

// CompleteEpics offers the projects, and behind one the epics of its queue.
func CompleteEpics(sh *Shell) Completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offers []cobra.Completion
		switch len(args) {
		case 0:
			offers = sh.offerProjects(cmd.Context())
		case 1:
			sh.askEngine(cmd.Context(), func(ctx context.Context, svc api.Service) error {
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

func (sh *Shell) offerProjects(ctx context.Context) []cobra.Completion {
	var offers []cobra.Completion
	sh.askEngine(ctx, func(ctx context.Context, svc api.Service) error {
		list, err := svc.Projects(ctx, api.ProjectQuery{All: true})
		for _, p := range list {
			offers = append(offers, cobra.CompletionWithDesc(p.Name, p.Repository))
		}
		return err
	})
	return offers
}

// askEngine asks the engine that runs, if one does. Completion starts none, and has
// nobody to tell of an error.
func (sh *Shell) askEngine(ctx context.Context, fn func(context.Context, api.Service) error) {
	opts, err := sh.Options()
	if err != nil {
		return
	}
	opts.Existing = true
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, CompleteTimeout)
	defer cancel()
	_ = sh.ConnectTo(ctx, opts, func(svc api.Service) error { return fn(ctx, svc) })
}
