package usertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Again runs tests of this binary as nobody if root runs them; else they run as a
// plain user anyway. Files are what they need of the package's folder. A named
// test that does not pass fails t, also one that is skipped, in part or as a
// whole, and one that does not exist.
func Again(t *testing.T, files []string, tests ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Logf("user %d runs the tests: these have run as a plain user", os.Getuid())
		return
	}
	out, err := newUser(t, nobody).run(t, files, tests)
	if err != nil {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
	for _, fault := range faults(out, tests) {
		t.Errorf("as nobody %s:\n%s", fault, out)
	}
}

// run has a home and a folder for temporary files of the user's own. Their names
// are short: sockets are made in them.
func (u User) run(t *testing.T, files, tests []string) (string, error) {
	t.Helper()
	folder := func(name string) string {
		dir := filepath.Join(u.Dir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		u.give(t, dir)
		return dir
	}
	work := folder("w")
	for _, file := range files {
		folder(filepath.Join("w", filepath.Dir(file)))
		copyFile(t, file, filepath.Join(work, file))
	}
	cmd := exec.CommandContext(t.Context(), u.Self, "-test.v", "-test.run", pattern(tests), "-test.timeout", remaining(t).String())
	cmd.Dir, cmd.SysProcAttr = work, u.Attr
	cmd.WaitDelay = waittest.Limit // for what the tests left behind, and holds their output open
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder("h"), "TMPDIR=" + folder("t"), "STELLWERK_PATIENCE=" + waittest.Limit.String()}
	if program := os.Getenv(claudeVariable); program != "" {
		cmd.Env = append(cmd.Env, claudeVariable+"="+program)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// claudeVariable says where Claude Code is, if not where package tooltest looks for it: in the home of who fetched it.
const claudeVariable = "STELLWERK_CLAUDE_BINARY"

// pattern selects these tests and no others, whose names begin like theirs.
func pattern(tests []string) string {
	var all []string
	for _, test := range tests {
		var levels []string
		for level := range strings.SplitSeq(test, "/") {
			levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
		}
		all = append(all, strings.Join(levels, "/"))
	}
	return strings.Join(all, "|")
}

// remaining ends the tests before this one has to, so that what they say is seen. Zero is no limit.
func remaining(t *testing.T) time.Duration {
	t.Helper()
	end, limited := t.Deadline()
	if !limited {
		return 0
	}
	return time.Until(end) * 9 / 10
}

// faults says which tests have not passed, by what a test binary has printed.
func faults(out string, tests []string) []string {
	var all []string
	for _, test := range tests {
		if !strings.Contains(out, "--- PASS: "+test+" (") {
			all = append(all, fmt.Sprintf("%s did not pass", test))
		}
	}
	if strings.Contains(out, "--- SKIP: ") {
		all = append(all, "something was skipped")
	}
	return all
}
