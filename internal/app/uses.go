package app

import (
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/equipment"
	"github.com/stellwerk-dev/stellwerk/internal/forges"
	"github.com/stellwerk-dev/stellwerk/internal/roster"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// uses is whose credentials this engine works with: those of its own environment and settings, whoever's project it owns.
func (a *App) uses() roster.Uses {
	return roster.Uses{Person: Person(), Forge: forges.Whose(a.settings.Forge), Model: equipment.ModelCredential(a.settings.Credential, os.Getenv)}
}

// publisher says, for who approves, as whom a run would be published; nil if no other engine could do it.
func (a *App) publisher() func(*core.Run) string {
	if !a.place.Shared() {
		return nil
	}
	return func(run *core.Run) string {
		return roster.Publishes(a.uses(), statefolder.Host(), run.ForgeURL != "")
	}
}
