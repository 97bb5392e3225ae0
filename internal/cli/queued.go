package cli

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// queued says where a goal waits that could not begin at once, and who starts
// it.
func (sh *shell) queued(svc api.Service, run api.Run) error {
	if sh.json {
		return sh.printJSON(run)
	}
	e := run.Epic
	behind := ""
	if e.Behind != "" {
		behind = " behind run " + e.Behind
	}
	sh.printText("", fmt.Sprintf("Queued as %s of project %s, at place %d%s: %s", e.ID, e.Project, e.Place, behind, e.Title))
	if sh.ours(svc) {
		sh.printf("  an engine starts it when its turn comes: stellwerk serve\n")
	}
	sh.printf("  look: %s\n", sh.command("projects queue "+terminal.Line(e.Project)))
	return nil
}

// others says what became of the project's queue when a run has ended and the
// engine ends with this command.
func (sh *shell) others(ctx context.Context, svc api.Service, run api.Run) error {
	if sh.json || !run.Status.Terminal() || !sh.ours(svc) {
		return nil
	}
	p, err := svc.Project(ctx, run.Project)
	if err != nil {
		return err
	}
	if p.Run != nil && p.Run.ID != run.ID && !beside(run, *p.Run) {
		sh.printText("  ", fmt.Sprintf("run %[2]s has started from the queue of %[1]s; it needs an engine to go on (`stellwerk serve`)", p.Name, p.Run.Alias))
	}
	if p.Queued > 0 {
		sh.printText("  ", fmt.Sprintf("%d more in the queue of %s; an engine starts the next one (`stellwerk serve`)", p.Queued, p.Name))
	}
	return nil
}

// beside reports a run that drove the project before another ended, and did not
// wait for that.
func beside(ended, driver api.Run) bool {
	return ended.EndedAt != nil && driver.StartedAt.Before(*ended.EndedAt)
}
