package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// kernelSettings is where the kernel shows what it allows.
const kernelSettings = "/proc/sys"

// forbidden names the setting of this machine that keeps people from making namespaces, and what allows it; it is empty if
// none does. Root is not asked: these settings are about everybody else.
func forbidden(settings string, uid int) string {
	is := func(name, value string) bool {
		text, err := os.ReadFile(filepath.Join(settings, filepath.FromSlash(name)))
		return err == nil && strings.TrimSpace(string(text)) == value
	}
	switch {
	case is("user/max_user_namespaces", "0"):
		return "user namespaces are forbidden: sudo sysctl user.max_user_namespaces=10000"
	case uid == 0:
		return ""
	case is("kernel/apparmor_restrict_unprivileged_userns", "1"):
		return "AppArmor forbids user namespaces: give bwrap an AppArmor profile that allows `userns`, or sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	case is("kernel/unprivileged_userns_clone", "0"):
		return "user namespaces are forbidden: sudo sysctl kernel.unprivileged_userns_clone=1"
	}
	return ""
}
