package dispatch

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Resources are the bounds the run was started with. Attempts of one state folder
// share the bounds in all. A run from before there were any has none.
func Resources(run *core.Run, l Layout) shim.Resources {
	if run.Resources == (core.Resources{}) {
		return shim.Resources{}
	}
	return shim.Resources{
		Limits: resource.Limits(run.Resources.Attempt), Total: resource.Limits(run.Resources.Total),
		Owner: l.ResourceOwner(), Shared: l.Resources(),
	}
}

// ResourceOwner is whose bounds the attempts of this state folder share.
func (l Layout) ResourceOwner() string {
	sum := sha256.Sum256([]byte(l.State))
	return "stellwerk-" + hex.EncodeToString(sum[:6])
}

// breach is the limit a process ran into, if that was its end or may have been
// the reason for it; empty otherwise.
func breach(exit shim.Exit) string {
	if exitKind(exit) == core.ExitFinished || exit.Resources == nil || exit.Resources.Breach == nil {
		return ""
	}
	return exit.Resources.Breach.String()
}

// consumption is what an attempt took of the machine, for its record.
func consumption(exit shim.Exit) *core.Consumption {
	took := exit.Resources
	if took == nil {
		return nil
	}
	out := &core.Consumption{
		PeakMemory: took.PeakMemory, PeakProcesses: took.PeakProcesses, CPUSeconds: took.CPUSeconds, Disk: took.Disk,
		Held: took.Held.String(),
	}
	if took.Breach != nil {
		out.Breach, out.Exceeded = took.Breach.String(), string(took.Breach.Resource)
	}
	return out
}
