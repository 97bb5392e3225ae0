// Package tooltest finds the programs that tests need besides Go and git, and
// that `make tools` installs. A test that lacks one is skipped. Where CI is
// "true" it fails instead, if `make tools` installs that program on this system:
// a build server that tests less than everybody thinks is worse than a red one.
package tooltest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Tool is a program of the tests, by the name a person knows it by.
type Tool string

// The tools there are. Their versions are those of scripts/fetch-*.sh.
const (
	Bubblewrap Tool = "bubblewrap"
	Chromium   Tool = "chromium"
	Tmux       Tool = "tmux"
	PostgreSQL Tool = "postgres"
	PgBouncer  Tool = "pgbouncer"
	Promtool   Tool = "promtool"
	HAProxy    Tool = "haproxy"
	Systemd    Tool = "systemd-analyze"
	Claude     Tool = "Claude Code 2.1.325"
	Axe        Tool = "axe 4.10.3"
	VersityGW  Tool = "versitygw 1.8.0"
	OpenSSH    Tool = "ssh-keygen"
)

// provided reports a tool that `make tools` installs on a system.
func provided(tool Tool, system string) bool {
	switch tool {
	case Claude, Axe, VersityGW:
		return slices.Contains([]string{"linux", "darwin"}, system)
	case Bubblewrap, Chromium, Tmux, PostgreSQL, PgBouncer, Promtool, HAProxy, Systemd, OpenSSH:
		return system == "linux"
	}
	return false
}

// Find is the path of a tool. The error says what to do.
func Find(tool Tool) (string, error) {
	path, err := locate(tool)
	if err != nil {
		return "", fmt.Errorf("%s is not on this machine, `make tools` installs it where it can: %w", tool, err)
	}
	return path, nil
}

func locate(tool Tool) (string, error) {
	switch tool {
	case Bubblewrap:
		return exec.LookPath("bwrap")
	case Claude:
		if path := os.Getenv("STELLWERK_CLAUDE_BINARY"); path != "" {
			return path, exists(path)
		}
		return cached("claude-2.1.325", "claude")
	case Axe:
		return cached("axe-4.10.3", "axe.min.js")
	case VersityGW:
		return cached("versitygw-1.8.0", "versitygw")
	case Chromium:
		return browser()
	case PostgreSQL:
		return server()
	case HAProxy, PgBouncer:
		return administrative(string(tool))
	case Tmux, Promtool, Systemd, OpenSSH:
	}
	return exec.LookPath(string(tool))
}

// browser is a Chromium by any of its names. Chrome comes first: where both are, as
// on Ubuntu, the other may be in a snap, which cannot use a profile under /tmp.
func browser() (string, error) {
	for _, name := range []string{"google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(string(Chromium))
}

// server is the newest PostgreSQL. Debian keeps its programs away from the path.
func server() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return exec.LookPath(string(PostgreSQL))
	}
	return slices.MaxFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }), nil
}

// administrative is a program that Debian keeps where only root's path leads.
func administrative(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return exec.LookPath(filepath.Join("/usr/sbin", name))
}

// cached is a file that scripts/fetch-*.sh has put into the person's cache folder.
func cached(elements ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(append([]string{cache, "stellwerk-tools"}, elements...)...)
	return path, exists(path)
}

func exists(path string) error {
	_, err := os.Stat(path)
	return err
}

// Has reports whether a tool is here. The error is for a machine on which it must
// be: whoever asks must fail.
func Has(tool Tool) (bool, error) {
	_, err := Find(tool)
	if err != nil && required(tool) {
		return false, err
	}
	return err == nil, nil
}

// required reports a tool without which nothing may be skipped.
func required(tool Tool) bool {
	return os.Getenv("CI") == "true" && provided(tool, runtime.GOOS)
}

// Need is the path of a tool. A test that lacks it does not come back.
func Need(t testing.TB, tool Tool) string {
	t.Helper()
	path, err := Find(tool)
	switch {
	case err == nil:
	case required(tool):
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return path
}

// Unisolated ends a test that got no sandbox, for the reason that sandbox.Detect gave. It skips the test if this machine cannot
// have a sandbox, and fails it otherwise.
func Unisolated(t testing.TB, reason string) {
	t.Helper()
	if runtime.GOOS == "linux" {
		Need(t, Bubblewrap)
	}
	if err := Isolated(t.Context(), reason); err != nil {
		t.Fatal(err)
	}
	t.Skip("no isolation on this machine:", reason)
}

// Isolated is an error if this machine can have a sandbox, although sandbox.Detect found none for the reason given.
func Isolated(ctx context.Context, reason string) error {
	if !isolates(ctx) {
		return nil
	}
	return fmt.Errorf("bubblewrap works on this machine, so a sandbox must, too: %s", reason)
}

// isolates reports that bubblewrap works if it is asked for nothing but namespaces and file systems that every sandbox needs.
func isolates(ctx context.Context) bool {
	program, err := locate(Bubblewrap)
	return runtime.GOOS == "linux" && err == nil && exec.CommandContext(ctx, program,
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net",
		"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--", "/bin/sh", "-c", ":").Run() == nil
}
