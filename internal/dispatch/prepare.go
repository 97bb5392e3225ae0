package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Prepare begins the starts of attempts: the workspace, the inputs, the prompt
// and the spec lie in Stellwerk's own folders and are made again or swept where
// nothing comes of them. No process is started and nobody is told before
// Reconcile asks for the attempt, so that the run's folder can be brought to
// the disk meanwhile.
func (d *Dispatcher) Prepare(run *core.Run, fence int64, actions []core.Action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || run.Stream.Seq < d.seen[run.ID].seq {
		return
	}
	for _, action := range actions {
		a, ok := action.(core.StartAttempt)
		key := run.ID + " " + core.KeyOf(action)
		if !ok || a.Session != "" || d.flight[key] != nil { // a session's agent is told where its workspace is
			continue
		}
		d.launch(key, run, fence, a, make(chan struct{}))
	}
}

// ask tells an action under way that it is wanted, or wanted once more. The
// dispatcher's mu is held, as in end.
func (j *job) ask() {
	if j.wanted == nil {
		j.asked = true
		return
	}
	close(j.wanted)
	j.wanted = nil
}

// end tells an action under way that it is not to be carried out, and why. If it is asked for
// again before it has ended, it begins anew then.
func (j *job) end(why error) {
	j.cancel(why)
	if j.wanted != nil {
		j.withdrawn = true
		close(j.wanted)
		j.wanted = nil
	}
}

// awaitWanted returns once an action is to be carried out and not only
// prepared.
func (d *Dispatcher) awaitWanted(ctx context.Context, run *core.Run, a core.Action) error {
	d.mu.Lock()
	under := d.flight[run.ID+" "+core.KeyOf(a)]
	wanted := under.wanted
	d.mu.Unlock()
	if wanted != nil {
		select {
		case <-wanted:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if under.withdrawn {
		return errUnwanted
	}
	return nil
}
