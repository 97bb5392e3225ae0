package guard_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// FuzzCommand: no line makes the guard panic or hang, every refusal has a rule and a reason, and a push on a line of
// its own is seen whatever stands before it.
func FuzzCommand(f *testing.F) {
	for _, file := range []string{"testdata/commands.txt", "testdata/orchestrator.txt"} {
		text, err := readEntries(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range text {
			f.Add(e.command)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, policy := range []guard.Policy{{Subject: guard.Worker, Dir: "/repo", Roots: []string{"/repo"}}, {Subject: guard.Orchestrator, Dir: "/repo"}} {
			verdict := policy.Command(line)
			if verdict.Deny && (verdict.Rule == "" || verdict.Reason == "") || !verdict.Deny && verdict != (guard.Verdict{}) {
				t.Errorf("%q: %+v", line, verdict)
			}
			if again := policy.Command(line); again != verdict {
				t.Errorf("%q: first %+v, then %+v", line, verdict, again)
			}
			if verdict.Deny || strings.HasSuffix(line, `\`) {
				continue
			}
			if followed := policy.Command(line + "\ngit push\n"); !followed.Deny {
				t.Errorf("%q hides a push that follows it", line)
			}
		}
	})
}

// FuzzFile: no path makes the guard panic, and what it allows the orchestrator to write has an open kind.
func FuzzFile(f *testing.F) {
	for _, path := range []string{"a.md", "/repo/../x.md", "a.go/../x.md", ".git/config", "x.md\x00.go", "~/.ssh/config", "...", "//", "a.md/..", ".gitignore"} {
		f.Add(path)
	}
	policy := guard.Policy{Subject: guard.Orchestrator, Dir: "/repo", Hidden: []string{"/state"}}
	f.Fuzz(func(t *testing.T, path string) {
		read, write := policy.Read(path), policy.Write(path)
		if read.Deny && !write.Deny {
			t.Errorf("%q may be written and not read: %+v", path, read)
		}
		lower := strings.ToLower(path)
		if !write.Deny && (strings.Contains(lower, "/.git/") || strings.HasSuffix(lower, ".go")) {
			t.Errorf("%q may be written", path)
		}
	})
}
