package resource

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ReadMachine tells what this machine has; dir is where the work is done.
func ReadMachine(dir string) (Machine, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return Machine{}, fmt.Errorf("read the machine's memory: %w", err)
	}
	memory := int64(info.Totalram) * int64(info.Unit)
	free, _, err := space(dir)
	if err != nil {
		return Machine{}, err
	}
	return Machine{Memory: min(memory, ownMemoryLimit(memory)), Cores: runtime.NumCPU(), FreeDisk: free}, nil
}

// ownMemoryLimit is the least limit of the groups that this process is in already, as in a container.
func ownMemoryLimit(most int64) int64 {
	tree, err := readCgroups()
	if err != nil {
		return most
	}
	place, ok := tree.v1["memory"]
	file := "memory.limit_in_bytes"
	if !ok {
		place, file = tree.v2, "memory.max"
	}
	if place.mount == "" {
		return most
	}
	for dir := place.dir(); strings.HasPrefix(dir, place.mount); dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			continue // the root has no limit
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
			most = min(most, n)
		}
	}
	return most
}

// space is how many bytes a plain user can still write at path, and how many there are in all.
func space(path string) (free, size int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return 0, 0, fmt.Errorf("read the free space of %s: %w", path, err)
	}
	return int64(fs.Bavail) * fs.Bsize, int64(fs.Blocks) * fs.Bsize, nil
}
