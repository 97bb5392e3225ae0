package pack

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Adopt brings in what the events of a run name that comes back from its folder. If a repository does not have its bases, the
// error is *Away, and the yard counts as one that is not filled yet: the repository is asked again, by the next engine, too. The
// store says what to ask for, so a run that is not in it yet is adopted once more when it is.
func (y *Yards) Adopt(ctx context.Context, project, run string, events []core.Event) error {
	o := y.entry(project)
	o.mu.Lock()
	defer o.mu.Unlock()
	opened, err := y.current(ctx, project, o)
	if err != nil {
		return err
	}
	err = y.Code.RestoreRun(ctx, opened, project, run, events)
	if err == nil || !usable(err) {
		return err
	}
	return errors.Join(err, opened.Unrestored(), o.lacksMore(err))
}
