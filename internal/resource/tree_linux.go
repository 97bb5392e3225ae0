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

// process is what /proc tells of one.
type process struct {
	parent, threads int
	resident        int64
	cpu             time.Duration
}

// clockTick is the unit of times in /proc, the same on every architecture that Go knows.
const clockTick = time.Second / 100

// readTree adds up the descendants of root. Memory that processes share is counted once for each of them, unless that
// makes the sum more than limit: then their proportional shares are read, which costs more.
func readTree(root int, limit int64) use {
	table := processes()
	inside := map[int]bool{root: true}
	for grown := true; grown; {
		grown = false
		for pid, p := range table {
			if !inside[pid] && inside[p.parent] {
				inside[pid], grown = true, true
			}
		}
	}
	delete(inside, root)
	var sum use
	for pid := range inside {
		p := table[pid]
		sum.Processes += p.threads
		sum.Memory += p.resident
		sum.cpu += p.cpu
	}
	if over(sum.Memory, limit) {
		sum.Memory = 0
		for pid := range inside {
			sum.Memory += proportional(pid, table[pid].resident)
		}
	}
	return sum
}

func processes() map[int]process {
	table := map[int]process{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return table
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			table[pid] = p
		}
	}
	return table
}

// readProcess reads /proc/<pid>/stat, counting its fields from the state, which follows a name that may hold anything.
func readProcess(pid int) (process, bool) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return process{}, false // it has ended
	}
	const parent, user, system, childUser, childSystem, threads, resident = 1, 11, 12, 13, 14, 17, 21
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= resident {
		return process{}, false
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64) // the kernel writes numbers here
		return n
	}
	return process{
		parent: int(number(parent)), threads: int(number(threads)), resident: number(resident) * int64(os.Getpagesize()),
		cpu: time.Duration(number(user)+number(system)+number(childUser)+number(childSystem)) * clockTick,
	}, true
}

// proportional is the memory of a process with its share of what it has in common with others, or else as given.
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
