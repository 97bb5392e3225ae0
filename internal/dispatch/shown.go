package dispatch

import (
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// errExposed means that a folder which the person shows to agents has a socket in
// it: that stays so until somebody takes one or the other away.
var errExposed = errors.New("agents could connect to a socket of this machine")

// shown are the folders that a run's processes see besides their own: the
// project's yard, and what the person shows to all.
func (d *Dispatcher) shown(run *core.Run, y *yard.Yard) ([]string, error) {
	if isolation(run) != sandbox.None {
		found := d.exposed.get()
		if len(found.Sockets) > 0 { // it may have been put right meanwhile
			found = d.exposed.renew()
		}
		if err := refusal(found); err != nil {
			return nil, fmt.Errorf("%w; %s", err, err.Hint)
		}
	}
	return append([]string{y.Dir()}, d.ReadOnly...), nil
}

// Exposed refuses a run if a folder that the person shows to agents has a socket
// of this machine in it. The remark says what could not be searched.
func (d *Dispatcher) Exposed() (remark string, err error) {
	found := d.exposed.renew()
	if err := refusal(found); err != nil {
		return "", err
	}
	if found.Unsearched != "" {
		remark = fmt.Sprintf("the folders under `read_only` are too large to be searched for sockets: the search ended at %s. "+
			"Agents can connect to a socket in there; list smaller folders", found.Unsearched)
	}
	return remark, nil
}

// refusal is nil if no socket was found.
func refusal(found sandbox.Exposed) *core.Error {
	if len(found.Sockets) == 0 {
		return nil
	}
	first, others := found.Sockets[0], ""
	if n := len(found.Sockets) - 1; n > 0 {
		others = fmt.Sprintf(", and %d more", n)
	}
	return core.Errorf(core.CodeForbidden, "%w: %s%s lies in %s, which `read_only` shows to agents, and a read-only folder keeps nobody from connecting",
		errExposed, first.Path, others, first.Folder).
		WithHint("take %s off `read_only`, or list the folders below it that agents need", first.Folder)
}
