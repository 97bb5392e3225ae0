package wording

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestResources(t *testing.T) {
	if got := Resources(core.ResourceLimits{}); got != "" {
		t.Errorf("%q", got)
	}
	all := core.ResourceLimits{Memory: 4 << 30, Processes: 100, CPU: 1.5, Disk: 20 << 30}
	if got := Resources(all); got != "4.0 GiB of memory, 100 processes, 1.5 processor cores, 20.0 GiB on disk" {
		t.Errorf("%q", got)
	}
	if got := Consumption(core.Consumption{PeakMemory: 1 << 30, PeakProcesses: 7, CPUSeconds: 1.25, Disk: 512}); got !=
		"took 1.0 GiB of memory, 7 processes, 1.2 s of processor time, 512 B on disk" {
		t.Errorf("%q", got)
	}
}
