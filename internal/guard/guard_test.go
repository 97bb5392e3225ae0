package guard_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

func TestCommandNamesTheRule(t *testing.T) {
	t.Parallel()
	worker := guard.Policy{
		Subject: guard.Worker, Dir: "/run/work", Roots: []string{"/run/work", "/tmp"}, Hidden: []string{"/state"}, Shown: []string{"/state/in"},
		Verbs: []string{"tool", "status"}, Aliases: map[string]string{"st": "status -s", "loop": "loop2", "loop2": "loop", "p": "!git push"},
	}
	orchestrator := worker
	orchestrator.Subject, orchestrator.Verbs = guard.Orchestrator, []string{"status", "advance"}
	for _, test := range []struct {
		policy guard.Policy
		line   string
		rule   guard.Rule // "" for allowed
	}{
		{worker, "git push", guard.Push},
		{worker, "git p", guard.Push},
		{worker, "git st", ""},
		{worker, "git loop", shell.Unresolved},
		{worker, "git unheard-of", shell.Unresolved},
		{worker, "git -C $x status", shell.Unresolved},
		{worker, "gh pr create", guard.ForgeWrite},
		{worker, "gh some-extension", guard.ForgeWrite},
		{worker, "gh auth token", guard.Credential},
		{worker, "git credential fill", guard.Credential},
		{worker, "git config alias.x push", guard.Configuration},
		{worker, "echo x > .git/hooks/post-commit", guard.Configuration},
		{worker, "echo x > ../.gi?/config", guard.Configuration},
		{worker, "GIT_SSH_COMMAND=x git fetch", guard.Environment},
		{worker, "env -i make", guard.Environment},
		{worker, "unset GIT_CONFIG_COUNT", guard.Environment},
		{worker, "STELLWERK_STATE=/x stellwerk status", guard.Environment},
		{worker, "$x", shell.Unresolved},
		{worker, "(", shell.Unreadable},
		{worker, "stellwerk status", ""},
		{worker, "stellwerk --json status", ""},
		{worker, "stellwerk --state /x approve", guard.PersonsWord},
		{worker, "stellwerk approve", guard.PersonsWord},
		{worker, "stellwerk advance approve", guard.PersonsWord},
		{worker, "stellwerk --unknown status", guard.PersonsWord},
		{worker, "./bin/stellwerk \"$x\"", guard.PersonsWord},
		{worker, "go run ./cmd/stellwerk approve", guard.PersonsWord},
		{worker, "go run ./cmd/other approve", ""},
		{worker, "stellwerk --help", ""},
		{worker, "cat main.go; echo x > main.go; echo y > /tmp/y", ""},
		{worker, "echo x > /etc/hosts", guard.Outside},
		{worker, "cp main.go ../../elsewhere/", guard.Outside},
		{worker, "cd /elsewhere && git commit -m x", guard.Outside},
		{worker, "git -C /elsewhere log", ""},
		{worker, "cat /elsewhere/x.go", ""},
		{worker, "cat < /state/stellwerk.db", guard.Private},
		{worker, "cat < /state/in/prompt.md", ""},
		{worker, "echo x > /state/in/prompt.md", guard.Private},
		{worker, "echo '{}' > .claude/settings.local.json", guard.Private},
		{worker, "exec 3<>/dev/tcp/example.test/80", guard.ForgeWrite},
		{worker, "echo > /dev/tcp/localhost/5432", ""},
		{orchestrator, "git push", guard.Push},
		{orchestrator, "stellwerk advance approve", ""},
		{orchestrator, "stellwerk approve", guard.PersonsWord},
		{orchestrator, "cat main.go", guard.CodeRead},
		{orchestrator, "echo x > main.go", guard.CodeWrite},
		{orchestrator, "find .", guard.Explore},
		{orchestrator, "echo x > .stellwerk/playbooks/x.yaml", guard.Private},
		{orchestrator, "echo x > .git/description.txt", guard.Configuration},
		{orchestrator, "cat \"$x\"", guard.CodeRead},
		{orchestrator, "make test > /dev/null 2>&1", ""},
	} {
		verdict := test.policy.Command(test.line)
		if verdict.Rule != test.rule || verdict.Deny != (test.rule != "") {
			t.Errorf("%s: %+v, want rule %q", test.line, verdict, test.rule)
		}
		if verdict.Deny {
			checkReason(t, test.line, verdict.Reason)
		}
	}
}

// checkReason: a refusal says what is wrong and, after a semicolon or colon, what to do; in a sentence or two.
func checkReason(t *testing.T, line, reason string) {
	t.Helper()
	if len(reason) < 30 || len(reason) > 400 || !strings.ContainsAny(reason, ";:") || strings.Contains(reason, "\n") || !shell.Text(reason).Known() {
		t.Errorf("%s: not a reason a person can act on: %q", line, reason)
	}
}

