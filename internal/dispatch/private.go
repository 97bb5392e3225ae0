package dispatch

import (
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// privateLasts is how long one search for the system's private files serves. A
// process that runs longer does not hear of newer files either, so a short
// while takes nothing away; a search before every check would cost a run as
// root many times its length.
const privateLasts = 30 * time.Second

// privateFiles remembers which of the system's files are private.
type privateFiles struct {
	search func() []string

	mu    sync.Mutex
	found []string
	until time.Time
}

func (p *privateFiles) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil || !time.Now().Before(p.until) {
		p.found, p.until = p.search(), time.Now().Add(privateLasts)
	}
	return p.found
}

// private are the files to hide from a run's processes where they are isolated.
func (d *Dispatcher) private(run *core.Run) []string {
	if isolation(run) == sandbox.None {
		return nil
	}
	return d.hidden.list()
}

// Private are the files that isolated processes do not see.
func (d *Dispatcher) Private() []string { return d.hidden.list() }
