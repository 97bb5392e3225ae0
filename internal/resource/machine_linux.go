package resource

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// totalMemory is that of the machine, or of the container if that has less.
func totalMemory() (int64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, err
	}
	return ownMemoryLimit(int64(info.Totalram) * int64(info.Unit)), nil
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
