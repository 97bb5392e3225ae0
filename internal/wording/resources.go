package wording

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Resources are the limits of an attempt: "4.0 GiB of memory, 2048 processes, 20.0 GiB on disk". It is empty if there
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

// Bound is what an attempt took of one resource, and what held it.
type Bound struct {
	What, Used, Limit string // What as a person reads it; Limit is empty if there is none
	// Means is how the limit was held: cgroup v1, rlimit, watched, measured.
	Means string
	// Held tells that the kernel held it.
	Held bool
}

// Bounds are what an attempt took, resource by resource, with the limits of its run.
func Bounds(c core.Consumption, l core.ResourceLimits) []Bound {
	size := func(n int64) string { return Bytes(uint64(max(n, 0))) }
	limit := func(set bool, text string) string {
		if !set {
			return ""
		}
		return text
	}
	rows := []Bound{
		{What: "Memory", Used: size(c.PeakMemory), Limit: limit(l.Memory > 0, size(l.Memory))},
		{What: "Processes", Used: strconv.Itoa(c.PeakProcesses), Limit: limit(l.Processes > 0, strconv.Itoa(l.Processes))},
		{What: "Processor", Used: fmt.Sprintf("%.1f s", c.CPUSeconds), Limit: limit(l.CPU > 0, fmt.Sprintf("%g cores", l.CPU))},
		{What: "Disk", Used: size(c.Disk), Limit: limit(l.Disk > 0, size(l.Disk))},
	}
	means := meansOf(c.Held)
	for i, name := range []string{"memory", "processes", "cpu", "disk"} {
		rows[i].Means = means[name]
		rows[i].Held = rows[i].Means != "" && rows[i].Means != "watched" && rows[i].Means != "measured"
	}
	return rows
}

// meansOf reads what holds each resource: "memory, processes: cgroup v1; disk: watched".
func meansOf(held string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(held, "; ") {
		names, means, _ := strings.Cut(part, ": ")
		for name := range strings.SplitSeq(names, ", ") {
			out[name] = means
		}
	}
	return out
}

// Consumption is what an attempt took: "took 1.2 GiB of memory, 34 processes, 12.5 s of processor time, 10.0 MiB on disk".
func Consumption(c core.Consumption) string {
	return fmt.Sprintf("took %s of memory, %d processes, %.1f s of processor time, %s on disk",
		Bytes(uint64(max(c.PeakMemory, 0))), c.PeakProcesses, c.CPUSeconds, Bytes(uint64(max(c.Disk, 0))))
}
