//go:build !linux

package shim

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

const isLinux = false

// becomeSubreaper does nothing: only Linux has that. A daemon that leaves both its parent and its session is out of
// reach here.
func becomeSubreaper() error { return nil }

func sessionAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// processTable takes the process group for the session, which is the same for the agent's own children.
func processTable() ([]running, error) {
	ps := exec.Command("/bin/ps", "-axo", "pid=,ppid=,pgid=,state=")
	out, err := ps.Output()
	if err != nil {
		return nil, err
	}
	var table []running
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		pid, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		group, err3 := strconv.Atoi(fields[2])
		if err1 == nil && err2 == nil && err3 == nil && pid != ps.Process.Pid {
			table = append(table, running{pid: pid, parent: parent, session: group, zombie: strings.HasPrefix(fields[3], "Z")})
		}
	}
	return table, nil
}

// processName is not needed here: the isolation has no process of its own.
func processName(int) string { return "" }

func ownStartTime() string { return strconv.Itoa(os.Getpid()) }

func ownChildren() []int { return nil }

// endMarked has no way to read another process's environment here.
func endMarked(string) {}
