package wording

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Resources are the limits of an attempt: "4.0 GiB of memory, 2048 processes, 20.0 GiB on disk". It is empty where there
// are none.
func Resources(l core.ResourceLimits) string {
	var parts []string
	if l.Memory > 0 {
		parts = append(parts, Bytes(uint64(l.Memory))+" of memory")
	}
	if l.Processes > 0 {
		parts = append(parts, fmt.Sprintf("%d processes", l.Processes))
	}
	if l.CPU > 0 {
		parts = append(parts, fmt.Sprintf("%g processor cores", l.CPU))
	}
	if l.Disk > 0 {
		parts = append(parts, Bytes(uint64(l.Disk))+" on disk")
	}
	return strings.Join(parts, ", ")
}

// Consumption is what an attempt took: "took 1.2 GiB of memory, 34 processes, 12.5 s of processor time, 10.0 MiB on disk".
func Consumption(c core.Consumption) string {
	return fmt.Sprintf("took %s of memory, %d processes, %.1f s of processor time, %s on disk",
		Bytes(uint64(max(c.PeakMemory, 0))), c.PeakProcesses, c.CPUSeconds, Bytes(uint64(max(c.Disk, 0))))
}
