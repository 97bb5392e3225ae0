package engine

import (
	"reflect"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// playbooks has runs with equal playbooks hold the same one: with the prompts of its roles it is most of what a run at rest holds in
// memory. Nobody changes a playbook; a swap replaces it.
type playbooks struct {
	mu     sync.Mutex
	recent []*core.Playbook // the one that was shared last first
}

// recentPlaybooks is how many different ones are kept for others to share.
const recentPlaybooks = 16

// share returns the playbook that equals p if there was one lately, or p.
func (b *playbooks) share(p *core.Playbook) *core.Playbook {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := 0
	for at < len(b.recent) && !reflect.DeepEqual(b.recent[at], p) {
		at++
	}
	switch {
	case at < len(b.recent):
		p = b.recent[at]
	case len(b.recent) < recentPlaybooks:
		b.recent = append(b.recent, nil)
	default:
		at--
	}
	copy(b.recent[1:at+1], b.recent[:at])
	b.recent[0] = p
	return p
}
