package resource

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc, the same on every architecture that Go knows.
const clockTick = time.Second / 100

// ProcessTable is the machine's process table; empty if it cannot be read.
func ProcessTable() map[int]Process {
	table := map[int]Process{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return table
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, ok := ReadProcess(pid); ok {
			table[pid] = p
		}
	}
	return table
}

// ReadProcess reads one entry of the process table; false means that the process has ended. It counts the fields of
// /proc/<pid>/stat from the state, which follows a name that may hold spaces and parentheses.
func ReadProcess(pid int) (Process, bool) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return Process{}, false
	}
	const state, parent, session, user, system, childUser, childSystem, threads, start, resident = 0, 1, 3, 11, 12, 13, 14, 17, 19, 21
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= resident {
		return Process{}, false
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64) // the kernel writes numbers here
		return n
	}
	return Process{
		Parent: int(number(parent)), Session: int(number(session)), Threads: int(number(threads)),
		Zombie: fields[state] == "Z" || fields[state] == "X", Start: fields[start],
		resident: number(resident) * int64(os.Getpagesize()),
		cpu:      time.Duration(number(user)+number(system)+number(childUser)+number(childSystem)) * clockTick,
	}, true
}

// proportional is the memory of a process with its part of what it shares with others, or else as given.
func proportional(pid int, otherwise int64) int64 {
	file := filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup")
	data, err := os.ReadFile(file)
	if err != nil {
		return otherwise
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				return kib << 10
			}
		}
	}
	return otherwise
}
