package resource

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

func v2Controllers() []string { return []string{"memory", "pids", "cpu"} }

// leafName is the group that takes the processes of a group in which we make others with limits: the kernel allows
// processes in leaves only.
const leafName = "stellwerk-self"

// hierarchyV2 is the group of this process, if it may make others with limits in it.
func hierarchyV2(tree cgroups) (hierarchy, error) {
	if tree.v2.mount == "" {
		return hierarchy{}, errors.New("cgroup v2 is not mounted")
	}
	h := hierarchy{base: tree.v2.dir(), own: tree.v2.dir(), version: 2}
	if filepath.Base(h.base) == leafName {
		h.base = filepath.Dir(h.base)
	}
	offered := words(h.base, "cgroup.controllers")
	for _, c := range v2Controllers() {
		if slices.Contains(offered, c) {
			h.controllers = append(h.controllers, c)
		}
	}
	if len(h.controllers) == 0 {
		return hierarchy{}, fmt.Errorf("%s has none of the controllers %s", h.base, strings.Join(v2Controllers(), ", "))
	}
	for _, path := range []string{h.base, filepath.Join(h.base, "cgroup.procs"), filepath.Join(h.base, "cgroup.subtree_control")} {
		if err := writableDir(path); err != nil {
			return hierarchy{}, err
		}
	}
	if enabled(h.base, h.controllers) || isRoot(h.base) || len(words(h.base, "cgroup.procs")) == 0 {
		return h, nil
	}
	if !delegated(h.base) {
		return hierarchy{}, fmt.Errorf("%s is not delegated to this program; start it from a unit with Delegate=yes", h.base)
	}
	return h, nil
}

// open makes controllers work in groups below base. If necessary it first moves the processes in base to a leaf, which
// changes none of their limits.
func (h hierarchy) open() error {
	if enabled(h.base, h.controllers) {
		return nil
	}
	err := enable(h.base, h.controllers)
	if !errors.Is(err, unix.EBUSY) {
		return err
	}
	leaf := filepath.Join(h.base, leafName)
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	for range makeTries { // processes may fork meanwhile
		for _, pid := range words(h.base, "cgroup.procs") {
			if err := writeFile(leaf, "cgroup.procs", pid); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
		if err = enable(h.base, h.controllers); !errors.Is(err, unix.EBUSY) {
			return err
		}
	}
	return err
}

// enable has controllers work in the groups that are made in dir.
func enable(dir string, controllers []string) error {
	if enabled(dir, controllers) {
		return nil
	}
	return writeFile(dir, "cgroup.subtree_control", "+"+strings.Join(controllers, " +"))
}

func enabled(dir string, controllers []string) bool {
	on := words(dir, "cgroup.subtree_control")
	return !slices.ContainsFunc(controllers, func(c string) bool { return !slices.Contains(on, c) })
}

// isRoot tells the root of the whole machine, in which processes may stay, from that of a container.
func isRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "cgroup.type"))
	return errors.Is(err, os.ErrNotExist)
}

// delegated reports that the manager of the machine's groups left this one to us: systemd says so in an attribute. The root
// of a container is always ours, and so is a plain user's own folder, unless a manager of that user made it.
func delegated(dir string) bool {
	for _, attr := range []string{"user.delegate", "trusted.delegate"} {
		value := make([]byte, 1)
		if n, err := unix.Getxattr(dir, attr, value); err == nil && n == 1 && value[0] == '1' {
			return true
		}
	}
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return false
	}
	own := os.Getuid() != 0 && int(stat.Uid) == os.Getuid() && !managed(true)
	_, err := os.Stat(filepath.Join(filepath.Dir(dir), "cgroup.procs"))
	return own || errors.Is(err, os.ErrNotExist) // nothing is mounted above
}

func limitV2(dir, controller string, l Limits, outer bool) error {
	switch controller {
	case "memory":
		swap := "max"
		if l.Memory > 0 {
			swap = "0"
		}
		if err := writeFile(dir, "memory.swap.max", swap); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return writeFile(dir, "memory.max", orMax(l.Memory))
	case "pids":
		return writeFile(dir, "pids.max", orMax(int64(l.Processes)))
	case "cpu":
		quota := orMax(int64(math.Round(l.CPU * cpuPeriod)))
		err := writeFile(dir, "cpu.max", fmt.Sprintf("%s %d", quota, cpuPeriod))
		if outer {
			err = errors.Join(err, writeFile(dir, "cpu.weight", fmt.Sprint(smallWeight)))
		}
		return err
	}
	return nil
}
