package resource

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Options describe a group.
type Options struct {
	// Owner names whose group it is, Name which one: letters, digits, dots, dashes and underscores.
	Owner, Name string
	Limits      Limits
	// Total bounds all groups of the owner together.
	Total Limits
	// Sandboxed says that the process makes a user namespace of its own before it runs the bounded command.
	Sandboxed bool
	// Reserved is a group of the same owner that Reserve has made; nil for none.
	Reserved *Reservation
}

// Group is a bounded set of processes: one that Start starts, and all its descendants. Its methods may be called from
// any goroutine. No group, nil, bounds nothing: a process can be started in it, and a watch of it sees nothing.
type Group struct {
	opts    Options
	holding Holding
	why     []string // what stands in the way of stronger means, for a person who may mend it
	bounds  bounds
	closing sync.Once

	mu      sync.Mutex
	looked  Usage // what the watcher saw
	ended   *Breach
	touched *Breach // a limit that the group met and survived
}

// bounds are limits the kernel holds for a group.
type bounds interface {
	holds() map[Resource]Means
	// start prepares cmd and calls start, which starts it, on the calling thread or on one that lives until remove.
	start(cmd *exec.Cmd, start func() error) error
	// read is the kernel's account so far.
	read() reading
	remove()
}

// unbounded is a group for which the kernel holds nothing.
type unbounded struct{}

func (unbounded) holds() map[Resource]Means                   { return map[Resource]Means{} }
func (unbounded) start(_ *exec.Cmd, start func() error) error { return start() }
func (unbounded) read() reading                               { return reading{} }
func (unbounded) remove()                                     {}

// reading is the kernel's account of a group.
type reading struct {
	memory, peakMemory int64
	tasks, peakTasks   int
	cpu                time.Duration
	kills              int64 // processes that were ended for want of memory
	refusals           int64 // processes that could not be started
}

// The length of a name is bounded apart: a counted repetition takes half a millisecond to compile, in every process.
var groupName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

const longestName = 128

func validName(name string) bool { return len(name) <= longestName && groupName.MatchString(name) }

// Confine makes a group. Watch holds the limits that the machine cannot enforce; Holding says which.
func Confine(opts Options) (*Group, error) {
	for _, name := range []string{opts.Owner, opts.Name} {
		if !validName(name) {
			return nil, fmt.Errorf("%q cannot be the name of a group of processes", name)
		}
	}
	g := &Group{opts: opts, holding: Holding{Memory: Watched, Processes: Watched, CPU: Measured, Disk: Watched}}
	g.bounds, g.why = strongest(opts)
	held := g.bounds.holds()
	for r, at := range map[Resource]*Means{Memory: &g.holding.Memory, Processes: &g.holding.Processes, CPU: &g.holding.CPU} {
		if means, ok := held[r]; ok {
			*at = means
		}
	}
	return g, nil
}

// probe makes a group with limits and removes it again, so that it reports what really works.
func probe(sandboxed bool) (*Group, error) {
	all := Limits{Memory: 64 * mib, Processes: 64, CPU: 1}
	g, err := Confine(Options{
		Owner: fmt.Sprintf("stellwerk-probe-%d", os.Getpid()), Name: fmt.Sprint(time.Now().UnixNano()),
		Limits: all, Total: all, Sandboxed: sandboxed,
	})
	if err != nil {
		return nil, err
	}
	g.Close()
	return g, nil
}

// Holding says by which means the group is bounded.
func (g *Group) Holding() Holding { return g.holding }

// Start calls start, which must start cmd on the thread that it is called on: the calling one, which must be locked to its
// goroutine, or one that ends with Close. The process is in the group before it runs its program.
func (g *Group) Start(cmd *exec.Cmd, start func() error) error {
	if g == nil {
		return start()
	}
	return g.bounds.start(cmd, start)
}

// BoundFiles has a shell start cmd's program, which bounds the files that it writes and lets it leave no core. A bridge does
// so itself.
func (g *Group) BoundFiles(cmd *exec.Cmd) {
	if g != nil && cmd.Err == nil {
		prefix(cmd, fileLimits(g.opts.Limits))
	}
}

// Inside is a prefix for the command that runs in the user namespace of a sandbox. It bounds the processes if no control
// group does, and is empty otherwise.
func (g *Group) Inside() []string {
	if g == nil || g.holding.Processes != Rlimit || g.opts.Limits.Processes <= 0 {
		return nil
	}
	return processLimit(g.opts.Limits.Processes)
}

// Close removes the group. Its processes must have been ended. Closing no group, or one a second time, does nothing.
func (g *Group) Close() {
	if g != nil {
		g.closing.Do(g.bounds.remove)
	}
}

// Usage is what the group has used so far, by the kernel's account or else the watcher's.
func (g *Group) Usage() Usage {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.looked
	r := g.bounds.read()
	out.PeakMemory = max(out.PeakMemory, r.peakMemory)
	out.PeakProcesses = max(out.PeakProcesses, r.peakTasks)
	out.CPUSeconds = max(out.CPUSeconds, r.cpu.Seconds())
	return out
}

// Breach is the limit the group ran into, nil if it ran into none. Call it before Close.
func (g *Group) Breach() *Breach {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended != nil {
		return g.ended
	}
	r := g.bounds.read()
	switch {
	case r.kills > 0:
		return g.memoryBreach(r)
	case r.refusals > 0:
		return g.processBreach(r.peakTasks, false)
	}
	return g.touched
}

// memoryBreach blames the owner's limit if the group had less than its own limit allows.
func (g *Group) memoryBreach(r reading) *Breach {
	own, total := g.opts.Limits.Memory, g.opts.Total.Memory
	if total > 0 && (own <= 0 || r.peakMemory > 0 && r.peakMemory < own-mib) {
		return &Breach{Resource: Memory, Value: r.peakMemory, Limit: total, Total: true}
	}
	return &Breach{Resource: Memory, Value: own, Limit: own}
}

func (g *Group) processBreach(peak int, final bool) *Breach {
	own, total := int64(g.opts.Limits.Processes), int64(g.opts.Total.Processes)
	b := &Breach{Resource: Processes, Value: int64(peak), Limit: own, Final: final}
	if total > 0 && (own <= 0 || peak > 0 && !nearly(peak, int(own))) {
		b.Limit, b.Total = total, true
	}
	return b
}

// prefix has another program start cmd's program.
func prefix(cmd *exec.Cmd, before []string) {
	if len(before) == 0 {
		return
	}
	cmd.Args = append(append([]string{}, before...), append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = before[0]
}

// fileLimits is a shell that forbids cores and files beyond the disk's limit before it becomes the program. A shell's
// unit is 512 bytes, by POSIX.
func fileLimits(l Limits) []string {
	set := []string{"ulimit -c 0"}
	if l.Disk > 0 {
		set = append(set, fmt.Sprintf("ulimit -f %d", (l.Disk+511)/512))
	}
	return []string{shell, "-c", strings.Join(set, " && ") + ` && exec "$@"`, shell}
}

const shell = "/bin/sh"

// processLimit is a shell that bounds the processes of its user namespace: dash and busybox call it -p, bash -u. It
// starts nothing without a limit.
func processLimit(n int) []string {
	return []string{shell, "-c", fmt.Sprintf(`{ ulimit -u %d 2>/dev/null || ulimit -p %d; } && exec "$@"`, n, n), shell}
}
