// Package resource bounds what a process and all it starts may take of the machine: memory, processes, processor and
// disk. It uses the strongest means there is (a systemd scope, control groups of version 2 or 1, limits of the kernel
// per user namespace) and watches what none of them bounds. A Group says which means holds each bound, so that nobody
// claims more than is true. The package knows no attempt: it gets a name, the bounds, and a command to start.
//
// Control groups of version 1 as root, the limit of processes per user namespace, and the watcher are tested for real.
// Untried, because no machine of ours has them: systemd scopes, and limits of control groups of version 2. The tests
// put processes into real groups of version 2 without controllers, and check what is written to a folder that looks
// like one with them.
package resource

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Limits are the most a group may have at one time. Zero means no limit.
type Limits struct {
	Memory    int64   `json:"memory,omitzero"`    // bytes
	Processes int     `json:"processes,omitzero"` // threads count as well, as they do for the kernel
	CPU       float64 `json:"cpu,omitzero"`       // cores
	Disk      int64   `json:"disk,omitzero"`      // bytes written to the watched folders and not deleted
}

// Resource is what a limit is about.
type Resource string

// The resources.
const (
	Memory    Resource = "memory"
	Processes Resource = "processes"
	CPU       Resource = "cpu"
	Disk      Resource = "disk"
)

// Resources are all of them, in the order people read them.
func Resources() []Resource { return []Resource{Memory, Processes, CPU, Disk} }

// Means is how a limit is held.
type Means string

// The means, from the strongest to none.
const (
	Scope   Means = "systemd scope"
	Cgroup2 Means = "cgroup v2"
	Cgroup1 Means = "cgroup v1"
	// Rlimit bounds the processes of a user namespace. The kernel then counts no refusals, so nobody learns that a group met
	// the limit between two looks of the watcher.
	Rlimit Means = "rlimit"
	// Watched means that nothing stops a process at the limit: a watcher looks every now and then and ends what is beyond it.
	Watched Means = "watched"
	// Measured means that there is no limit, only a figure of what was used.
	Measured Means = "measured"
)

// Enforced reports that the kernel holds the limit.
func (m Means) Enforced() bool {
	switch m {
	case Scope, Cgroup2, Cgroup1, Rlimit:
		return true
	default:
		return false
	}
}

// Holding says by which means each resource is held.
type Holding struct {
	Memory    Means `json:"memory"`
	Processes Means `json:"processes"`
	CPU       Means `json:"cpu"`
	Disk      Means `json:"disk"`
}

// Of is the means for one resource.
func (h Holding) Of(r Resource) Means {
	switch r {
	case Memory:
		return h.Memory
	case Processes:
		return h.Processes
	case CPU:
		return h.CPU
	default:
		return h.Disk
	}
}

// String lists the resources by what holds them: "memory, processes: cgroup v1; cpu: measured; disk: watched".
func (h Holding) String() string {
	var parts []string
	for i, r := range Resources() {
		means := h.Of(r)
		if i > 0 && h.Of(Resources()[i-1]) == means {
			last := len(parts) - 1
			names, _, _ := strings.Cut(parts[last], ":")
			parts[last] = fmt.Sprintf("%s, %s: %s", names, r, means)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s", r, means))
	}
	return strings.Join(parts, "; ")
}

// Usage is what a group took.
type Usage struct {
	PeakMemory    int64   `json:"peak_memory,omitzero"` // bytes
	PeakProcesses int     `json:"peak_processes,omitzero"`
	CPUSeconds    float64 `json:"cpu_seconds,omitzero"`
	Disk          int64   `json:"disk,omitzero"` // bytes, at the last look
}

// Breach is a limit that a group ran into.
type Breach struct {
	Resource Resource `json:"resource"`
	// Value is what the group had, Limit what it may have: bytes, or a number of processes. If the disk ran full, they are
	// the bytes that were free and those that must stay free.
	Value int64 `json:"value"`
	Limit int64 `json:"limit"`
	// Total means that the limit is one of all groups together.
	Total bool `json:"total,omitzero"`
	// Full means that the machine's disk was running full.
	Full bool `json:"full,omitzero"`
	// Final means that the group had to be ended. Otherwise the kernel ended one process, or refused another one, and
	// the rest could go on.
	Final bool `json:"final,omitzero"`
}

// String says it as a clause: "killed at 4.0 GiB of memory, the limit of an attempt".
func (b Breach) String() string {
	size := wording.Bytes(uint64(max(b.Value, 0)))
	limit := wording.Bytes(uint64(max(b.Limit, 0)))
	whose := "the limit of an attempt"
	if b.Total {
		whose = "the limit of all attempts together"
	}
	switch {
	case b.Full:
		return fmt.Sprintf("stopped because only %s of the machine's disk were free; %s must stay free", size, limit)
	case b.Resource == Memory && b.Value > b.Limit:
		return fmt.Sprintf("killed at %s of memory; %s is %s", size, whose, limit)
	case b.Resource == Memory:
		return fmt.Sprintf("killed at %s of memory, %s", limit, whose)
	case b.Resource == Disk:
		return fmt.Sprintf("stopped at %s on disk; %s is %s", size, whose, limit)
	case b.Final:
		return fmt.Sprintf("stopped for staying at %d processes, %s", b.Limit, whose)
	default:
		return fmt.Sprintf("refused more than %d processes, %s", b.Limit, whose)
	}
}
