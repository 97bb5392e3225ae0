package shim

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Resources bound what an attempt takes of the machine. The zero value bounds nothing.
type Resources struct {
	Limits resource.Limits `json:"limits,omitzero"`
	// Total bounds all attempts of Owner together. Where the kernel does not, they tell each other in Shared.
	Total  resource.Limits `json:"total,omitzero"`
	Owner  string          `json:"owner,omitzero"`
	Shared string          `json:"shared,omitzero"`
}

// Consumption is what an attempt took of the machine, and what bounded it.
type Consumption struct {
	resource.Usage
	Held resource.Holding `json:"held"`
	// Breach is the limit it ran into. The attempt can have gone on in spite of it.
	Breach *resource.Breach `json:"breach,omitempty"`
}

// handInMemory is what git gets to make a bundle of, however little the agent may have.
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

// bound is a process's group and its watcher; nil where nothing is bounded.
type bound struct {
	group   *resource.Group
	watcher *resource.Watcher
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// group makes the group of a process by the name of what it belongs to; nil where nothing is bounded. Some of it goes on in
// the background, so it is made as early as can be.
func (r Resources) group(name string, kind sandbox.Kind) (*resource.Group, error) {
	if r.Owner == "" {
		return nil, nil
	}
	return resource.Confine(resource.Options{
		Owner: r.Owner, Name: fmt.Sprintf("a%s.%d", notInNames.ReplaceAllString(name, "-"), os.Getpid()),
		Limits: r.Limits, Total: r.Total, Sandboxed: kind == sandbox.Sandbox && isLinux,
	})
}

// watch begins to watch the group before the process is started in it, and closes it where that fails.
func (p process) watch() (*bound, error) {
	if p.group == nil {
		return nil, nil
	}
	watcher, err := p.group.Watch(resource.Watch{Folders: p.watched(), Shared: p.shared})
	if err != nil {
		p.group.Close()
		return nil, err
	}
	return &bound{p.group, watcher}, nil
}

// watched are the folders that only this process writes to.
func (p process) watched() []string {
	return paths(p.own, []string{p.box.Tmp})
}

// around has the process start in its group.
func (b *bound) around(cmd *exec.Cmd) func(start func() error) error {
	if b == nil {
		return nil
	}
	return func(start func() error) error { return b.group.Start(cmd, start) }
}

func (b *bound) inside() []string {
	if b == nil {
		return nil
	}
	return b.group.Inside()
}

// breaches is a channel that nothing comes from where nothing is bounded.
func (b *bound) breaches() <-chan resource.Breach {
	if b == nil {
		return nil
	}
	return b.watcher.Breaches()
}

// close ends the watch and says what was used. The processes have ended, or were never started: then state is nil.
func (b *bound) close(state *os.ProcessState) *Consumption {
	if b == nil {
		return nil
	}
	defer b.group.Close()
	b.watcher.Stop()
	out := &Consumption{Usage: b.group.Usage(), Held: b.group.Holding(), Breach: b.group.Breach()}
	if state != nil {
		out.CPUSeconds = max(out.CPUSeconds, (state.UserTime() + state.SystemTime()).Seconds())
		if !out.Held.Memory.Enforced() { // the kernel has no account of all of them
			out.PeakMemory = max(out.PeakMemory, largest(state))
		}
	}
	return out
}

// largest is the memory of the largest process there was, for an attempt that was over before anybody looked. It is no less
// than what this process had when it forked.
func largest(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if isLinux {
		return usage.Maxrss << 10 // others count in bytes
	}
	return usage.Maxrss
}
