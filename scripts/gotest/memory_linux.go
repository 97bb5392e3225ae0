package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// room is what must be free in memory. The tests need about a fifth of it.
const room = 6 << 30

// memory is where tests see a file system in memory. Its name is short: they make
// sockets deep inside it.
const memory = "/tmp/sw"

// inMemory are arguments of `go test` with which tests, and they alone, keep their
// temporary files in dir, in memory; what go builds stays on the disk. It is none where too
// little is free, where only root may do so, and where a person said where to keep them.
func inMemory(dir string) []string {
	if os.Geteuid() != 0 || os.Getenv("TMPDIR") != "" || os.Getenv("GOTMPDIR") != "" {
		return nil
	}
	if table, err := os.ReadFile("/proc/meminfo"); err != nil || available(string(table)) < room {
		return nil
	}
	return []string{"-exec", fmt.Sprintf("env TMPDIR=%s GOTMPDIR=%[1]s", dir)}
}

// available is how many bytes /proc/meminfo says programs can have.
func available(table string) int64 {
	for line := range strings.Lines(table) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kB); n == 1 {
			return kB << 10
		}
	}
	return 0
}

// startInMemory starts a program for which dir is a file system in memory. Nobody
// else sees it, and it is gone with the last process that does.
func startInMemory(cmd *exec.Cmd, dir string) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: this thread ends with its view of the files
		started <- func() error {
			if err := mount(dir); err != nil {
				return fmt.Errorf("%w: %w", errNoMemory, err)
			}
			return cmd.Start()
		}()
	}()
	return <-started
}

// mount gives the calling thread its own view of the files, with memory in dir.
func mount(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("a view of the files of its own: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep what is mounted from others: %w", err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=1777"); err != nil {
		return fmt.Errorf("mount memory: %w", err)
	}
	return nil
}
