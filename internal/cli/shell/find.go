package shell

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// First is the optional argument that names a run.
func First(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// Find is the run that a command means: the one given, of which it returns the ID
// alone; otherwise that of the session which asks, otherwise the only open run of
// the repository in the working directory, otherwise the newest there.
func (sh *Shell) Find(ctx context.Context, svc api.Service, given string) (api.Run, error) {
	if given != "" {
		return api.Run{ID: given}, nil // an alias will do: the engine takes either
	}
	if session := sh.SessionHere(); session != "" {
		turn, err := svc.Turn(ctx, session, api.TurnQuery{Peek: true})
		if err != nil {
			return api.Run{}, err
		}
		if turn.Run != nil {
			return *turn.Run, nil
		}
	}
	open, err := svc.Runs(ctx, api.RunQuery{Dir: sh.Dir, Open: true})
	switch {
	case err != nil:
		return api.Run{}, err
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		return api.Run{}, Ambiguous(open)
	}
	ended, err := svc.Runs(ctx, api.RunQuery{Dir: sh.Dir})
	if err != nil {
		return api.Run{}, err
	}
	if len(ended) == 0 {
		return api.Run{}, core.Errorf(core.CodeNotFound, "this repository has no runs yet").
			WithHint(`stellwerk run "what you want done"`)
	}
	return slices.MaxFunc(ended, func(a, b api.Run) int { return a.StartedAt.Compare(b.StartedAt) }), nil
}

// WithRun calls fn with the engine and the run that a command means.
func (sh *Shell) WithRun(ctx context.Context, given string, fn func(svc api.Service, id string) error) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		run, err := sh.Find(ctx, svc, given)
		if err != nil {
			return err
		}
		return fn(svc, run.ID)
	})
}

// Ambiguous says that several runs are open.
func Ambiguous(open []api.Run) error {
	lines := []string{fmt.Sprintf("%d runs are open here; which one?", len(open))}
	for _, r := range open {
		lines = append(lines, fmt.Sprintf("%s  %s, %s", terminal.Line(r.Alias), terminal.Line(r.Title), terminal.Line(r.Status.InWords())))
	}
	return core.Errorf(core.CodeInvalid, "%s", strings.Join(lines, "\n")).WithHint("repeat the command with the name of a run, such as %s", terminal.Line(open[0].Alias))
}
