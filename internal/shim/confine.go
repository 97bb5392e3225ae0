package shim

import (
	"fmt"
	"os"
	"regexp"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Resources bound what an attempt takes of the machine. The zero value bounds nothing.
type Resources struct {
	Limits resource.Limits `json:"limits,omitzero"`
	// Total bounds all attempts of Owner together. If the kernel does not hold it, they tell each other in Shared what they use.
	Total  resource.Limits `json:"total,omitzero"`
	Owner  string          `json:"owner,omitzero"`
	Shared string          `json:"shared,omitzero"`
}

// Consumption is what an attempt took of the machine, and what bounded it.
type Consumption struct {
	resource.Usage
	Held resource.Holding `json:"held"`
	// Breach is the limit it ran into. The attempt may have gone on in spite of it.
	Breach *resource.Breach `json:"breach,omitempty"`
}

// handInMemory is what git gets at least to make a bundle, however little the agent gets.
const handInMemory = 1 << 30

// forHandIn are the bounds of the hand-in, which reads what the agent wrote.
func (r Resources) forHandIn() Resources {
	if r.Limits.Memory > 0 {
		r.Limits.Memory = max(r.Limits.Memory, handInMemory)
	}
	return r
}

// memoryFiles is the part of an attempt's memory that each folder kept in memory can take.
func (r Resources) memoryFiles() int64 {
	const part = 4
	return r.Limits.Memory / part
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// group makes the group of a process, named after what the process belongs to; nil if nothing is bounded. Callers make it
// as early as they can, because some of the work goes on in the background, or have reserved one. A reservation that does not
// serve is given back.
func (r Resources) group(name string, kind sandbox.Kind, reserved *resource.Reservation) (*resource.Group, error) {
	defer reserved.Close()
	if r.Owner == "" {
		return nil, nil
	}
	return resource.Confine(resource.Options{
		Owner: r.Owner, Name: fmt.Sprintf("a%s.%d", notInNames.ReplaceAllString(name, "-"), os.Getpid()),
		Limits: r.Limits, Total: r.Total, Sandboxed: kind == sandbox.Sandbox && isLinux, Reserved: reserved,
	})
}

// Reserve begins to make a group for one process that this one will start; nil if that is of no use. An owner without a name
// bounds nothing.
func Reserve(owner, what string) *resource.Reservation {
	if owner == "" {
		return nil
	}
	return resource.Reserve(owner, fmt.Sprintf("%s.%d", what, os.Getpid()))
}

// nextGroup is the group of the process that comes after the agent. It is reserved while the agent runs, so that nobody waits
// for it.
type nextGroup struct{ made chan *resource.Reservation }

func (n *nextGroup) reserve(owner string) {
	n.made = make(chan *resource.Reservation, 1)
	go func() { n.made <- Reserve(owner, "next") }()
}

// take hands the reservation over; nil if there is none.
func (n *nextGroup) take() *resource.Reservation {
	if n.made == nil {
		return nil
	}
	reserved := <-n.made
	n.made = nil
	return reserved
}

// close gives back what nobody took.
func (n *nextGroup) close() { n.take().Close() }

// usage is what the system counted for a process and its descendants when they had ended.
type usage struct {
	cpu    time.Duration
	memory int64 // of the largest of them
}

// usageOf reads the account of a process that this one has awaited. Its memory is at least what this process had when it
// forked.
func usageOf(state *os.ProcessState) usage {
	out := usage{cpu: state.UserTime() + state.SystemTime()}
	if counted, ok := state.SysUsage().(*syscall.Rusage); ok {
		out.memory = counted.Maxrss
	}
	if isLinux {
		out.memory <<= 10 // other systems count in bytes
	}
	return out
}

// consumption ends the watch of a group and says what was used; nil if nothing is bounded. The processes have ended, or
// were never started. Whoever made the group closes it.
func consumption(group *resource.Group, watcher *resource.Watcher, counted usage) *Consumption {
	if group == nil {
		return nil
	}
	watcher.Stop()
	out := &Consumption{Usage: group.Usage(), Held: group.Holding(), Breach: group.Breach()}
	out.CPUSeconds = max(out.CPUSeconds, counted.cpu.Seconds())
	if !out.Held.Memory.Enforced() { // the kernel has no account of all of them, and the watcher may have come too late
		out.PeakMemory = max(out.PeakMemory, counted.memory)
	}
	return out
}