func TestFilesOfTheOrchestrator(t *testing.T) {
	t.Parallel()
	policy := guard.Policy{Subject: guard.Orchestrator, Dir: "/repo", Hidden: []string{"/state"}, Shown: []string{"/state/runs/1/prompts"}}
	for _, test := range []struct {
		file        string
		read, write bool // allowed
	}{
		{"/repo/README.md", true, true},
		{"README.MD", true, true},
		{"/repo/a/b.json", true, true},
		{"/repo/.github/workflows/x.yml", true, true},
		{"/repo/x.yaml", true, true},
		{"/repo/run.sh", true, true},
		{"/repo/.gitignore", true, true},
		{"/repo/notes.txt", true, true},
		{"../README.md", true, true},
		{"/repo/main.go", false, false},
		{"/repo/Makefile", false, false},
		{"/repo/x.ipynb", false, false},
		{"/repo/md", false, false},
		{"/repo/x.md.go", false, false},
		{"/repo/x.md/", false, false},
		{"/repo/x.md.", false, false},
		{"/repo/x.md ", false, false},
		{"/repo/main.go/../x.md", false, false},
		{"/repo/lib/../x.md", false, false},
		{"/repo/x.md\n", false, false},
		{"/repo/x\x01.md", false, false},
		{"/repo/.git/x.md", true, false},
		{"/repo/.GIT/x.md", true, false},
		{"/repo/.git/config", false, false},
		{"/repo/.stellwerk/playbooks/feature.yaml", true, false},
		{"/repo/.claude/settings.json", true, false},
		{"/repo/.claude/settings.local.json", true, false},
		{"/root/.claude.json", true, false},
		{"/repo/.claude/agents/x.md", true, true},
		{"/state/x.json", false, false},
		{"/state/runs/1/prompts/a.md", true, false},
		{"/state-of-things/x.json", true, true},
		{"", false, false},
	} {
		if v := policy.Read(test.file); v.Deny == test.read {
			t.Errorf("read %q: %+v", test.file, v)
		}
		if v := policy.Write(test.file); v.Deny == test.write {
			t.Errorf("write %q: %+v", test.file, v)
		}
	}
}

func TestFilesOfAWorker(t *testing.T) {
	t.Parallel()
	policy := guard.Policy{Subject: guard.Worker, Dir: "/state/work/1", Roots: []string{"/state/work/1", "/state/out/1"}, Hidden: []string{"/state"}, Shown: []string{"/state/in/1"}}
	for _, test := range []struct {
		file        string
		read, write bool // allowed
	}{
		{"main.go", true, true},
		{"/state/work/1/a/main.go", true, true},
		{"/state/out/1/report.json", true, true},
		{"/state/in/1/plan.md", true, false},
		{"/state/work/2/main.go", false, false},
		{"../2/main.go", false, false},
		{"/state/work/10/main.go", false, false},
		{"/usr/include/stdio.h", true, false},
		{".git/config", true, false},
		{".git/hooks/pre-push", true, false},
		{".git/modules/x/config", true, false},
		{".git/info/exclude", true, true},
		{".git/COMMIT_EDITMSG", true, true},
		{"/home/person/.gitconfig", true, false},
		{"/home/person/.config/git/config", true, false},
		{"/home/person/.ssh/config", true, false},
	} {
		if v := policy.Read(test.file); v.Deny == test.read {
			t.Errorf("read %q: %+v", test.file, v)
		}
		if v := policy.Write(test.file); v.Deny == test.write {
			t.Errorf("write %q: %+v", test.file, v)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	orchestrator := guard.Policy{Subject: guard.Orchestrator, Dir: "/repo", Hidden: []string{"/state"}}
	worker := guard.Policy{Subject: guard.Worker, Dir: "/repo", Hidden: []string{"/state"}}
	for _, test := range []struct {
		policy    guard.Policy
		dir, glob string
		deny      bool
	}{
		{orchestrator, "/repo", "**/*.md", false},
		{orchestrator, "", "*.yaml", false},
		{orchestrator, "/repo/README.md", "", false},
		{orchestrator, "/repo", "", true},
		{orchestrator, "/repo", "**/*.go", true},
		{orchestrator, "/repo", "**/*", true},
		{orchestrator, "/repo", "*.{md,go}", true},
		{orchestrator, "/state", "*.md", true},
		{worker, "/repo", "**/*.go", false},
		{worker, "/repo", "", false},
		{worker, "/state/runs", "*.md", true},
	} {
		if v := test.policy.Search(test.dir, test.glob); v.Deny != test.deny {
			t.Errorf("search %q for %q as %v: %+v", test.dir, test.glob, test.policy.Subject, v)
		}
	}
}
