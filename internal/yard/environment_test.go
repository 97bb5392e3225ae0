package yard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatGitIsStartedWith is all it gets: nothing of the caller's but PATH, and nothing of the machine's.
func TestWhatGitIsStartedWith(t *testing.T) {
	y := openYard(t)
	bin := folder(t)
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nenv > \"${0%/*}/env\"\nprintf '%s\\n' \"$@\" > \"${0%/*}/args\"\n"), 0o755))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("OF_THE_CALLER", "x")
	must(t, second(y.git().run(ctx(t), "version")))
	lines := func(name string) []string {
		content, err := os.ReadFile(filepath.Join(bin, name))
		must(t, err)
		return strings.Split(strings.TrimSpace(string(content)), "\n")
	}
	got := map[string]string{}
	for _, line := range lines("env") {
		name, value, _ := strings.Cut(line, "=")
		if !slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) { // which the shell adds
			got[name] = value
		}
	}
	want := map[string]string{
		"PATH": os.Getenv("PATH"), "GIT_DIR": y.Dir(),
		// no configuration but the yard's own
		"HOME": "/dev/null", "XDG_CONFIG_HOME": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ATTR_NOSYSTEM": "1",
		// messages and dates as they are read here
		"LC_ALL": "C", "TZ": "UTC",
		// nobody is asked, and nothing is started
		"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "GIT_PAGER": "cat", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
		// a name is what it says
		"GIT_NO_REPLACE_OBJECTS": "1", "GIT_LITERAL_PATHSPECS": "1", "GIT_OPTIONAL_LOCKS": "0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	args := lines("args")
	for why, settings := range map[string][]string{
		"a repository starts programs":   {"core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgSign=false", "protocol.ext.allow=never", "submodule.recurse=false"},
		"files elsewhere have a say":     {"core.attributesFile=/dev/null", "core.excludesFile=/dev/null", "core.untrackedCache=false", "core.commitGraph=false"},
		"what is kept is thrown away":    {"gc.auto=0", "maintenance.auto=false"},
		"damaged objects are let in":     {"transfer.fsckObjects=true", "transfer.unpackLimit=1", "core.protectHFS=true", "core.protectNTFS=true"},
		"a crash takes what was written": {"core.fsync=all", "core.fsyncMethod=fsync"},
		"two that write at once fail":    {"core.filesRefLockTimeout=5000", "core.packedRefsTimeout=5000"},
	} {
		for _, setting := range settings {
			if i := slices.Index(args, setting); i < 1 || args[i-1] != "-c" {
				t.Errorf("without %s, %s", setting, why)
			}
		}
	}
	equal(t, "the command", args[len(args)-1], "version")
}
