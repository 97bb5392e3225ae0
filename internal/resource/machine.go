package resource

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Machine is what a machine has.
type Machine struct {
	Memory   int64 // bytes; of the container, if that has less
	Cores    int
	FreeDisk int64 // bytes, on the disk with the work
}

// ReadMachine tells what this machine has; dir is on the disk with the work.
func ReadMachine(dir string) (Machine, error) {
	memory, err := totalMemory()
	if err != nil {
		return Machine{}, fmt.Errorf("read the machine's memory: %w", err)
	}
	free, _, err := space(dir)
	return Machine{Memory: memory, Cores: runtime.NumCPU(), FreeDisk: free}, err
}

// space is how many bytes a plain user can still write at path, and how many there are in all.
func space(path string) (free, size int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return 0, 0, fmt.Errorf("read the free space of %s: %w", path, err)
	}
	block := int64(fs.Bsize) //nolint:unconvert // the type differs between systems
	return int64(fs.Bavail) * block, int64(fs.Blocks) * block, nil
}

const (
	mib = 1 << 20
	gib = 1 << 30
)

// DefaultLimits suit a machine on which a person works while agents do.
//   - Memory: half of it, and 2 GiB on a small machine, which a compiler and a browser need; never more than all attempts
//     together. One attempt alone cannot make the machine swap.
//   - Processes: 2048. A test runner with a worker per core of a large machine needs some hundreds, counting threads; as
//     many as this cost a fork bomb's victim little.
//   - CPU: no limit. Groups get a smaller weight instead, so that other programs come first and an idle machine is used
//     in full.
//   - Disk: 20 GiB, or a quarter of what is free, so that four attempts can have as much. On a disk that is nearly full it
//     is 1 GiB if that is no more than all attempts together.
func DefaultLimits(m Machine) Limits {
	total := DefaultTotal(m)
	return Limits{
		Memory:    min(max(m.Memory/2, 2*gib), total.Memory),
		Processes: 2048,
		Disk:      min(20*gib, max(m.FreeDisk/4, gib), total.Disk),
	}
}

// leastDisk keeps the limit on a full disk from being zero, which means no limit.
const leastDisk = 64 * mib

// DefaultTotal is for all groups together: they leave the machine an eighth of its memory, and half of its free disk.
func DefaultTotal(m Machine) Limits {
	return Limits{
		Memory:    m.Memory - m.Memory/8,
		Processes: 8192,
		Disk:      max(m.FreeDisk/2, leastDisk),
	}
}
