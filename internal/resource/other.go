//go:build !linux

package resource

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// strongest has nothing here: everything is watched.
func strongest(Options) (bounds, []string) {
	return unbounded{}, []string{runtime.GOOS + " has no limits for a group of processes"}
}

// Reservation is of no use here.
type Reservation struct{}

// Reserve returns nil: nothing takes time here.
func Reserve(_, _ string) *Reservation { return nil }

// Close does nothing.
func (*Reservation) Close() {}

func totalMemory() (int64, error) {
	memory, err := unix.SysctlUint64("hw.memsize")
	return int64(memory), err
}

// ProcessTable is the machine's process table; empty if it cannot be read. It takes the process group for the session, which is the
// same for a process and its own children.
func ProcessTable() map[int]Process {
	table := map[int]Process{}
	ps := exec.Command("/bin/ps", "-axo", "pid=,ppid=,pgid=,state=,rss=") //nolint:noctx // ends at once
	out, err := ps.Output()
	if err != nil {
		return table
	}
	for line := range strings.Lines(string(out)) {
		var pid, kib int
		var state string
		p := Process{Threads: 1}
		n, _ := fmt.Sscan(line, &pid, &p.Parent, &p.Session, &state, &kib) // of a line that is none, too few are read
		if n == 5 && pid != ps.Process.Pid {
			p.Zombie, p.resident = strings.HasPrefix(state, "Z"), int64(kib)<<10
			table[pid] = p
		}
	}
	return table
}

// ReadProcess reads one entry of the process table; false means that the process has ended.
func ReadProcess(pid int) (Process, bool) {
	p, ok := ProcessTable()[pid]
	return p, ok
}

// proportional is the memory as given: the system does not tell what processes share.
func proportional(_ int, resident int64) int64 { return resident }
