package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// kernelFiles are the parts of /proc that change the whole machine. bubblewrap leaves them writable to a root without
// capabilities, because it checks the directory while the kernel checks the file: core_pattern alone would be a way out.
func kernelFiles() []string {
	return []string{
		"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi",
	}
}

// kernelLists are the parts of /proc that list keys of the process's user.
func kernelLists() []string { return []string{"/proc/keys", "/proc/key-users"} }

func bubblewrap(p plan, spec Spec) (Launch, error) {
	program, err := findBubblewrap(spec.Bubblewrap)
	if err != nil {
		return Launch{}, err
	}
	filter, err := filterBytes()
	if err != nil {
		return Launch{}, err
	}
	args := []string{program.path, "--seccomp", strconv.Itoa(firstInherited), "--unshare-user"}
	if program.disablesUserns() {
		args = append(args, "--disable-userns")
	}
	args = append(args, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
	if !spec.Brief {
		args = append(args, "--die-with-parent")
	}
	if program.startsFirst() && (spec.First || len(spec.Network.Starter) > 0) {
		args = append(args, "--as-pid-1")
	}
	args = append(args, "--new-session", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev")
	if spec.Network.Closed {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--args", strconv.Itoa(environmentFD))
	memory := program.inMemory(spec.MemoryFiles)
	args = append(args, memory("/dev/shm")...)
	args = append(args, "--remount-ro", "/dev") // it is in memory too
	for _, path := range kernelFiles() {
		if exists(path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, path := range kernelLists() {
		if exists(path) {
			args = append(args, mask(path, memory)...)
		}
	}
	if spec.Tmp != "" {
		args = append(args, "--bind", spec.Tmp, "/tmp")
	} else {
		args = append(args, memory("/tmp")...)
	}
	args = append(args, memory("/var/tmp")...)
	args = append(args, "--dir", "/run")
	var copies []copied
	for _, m := range p.mounts {
		if c, ok := copyOf(m, spec); ok && program.copies() {
			copies = append(copies, c)
			continue
		}
		args = append(args, mountArgs(p, m, memory)...)
	}
	for _, path := range linuxPrivate() {
		if !p.masks(path) && exists(path) {
			args = append(args, mask(path, memory)...)
		}
	}
	if spec.Network.Closed && spec.Network.Socket != "" {
		args = append(args, "--ro-bind", spec.Network.Socket, SocketPath)
	}
	args = append(args, "--remount-ro", "/", "--chdir", spec.Dir, "--")
	launch := Launch{Argv: append(args, spec.command()...), filter: filter, copies: copies}
	if spec.Network.Closed {
		launch.gauge = &gauge{}
	}
	launch.environment, err = environment(spec.Env)
	return launch, err
}

// command is what runs inside.
func (s Spec) command() []string {
	return slices.Concat(s.Network.Starter, s.Inside, s.Argv)
}

// mask makes a folder appear empty. It turns a file into a device that nobody can open.
func mask(path string, memory memoryFolder) []string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return memory(path)
	}
	return []string{"--ro-bind", "/dev/null", path}
}

// mountArgs keeps a system directory that is a link (/bin, /lib64) a link, because some programs compare such paths. A path
// in a folder that is not shown needs no mask.
func mountArgs(p plan, m mount, memory memoryFolder) []string {
	switch m.access {
	case hidden:
		if !exists(m.path) || p.accessTo(filepath.Dir(m.path)) == hidden {
			return nil
		}
		return mask(m.path, memory)
	case writable:
		return []string{"--bind", m.path, m.path}
	default:
		if target, err := os.Readlink(m.path); err == nil && depth(m.path) == 1 {
			return []string{"--symlink", target, m.path}
		}
		return []string{"--ro-bind", m.path, m.path}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
