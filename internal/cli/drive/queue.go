package drive

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// PrintQueued prints where a queued goal waits, and who starts it.
func PrintQueued(sh *shell.Shell, svc api.Service, run api.Run) error {
	if sh.JSON {
		return sh.PrintJSON(run)
	}
	e := run.Epic
	behind := ""
	if e.Behind != "" {
		behind = " behind run " + e.Behind
	}
	sh.PrintText("", fmt.Sprintf("Queued as %s of project %s, at place %d%s: %s", e.ID, e.Project, e.Place, behind, e.Title))
	if sh.EngineEnds(svc) {
		sh.Printf("  an engine starts it when its turn comes: stellwerk serve\n")
	}
	sh.Printf("  look: %s\n", sh.Command("projects queue "+terminal.Line(e.Project)))
	return nil
}

// tellQueue prints what is left in the project's queue if a run has ended and the
// engine ends with this command.
func tellQueue(ctx context.Context, sh *shell.Shell, svc api.Service, run api.Run) error {
	if sh.JSON || !run.Status.Terminal() || !sh.EngineEnds(svc) {
		return nil
	}
	p, err := svc.Project(ctx, run.Project)
	if err != nil {
		return err
	}
	if p.Run != nil && p.Run.ID != run.ID && !beside(run, *p.Run) {
		sh.PrintText("  ", fmt.Sprintf("run %[2]s has started from the queue of %[1]s; it needs an engine to go on (`stellwerk serve`)", p.Name, p.Run.Alias))
	}
	if p.Queued > 0 {
		sh.PrintText("  ", fmt.Sprintf("%d more in the queue of %s; an engine starts the next one (`stellwerk serve`)", p.Queued, p.Name))
	}
	return nil
}

// beside reports a driver that did not wait for the ended run.
func beside(ended, driver api.Run) bool {
	return ended.EndedAt != nil && driver.StartedAt.Before(*ended.EndedAt)
}
