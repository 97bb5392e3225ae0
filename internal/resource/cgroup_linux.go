package resource

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// place is a group in a mounted hierarchy.
type place struct {
	mount string // where the hierarchy is mounted
	path  string // of the group, from there
}

func (p place) dir() string { return filepath.Join(p.mount, p.path) }

// cgroups are the groups this process is in.
type cgroups struct {
	v1 map[string]place // by controller
	v2 place            // empty if it is not mounted
}

func readCgroups() (cgroups, error) {
	member, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return cgroups{}, fmt.Errorf("read the control groups of this process: %w", err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return cgroups{}, fmt.Errorf("read where control groups are mounted: %w", err)
	}
	return parseCgroups(string(member), string(mounts)), nil
}

// parseCgroups reads lines of /proc/self/cgroup (4:memory:/a) and of /proc/self/mountinfo
// (30 25 0:26 /root /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory).
func parseCgroups(member, mounts string) cgroups {
	groups := map[string]string{}
	for line := range strings.Lines(member) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			groups[controller] = parts[2] // version 2 has no controller here
		}
	}
	out := cgroups{v1: map[string]place{}}
	for line := range strings.Lines(mounts) {
		front, back, ok := strings.Cut(strings.TrimSpace(line), " - ")
		mount, kind := strings.Fields(front), strings.Fields(back)
		if !ok || len(mount) < 5 || len(kind) < 3 {
			continue
		}
		root, point := mount[3], mount[4]
		switch kind[0] {
		case "cgroup2":
			if path, ok := below(root, groups[""]); ok {
				out.v2 = place{point, path}
			}
		case "cgroup":
			for option := range strings.SplitSeq(kind[2], ",") {
				if group, ok := groups[option]; ok {
					if path, ok := below(root, group); ok {
						out.v1[option] = place{point, path}
					}
				}
			}
		}
	}
	return out
}

// below is a group's path from the mounted root, which in a container is a group itself.
func below(root, group string) (string, bool) {
	if root == "/" {
		return group, group != ""
	}
	rest, ok := strings.CutPrefix(group, root)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return "/" + strings.TrimPrefix(rest, "/"), true
}

// writableDir reports that this process may make a group in dir.
func writableDir(dir string) error {
	if err := unix.Access(dir, unix.W_OK); err != nil {
		return &os.PathError{Op: "write to", Path: dir, Err: err}
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if fs.Flags&unix.ST_RDONLY != 0 {
		return &os.PathError{Op: "write to", Path: dir, Err: unix.EROFS}
	}
	return nil
}

// writeFile writes a file of a group; those exist already.
func writeFile(dir, name, value string) error {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(value)
	return errors.Join(err, file.Close())
}

// words are those of a group's file; none if it cannot be read.
func words(dir, name string) []string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// readNumber reads a file with one number, which is zero if the kernel has no such file.
func readNumber(dir, name string) int64 { return firstNumber(words(dir, name)) }

// readKey reads the number behind a key, "oom_kill 3", which is zero if the kernel does not have it.
func readKey(dir, name, key string) int64 {
	found := words(dir, name)
	if i := slices.Index(found, key); i >= 0 {
		return firstNumber(found[i+1:])
	}
	return 0
}

func firstNumber(words []string) int64 {
	if len(words) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
