package resource

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// strongest makes a group by the best means there is. Why says what stands in the way of a better one.
func strongest(opts Options) (bounds, []string) {
	tree, err := readCgroups()
	if err != nil {
		return onlyProcesses(opts, nil, err.Error())
	}
	var why []string
	v2, err := hierarchyV2(tree)
	if err == nil {
		if err = v2.open(); err == nil {
			if group, failed := makeCgroup([]hierarchy{v2}, opts); failed == nil {
				return cgroupBounds{group, Cgroup2}, missing(group, nil)
			} else { //nolint:revive // both errors are told in one place
				err = failed
			}
		}
	}
	why = append(why, fmt.Sprintf("cgroup v2: %v", err))
	if s, err := newScope(opts, tree); err == nil {
		return s, nil
	} else { //nolint:revive // as above
		why = append(why, fmt.Sprintf("systemd scope: %v", err))
	}
	v1, err := hierarchiesV1(tree)
	if len(v1) > 0 {
		group, failed := makeCgroup(v1, opts)
		if failed == nil {
			why = missing(group, why)
			if group.with("pids") == "" {
				return onlyProcesses(opts, cgroupBounds{group, Cgroup1}, why...)
			}
			return cgroupBounds{group, Cgroup1}, why
		}
		err = failed
	}
	if err == nil {
		err = errors.New("not mounted")
	}
	return onlyProcesses(opts, nil, append(why, fmt.Sprintf("cgroup v1: %v", err))...)
}

func missing(g *cgroup, why []string) []string {
	for controller, what := range map[string]Resource{"memory": Memory, "pids": Processes, "cpu": CPU} {
		if g.with(controller) == "" {
			why = append(why, fmt.Sprintf("there is no controller for %s here", what))
		}
	}
	return why
}

// onlyProcesses adds the limit of a user namespace's processes, which needs no group.
func onlyProcesses(opts Options, below bounds, why ...string) (bounds, []string) {
	if err := processLimitWorks(opts.Sandboxed); err != nil {
		return below, append(why, fmt.Sprintf("rlimit: %v", err))
	}
	return rlimitBounds{below}, why
}

// rlimitBounds are those of another kind, or none, with a limit of processes that Inside sets.
type rlimitBounds struct{ bounds }

func (b rlimitBounds) holds() map[Resource]Means {
	held := map[Resource]Means{}
	if b.bounds != nil {
		held = b.bounds.holds()
	}
	held[Processes] = Rlimit
	return held
}

func (b rlimitBounds) start(cmd *exec.Cmd, start func() error) error {
	if b.bounds == nil {
		return start()
	}
	return b.bounds.start(cmd, start)
}

func (b rlimitBounds) read() reading {
	if b.bounds == nil {
		return reading{}
	}
	return b.bounds.read()
}

func (b rlimitBounds) remove() {
	if b.bounds != nil {
		b.bounds.remove()
	}
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

// cgroupBounds is a control group of either version.
type cgroupBounds struct {
	group *cgroup
	means Means
}

func (b cgroupBounds) holds() map[Resource]Means {
	out := map[Resource]Means{}
	for controller, r := range map[string]Resource{"memory": Memory, "pids": Processes, "cpu": CPU} {
		if b.group.with(controller) != "" {
			out[r] = b.means
		}
	}
	return out
}

func (b cgroupBounds) remove() { b.group.remove() }

// start forks straight into a group of version 2, and on a thread that waits inside in version 1.
func (b cgroupBounds) start(cmd *exec.Cmd, start func() error) error {
	if b.means == Cgroup1 {
		return b.group.entrance.start(start)
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(b.group.lock.Fd())
	return start()
}

func (b cgroupBounds) read() reading {
	if b.means == Cgroup1 {
		return b.readV1()
	}
	return readV2(b.group.dir(0))
}

func (b cgroupBounds) readV1() reading {
	var r reading
	if dir := b.group.with("memory"); dir != "" {
		r.memory = readNumber(dir, "memory.usage_in_bytes")
		r.peakMemory = readNumber(dir, "memory.max_usage_in_bytes")
		r.kills = readKey(dir, "memory.oom_control", "oom_kill")
	}
	if dir := b.group.with("pids"); dir != "" {
		r.readTasks(dir)
	}
	if dir := b.group.with("cpuacct"); dir != "" {
		used := readNumber(dir, "cpuacct.usage")
		r.cpu = time.Duration(used)
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
	used := readKey(dir, "cpu.stat", "usage_usec")
	r.cpu = time.Duration(used) * time.Microsecond
	return r
}

func (r *reading) readTasks(dir string) {
	tasks := readNumber(dir, "pids.current")
	peak := readNumber(dir, "pids.peak") // since Linux 6.1
	r.tasks, r.peakTasks = int(tasks), int(max(tasks, peak))
	r.refusals = readKey(dir, "pids.events", "max")
}
