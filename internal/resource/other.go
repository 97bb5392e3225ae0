//go:build !linux

package resource

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// strongest has nothing here: everything is watched.
func strongest(Options) (bounds, []string) {
	return nil, []string{runtime.GOOS + " has no limits for a group of processes"}
}

// ReadMachine tells what this machine has; dir is where the work is done.
func ReadMachine(dir string) (Machine, error) {
	memory, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return Machine{}, fmt.Errorf("read the machine's memory: %w", err)
	}
	free, _, err := space(dir)
	if err != nil {
		return Machine{}, err
	}
	return Machine{Memory: int64(memory), Cores: runtime.NumCPU(), FreeDisk: free}, nil
}

// space is how many bytes a plain user can still write at path, and how many there are in all.
func space(path string) (free, size int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return 0, 0, fmt.Errorf("read the free space of %s: %w", path, err)
	}
	return int64(fs.Bavail) * int64(fs.Bsize), int64(fs.Blocks) * int64(fs.Bsize), nil
}

// readTree adds up the descendants of root. Memory that processes share is counted once for each of them.
func readTree(root int, _ int64) use {
	out, err := exec.Command("/bin/ps", "-axo", "pid=,ppid=,rss=").Output() //nolint:noctx // ends at once
	if err != nil {
		return use{}
	}
	parents, resident := map[int]int{}, map[int]int64{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		pid, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		kib, err3 := strconv.ParseInt(fields[2], 10, 64)
		if err1 == nil && err2 == nil && err3 == nil {
			parents[pid], resident[pid] = parent, kib<<10
		}
	}
	var sum use
	for pid := range parents {
		if descends(parents, pid, root) {
			sum.Processes++
			sum.Memory += resident[pid]
		}
	}
	return sum
}

func descends(parents map[int]int, pid, root int) bool {
	for range len(parents) {
		parent, ok := parents[pid]
		if !ok || pid == parent {
			return false
		}
		if parent == root {
			return true
		}
		pid = parent
	}
	return false
}
