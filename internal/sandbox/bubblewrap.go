package sandbox

import (
	"fmt"
	"os"
	"os/exec"
)

// kernelFiles are the parts of /proc that change the whole machine. bubblewrap leaves them writable to root once its
// capabilities are gone, because it asks about the directory while the kernel asks about the file: core_pattern alone
// would be a way out.
func kernelFiles() []string {
	return []string{
		"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi",
	}
}

func bubblewrap(p plan, spec Spec) ([]string, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, fmt.Errorf("%w: bubblewrap is not installed (%w)", ErrUnavailable, err)
	}
	args := []string{
		program,
		"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--proc", "/proc", "--dev", "/dev",
	}
	for _, path := range kernelFiles() {
		if exists(path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	if spec.Tmp != "" {
		args = append(args, "--bind", spec.Tmp, "/tmp")
	} else {
		args = append(args, "--tmpfs", "/tmp")
	}
	args = append(args, "--tmpfs", "/var/tmp", "--dir", "/run")
	for _, m := range p.mounts {
		args = append(args, mountArgs(p, m)...)
	}
	for _, path := range linuxPrivate() {
		if exists(path) {
			args = append(args, "--tmpfs", path)
		}
	}
	args = append(args, "--remount-ro", "/", "--chdir", spec.Dir, "--")
	return append(args, spec.Argv...), nil
}

// mountArgs keeps a system directory that is a link (/bin, /lib64) a link, as some programs compare such paths. A
// folder is masked only where something above it is shown; elsewhere it is absent already.
func mountArgs(p plan, m mount) []string {
	switch m.access {
	case hidden:
		if !exists(m.path) || !p.coveredFromAbove(m.path) {
			return nil
		}
		return []string{"--tmpfs", m.path}
	case writable:
		return []string{"--bind", m.path, m.path}
	default:
		if target, err := os.Readlink(m.path); err == nil && depth(m.path) == 1 {
			return []string{"--symlink", target, m.path}
		}
		return []string{"--ro-bind", m.path, m.path}
	}
}

func (p plan) coveredFromAbove(path string) bool {
	for _, m := range p.mounts {
		if m.path != path && m.access != hidden && within(path, m.path) {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
