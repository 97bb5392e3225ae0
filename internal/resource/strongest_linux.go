package resource

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// strongest makes a group by the best means that work here. Why says what stands in the way of better ones.
func strongest(opts Options) (b bounds, why []string) {
	if g := opts.Reserved.use(opts); g != nil {
		return g, nil
	}
	tree, err := readCgroups()
	if err != nil {
		return onlyProcesses(opts, unbounded{}, []string{err.Error()})
	}
	for _, means := range []struct {
		name Means
		make func(Options, cgroups) (bounds, error)
	}{{Cgroup2, newV2}, {Scope, newScope}, {Cgroup1, newV1}} {
		b, err := means.make(opts, tree)
		if err != nil {
			why = append(why, fmt.Sprintf("%s: %v", means.name, err))
			continue
		}
		held := b.holds()
		for _, r := range []Resource{Memory, Processes, CPU} {
			if held[r] == "" {
				why = append(why, fmt.Sprintf("there is no controller for %s here", r))
			}
		}
		if held[Processes] != "" {
			return b, why
		}
		return onlyProcesses(opts, b, why)
	}
	return onlyProcesses(opts, unbounded{}, why)
}

func newV2(opts Options, tree cgroups) (bounds, error) {
	h, err := hierarchyV2(tree)
	if err == nil {
		err = h.open()
	}
	if err != nil {
		return nil, err
	}
	return makeCgroup([]hierarchy{h}, opts)
}

func newV1(opts Options, tree cgroups) (bounds, error) {
	hierarchies, err := hierarchiesV1(tree)
	if len(hierarchies) == 0 {
		return nil, cmp.Or(err, errors.New("not mounted"))
	}
	return makeCgroup(hierarchies, opts)
}

// onlyProcesses adds the limit of a user namespace's processes, which needs no group.
func onlyProcesses(opts Options, below bounds, why []string) (bounds, []string) {
	if err := processLimitWorks(opts.Sandboxed); err != nil {
		return below, append(why, fmt.Sprintf("%s: %v", Rlimit, err))
	}
	return rlimitBounds{below}, why
}

// rlimitBounds add a limit of processes, which Inside sets, to bounds of another kind.
type rlimitBounds struct{ bounds }

func (b rlimitBounds) holds() map[Resource]Means {
	held := maps.Clone(b.bounds.holds())
	held[Processes] = Rlimit
	return held
}

// processLimitWorks tells whether a limit that is set inside a user namespace counts the processes in there and no
// others: the kernel does so since 5.14, and never for root.
func processLimitWorks(sandboxed bool) error {
	switch {
	case !sandboxed:
		return errors.New("without a sandbox it would count all of the user's processes")
	case os.Getuid() == 0:
		return errors.New("it does not limit root")
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return fmt.Errorf("read the kernel's version: %w", err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("read the kernel's version: %w", err)
	}
	if major < 5 || major == 5 && minor < 14 {
		return fmt.Errorf("before Linux 5.14 it counts all of the user's processes; this is %d.%d", major, minor)
	}
	argv := append(processLimit(1<<16), "/bin/true")
	if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil { //nolint:noctx // ends at once
		return fmt.Errorf("%s cannot set it: %w", shell, err)
	}
	return nil
}

// means is the version of control groups that the group is of.
func (g *cgroup) means() Means {
	if g.hierarchies[0].version == 1 {
		return Cgroup1
	}
	return Cgroup2
}

func (g *cgroup) holds() map[Resource]Means {
	out := map[Resource]Means{}
	for controller, r := range map[string]Resource{"memory": Memory, "pids": Processes, "cpu": CPU} {
		if g.with(controller) != "" {
			out[r] = g.means()
		}
	}
	return out
}

// start forks straight into a group of version 2, and on a thread that waits inside in version 1.
func (g *cgroup) start(cmd *exec.Cmd, start func() error) error {
	if g.entrance != nil {
		return g.entrance.start(start)
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.lock.Fd())
	return start()
}

func (g *cgroup) read() reading {
	if g.means() == Cgroup2 {
		return readV2(g.dir(0))
	}
	var r reading
	if dir := g.with("memory"); dir != "" {
		r.memory = readNumber(dir, "memory.usage_in_bytes")
		r.peakMemory = readNumber(dir, "memory.max_usage_in_bytes")
		r.kills = readKey(dir, "memory.oom_control", "oom_kill")
	}
	if dir := g.with("pids"); dir != "" {
		r.readTasks(dir)
	}
	if dir := g.with("cpuacct"); dir != "" {
		r.cpu = time.Duration(readNumber(dir, "cpuacct.usage"))
	}
	return r
}

// readV2 reads a group of version 2, of ours or of systemd's.
func readV2(dir string) reading {
	var r reading
	r.memory = readNumber(dir, "memory.current")
	r.peakMemory = readNumber(dir, "memory.peak") // since Linux 5.19
	r.peakMemory = max(r.peakMemory, r.memory)
	r.kills = readKey(dir, "memory.events", "oom_kill")
	r.readTasks(dir)
	r.cpu = time.Duration(readKey(dir, "cpu.stat", "usage_usec")) * time.Microsecond
	return r
}

func (r *reading) readTasks(dir string) {
	tasks := readNumber(dir, "pids.current")
	peak := readNumber(dir, "pids.peak") // since Linux 6.1
	r.tasks, r.peakTasks = int(tasks), int(max(tasks, peak))
	r.refusals = readKey(dir, "pids.events", "max")
}
