package relay

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// cleared is how a session begins that a person emptied: under a new name.
const cleared = "clear"

// left tells the person of a run that the session before this one carried.
func (c call) left() reply {
	if c.in.Source != cleared {
		return reply{}
	}
	folders, err := filepath.Glob(filepath.Join(c.State, "sessions", "*"))
	if err != nil {
		return reply{}
	}
	for _, folder := range folders {
		snap, err := snapshot.Read(c.State, filepath.Base(folder))
		if err != nil || snap.Root == "" || c.in.Dir != snap.Root && !strings.HasPrefix(c.in.Dir, snap.Root+"/") {
			continue
		}
		return reply{Answer: hook.Tell(fmt.Sprintf(
			"Stellwerk: run %s of this repository is with a session that is not this one. Say `/stellwerk:resume %s` to take it up here.", snap.Alias, snap.Alias))}
	}
	return reply{}
}
