package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	// shared is where Linux has a file system in memory.
	shared = "/dev/shm"
	// tmpfs is the number of that kind of file system; see statfs(2).
	tmpfs = 0x01021994
	// room is what must be free there. The tests need about a tenth of it.
	room = 8 << 30
)

// inMemory has tests keep their temporary files in memory: making and removing
// hundreds of thousands of small files is a third of their system time on a disk.
// What go builds stays on the disk. remove clears up. Elsewhere, with too little room
// or with a TMPDIR of your own, tests keep their files where they would.
func inMemory(parent string) (env []string, remove func()) {
	env, remove = os.Environ(), func() {}
	if os.Getenv("TMPDIR") != "" || !roomy(parent) {
		return env, remove
	}
	dir, err := shortFolder(parent)
	if err != nil {
		return env, remove // a system where programs may not write there
	}
	env = append(env, "TMPDIR="+dir)
	if os.Getenv("GOTMPDIR") == "" {
		env = append(env, "GOTMPDIR="+os.TempDir())
	}
	return env, func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, "gotest:", err)
		}
	}
}

// shortFolder is a new folder that any user may write to, as the system's own. Its
// name is short: tests make sockets deep inside it.
func shortFolder(parent string) (string, error) {
	for n := 0; ; n++ {
		dir := filepath.Join(parent, fmt.Sprint("t", n))
		switch err := os.Mkdir(dir, 0o700); {
		case err == nil:
			if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
				return "", errors.Join(err, os.Remove(dir))
			}
			return dir, nil
		case !os.IsExist(err):
			return "", err
		}
	}
}

// roomy reports a file system in memory that has room, and runs programs.
func roomy(dir string) bool {
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) != nil || fs.Type != tmpfs {
		return false
	}
	const noexec = 8 // ST_NOEXEC
	return fs.Flags&noexec == 0 && fs.Bavail*uint64(fs.Bsize) >= room
}
