package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// kernelSettings is where the kernel shows what it allows.
const kernelSettings = "/proc/sys"

// obstacle is a setting of this machine that forbids user namespaces, and the command that allows them.
type obstacle struct{ why, fix string }

// forbidden finds the setting that is in the way of bubblewrap at path; its result is empty if none is. Most of the settings
// do not apply to root.
func forbidden(settings string, uid int, path string) obstacle {
	is := func(name, value string) bool {
		text, err := os.ReadFile(filepath.Join(settings, filepath.FromSlash(name)))
		return err == nil && strings.TrimSpace(string(text)) == value
	}
	switch {
	case is("user/max_user_namespaces", "0"):
		return obstacle{"user namespaces are forbidden", "sudo sysctl user.max_user_namespaces=10000"}
	case uid == 0:
		return obstacle{}
	case is("kernel/apparmor_restrict_unprivileged_userns", "1"):
		return obstacle{"AppArmor forbids user namespaces", appArmorFix(path)}
	case is("kernel/unprivileged_userns_clone", "0"):
		return obstacle{"user namespaces are forbidden", "sudo sysctl kernel.unprivileged_userns_clone=1"}
	}
	return obstacle{}
}

// appArmorFix is a profile for bubblewrap alone, as Ubuntu has them for other programs that make sandboxes, and else the
// setting for all programs.
func appArmorFix(path string) string {
	profile := fmt.Sprintf(`abi <abi/4.0>,\ninclude <tunables/global>\nprofile bwrap %s flags=(unconfined) {\n  userns,\n}\n`, path)
	return fmt.Sprintf(`printf '%s' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap`, profile) +
		" (for every program: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0)"
}

// Remedy says what makes isolation possible on a machine where Detect finds none.
func Remedy() string {
	if runtime.GOOS != "linux" {
		return "make sure that sandbox-exec runs"
	}
	bwrap, err := findBubblewrap(Bubblewrap{})
	if err != nil {
		return "install bubblewrap (Debian, Ubuntu: sudo apt install bubblewrap; Fedora: sudo dnf install bubblewrap)"
	}
	return cmp.Or(forbidden(kernelSettings, os.Geteuid(), bwrap.path).fix, "allow user namespaces; in a container, its own seccomp profile may forbid them")
}
