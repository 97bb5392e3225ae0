package dispatch

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// private are the files to hide from a run's processes if they are isolated.
func (d *Dispatcher) private(run *core.Run) []string {
	if isolation(run) == sandbox.None {
		return nil
	}
	return d.hidden.get()
}

// bubblewrap is that of this machine, which only a worker on this machine can use.
func (d *Dispatcher) bubblewrap(run *core.Run) sandbox.Bubblewrap {
	if isolation(run) == sandbox.None || !d.Exchange.Shared() {
		return sandbox.Bubblewrap{}
	}
	return d.wrapper.get()
}

// here reports that an attempt works in folders of this machine, as those of an interactive session always do.
func (d *Dispatcher) here(run *core.Run, attempt string) bool {
	_, _, a := run.Attempt(attempt)
	return a != nil && a.Session != "" || d.Exchange.Shared()
}

// Private are the files that isolated processes do not see.
func (d *Dispatcher) Private() []string { return d.hidden.get() }
