package dispatch

import (
	"errors"
	"io/fs"
	"os"
	"slices"
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

// list leaves out what is gone since the search: a sandbox cannot cover what is not there.
func (p *privateFiles) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil || !time.Now().Before(p.until) {
		p.found, p.until = p.search(), time.Now().Add(privateLasts)
	}
	return slices.DeleteFunc(slices.Clone(p.found), func(path string) bool {
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist)
	})
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
