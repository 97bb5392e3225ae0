package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestForbidden(t *testing.T) {
	for name, c := range map[string]struct {
		file, value string
		uid         int
		want        string
	}{
		"a machine without such settings":  {"kernel/other", "1", 1000, ""},
		"AppArmor, for bubblewrap alone":   {"kernel/apparmor_restrict_unprivileged_userns", "1\n", 1000, `profile bwrap /opt/bin/bwrap flags=(unconfined) {\n  userns,\n}\n' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap`},
		"AppArmor":                         {"kernel/apparmor_restrict_unprivileged_userns", "1\n", 1000, "kernel.apparmor_restrict_unprivileged_userns=0"},
		"AppArmor, and root":               {"kernel/apparmor_restrict_unprivileged_userns", "1\n", 0, ""},
		"AppArmor that forbids nothing":    {"kernel/apparmor_restrict_unprivileged_userns", "0\n", 1000, ""},
		"an older Debian":                  {"kernel/unprivileged_userns_clone", "0\n", 1000, "kernel.unprivileged_userns_clone=1"},
		"no namespaces for root either":    {"user/max_user_namespaces", "0\n", 0, "user.max_user_namespaces"},
		"a machine that allows namespaces": {"user/max_user_namespaces", "5000\n", 1000, ""},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.value), 0o600); err != nil {
			t.Fatal(err)
		}
		got := forbidden(dir, c.uid, "/opt/bin/bwrap")
		if (got.why == "") != (c.want == "") || (got.fix == "") != (c.want == "") || !strings.Contains(got.fix, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if strings.Contains(got.why, "sysctl") {
			t.Errorf("%s: the reason has the fix in it: %s", name, got.why)
		}
	}
}
