package app

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// resources are what attempts may take of this machine, by the settings.
func (a *App) resources(settings *config.Settings) (core.Resources, error) {
	machine, err := resource.ReadMachine(a.state.dir)
	if err != nil {
		return core.Resources{}, core.Wrap(core.CodeUnavailable, err, "what this machine has cannot be read, so attempts cannot be bounded", "")
	}
	return settings.ResourceLimits(core.Resources{
		Attempt: core.ResourceLimits(resource.DefaultLimits(machine)), Total: core.ResourceLimits(resource.DefaultTotal(machine)),
	}), nil
}

func (a *App) examineResources() api.Examined {
	kind, _ := a.isolation()
	found, advice, err := Bounds(kind == sandbox.Sandbox)
	if err != nil {
		return api.Examined{What: "Resources", Grade: api.GradeWarn, Found: "attempts cannot be bounded: " + err.Error()}
	}
	examined := api.Examined{What: "Resources", Grade: api.GradeOK, Found: found}
	if advice != "" {
		examined.Grade, examined.Advice = api.GradeWarn, advice
	}
	return examined
}

// Bounds tries what holds attempts to their memory, processes, processor and
// disk on this machine. Advice is empty unless memory or processes are only
// watched: then it says what stands in the way.
func Bounds(sandboxed bool) (found, advice string, err error) {
	support, err := resource.Detect(sandboxed)
	if err != nil {
		return "", "", err
	}
	if !support.Memory.Enforced() || !support.Processes.Enforced() {
		advice = "what is only watched is ended within a second of passing its limit. The kernel holds it where a systemd manager runs for " +
			"this user, or in a unit with Delegate=yes. In the way here: " + strings.ReplaceAll(strings.Join(support.Why, "; "), "\n", ", ")
	}
	return support.String(), advice, nil
}
