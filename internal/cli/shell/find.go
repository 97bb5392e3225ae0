package shell

import (
	"context"
	"fmt"
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

// Find names the run a command means: the one given, otherwise that of the
// session which asks, otherwise the only open
// run of the repository in the working directory, otherwise the newest there.
func (sh *Shell) Find(ctx context.Context, svc api.Service, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if id, err := sh.owned(ctx, svc); err != nil || id != "" {
		return id, err
	}
	dir, err := sh.Dir()
	if err != nil {
		return "", err
	}
	open, err := svc.Runs(ctx, api.RunQuery{Dir: dir, Open: true})
	if err != nil {
		return "", err
	}
	switch len(open) {
	case 1:
		return open[0].ID, nil
	case 0:
		return newest(ctx, svc, dir)
	}
	return "", Ambiguous(open)
}

func newest(ctx context.Context, svc api.Service, dir string) (string, error) {
	runs, err := svc.Runs(ctx, api.RunQuery{Dir: dir})
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", core.Errorf(core.CodeNotFound, "this repository has no runs yet").
			WithHint(`stellwerk run "what you want done"`)
	}
	latest := runs[0]
	for _, r := range runs {
		if r.StartedAt.After(latest.StartedAt) {
			latest = r
		}
	}
	return latest.ID, nil
}

func Ambiguous(open []api.Run) error {
	lines := []string{fmt.Sprintf("%d runs are open here; which one?", len(open))}
	for _, r := range open {
		lines = append(lines, fmt.Sprintf("%s  %s, %s", terminal.Line(r.Alias), terminal.Line(r.Title), terminal.Line(r.Status.InWords())))
	}
	return core.Errorf(core.CodeInvalid, "%s", strings.Join(lines, "\n")).WithHint("repeat the command with the name of a run, such as %s", terminal.Line(open[0].Alias))
}
