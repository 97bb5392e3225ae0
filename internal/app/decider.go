package app

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/decider/rules"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
)

// deciders are who chooses, one for each kind of playbook.
func deciders() []core.Decider {
	return []core.Decider{phases.Decider{}, rules.Decider{}, manager.Decider{}, waves.Decider{}}
}
