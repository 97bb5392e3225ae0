package start

import (
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
)

// resources are what attempts may take of this machine, by the settings.
func (a *Starter) resources(settings *config.Settings) (core.Resources, error) {
	machine, err := resource.ReadMachine(a.State)
	if err != nil {
		return core.Resources{}, core.Wrap(core.CodeUnavailable, err, "cannot read the resources of this machine, so attempts cannot be limited", "")
	}
	return settings.ResourceLimits(core.Resources{
		Attempt: core.ResourceLimits(resource.DefaultLimits(machine)), Total: core.ResourceLimits(resource.DefaultTotal(machine)),
	}), nil
}
