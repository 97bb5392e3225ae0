package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestAnEngineElsewhere(t *testing.T) {
	b := clitest.New(t)
	file := filepath.Join(b.Env["HOME"], "token")
	if err := os.WriteFile(file, []byte(clitest.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Put("1", "awaiting_approval")
	b.Own() // a process there has the same number as this one here
	seen := clitest.Far(b)
	b.Run(t, shell.ExitOK, "--server", "https://s.example", "--token-file", file, "status")
	b.Env["STELLWERK_SERVER"], b.Env["STELLWERK_TOKEN"] = "https://t.example", clitest.Secret
	b.Run(t, shell.ExitOK, "approve", "1", "--detach")
	for i, want := range []string{"https://s.example", "https://t.example"} {
		if o := (*seen)[i]; o.Server != want || o.Token != clitest.Secret {
			t.Errorf("connected to %q with %q", o.Server, o.Token)
		}
	}
	if b.Detached != 0 {
		t.Error("an engine was started here")
	}
	if strings.Contains(b.Out.String()+b.Err.String(), clitest.Secret) {
		t.Error("the token was printed")
	}
	b.Run(t, shell.ExitError, "backup", "here")
	b.Said(t, b.Err, "cannot see a folder here")
}

// TestAdviceLeadsToTheSameEngine: what a person copies goes where the command went.
func TestAdviceLeadsToTheSameEngine(t *testing.T) {
	b := clitest.New(t)
	file := filepath.Join(b.Env["HOME"], "token")
	if err := os.WriteFile(file, []byte(clitest.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Put("1", "awaiting_approval")
	flags := "--server https://s.example --token-file " + file
	there := strings.Fields(flags)
	b.Run(t, shell.ExitOK, append(there, "status", "1")...)
	b.Said(t, b.Out, "next: `stellwerk "+flags+" approve alias-1`")
	b.Run(t, shell.ExitWaiting, append(there, "watch", "1")...)
	b.Run(t, shell.ExitError, append(there, "status", "nosuch")...)
	b.Said(t, b.Err, "try: see `stellwerk "+flags+" status`")

	b = clitest.New(t)
	b.Put("1", "awaiting_approval")
	b.Env["STELLWERK_SERVER"], b.Env["STELLWERK_TOKEN"] = "https://t.example", clitest.Secret
	b.Run(t, shell.ExitOK, "status", "1")
	b.Said(t, b.Out, "next: `stellwerk approve alias-1`")
}

func TestWhatKeepsFromAnEngineElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		mode os.FileMode
		args string
		exit int
		said string
	}{
		"no token":      {args: "--server https://s.example status", exit: shell.ExitError, said: "needs a token"},
		"open file":     {mode: 0o644, args: "--server https://s.example --token-file FILE status", exit: shell.ExitError, said: "others can read"},
		"no server":     {mode: 0o600, args: "--token-file FILE status", exit: shell.ExitUsage, said: "needs --server"},
		"attempt":       {env: map[string]string{"STELLWERK_TOKEN": "run.attempt.stwk_x"}, args: "--server https://s.example status", exit: shell.ExitError, said: "does not contain a person's token"},
		"this machine":  {mode: 0o600, args: "--server https://s.example serve", exit: shell.ExitUsage, said: "works only on this machine"},
		"its own child": {mode: 0o600, args: "--server https://s.example plugin path", exit: shell.ExitUsage, said: "works only on this machine"},
	} {
		b := clitest.New(t)
		seen := clitest.Far(b)
		file := filepath.Join(b.Env["HOME"], "token")
		if c.mode != 0 {
			if err := os.WriteFile(file, []byte(clitest.Secret), c.mode); err != nil {
				t.Fatal(err)
			}
		}
		for k, v := range c.env {
			b.Env[k] = v
		}
		b.Run(t, c.exit, strings.Fields(strings.ReplaceAll(c.args, "FILE", file))...)
		b.Said(t, b.Err, c.said)
		if len(*seen) != 0 {
			t.Errorf("%s: connected to %+v", name, *seen)
		}
	}
}
