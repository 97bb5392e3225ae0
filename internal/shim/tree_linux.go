package shim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const isLinux = true

func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphaned processes: %w", err)
	}
	return nil
}

// sessionAttr gives the process a session of its own and lets it die with a shim that is killed.
func sessionAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

func processTable() ([]running, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var out []running
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, ok := readStat(pid); ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// readStat reads state, parent and session from /proc/<pid>/stat, after the name, which may itself hold spaces and
// parentheses.
func readStat(pid int) (running, bool) {
	fields := statFields(strconv.Itoa(pid))
	if len(fields) < 4 {
		return running{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	return running{pid: pid, parent: parent, session: session, zombie: fields[0] == "Z" || fields[0] == "X"},
		err1 == nil && err2 == nil
}

// processName is the name of a process's program, "" when the process is gone.
func processName(pid int) string {
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return string(name)
}

func statFields(pid string) []string {
	data, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// startTimeField is the place of the start time, counted from the state.
const startTimeField = 19

func ownStartTime() string {
	if fields := statFields("self"); len(fields) > startTimeField {
		return fields[startTimeField]
	}
	return ""
}

func ownChildren() []int {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil
	}
	var out []int
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// endMarked kills processes of an attempt whose shim is gone, found by a variable they inherited: the output folder,
// which unlike an id is one attempt's alone on a machine with several state folders. In a sandbox there are none.
func endMarked(out string) {
	marker := []byte("STELLWERK_OUT=" + out)
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // somebody else's process, or one that ended
		}
		for entry := range bytes.SplitSeq(data, []byte{0}) {
			if !bytes.Equal(entry, marker) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
				send(pid, syscall.SIGKILL)
			}
			break
		}
	}
}
