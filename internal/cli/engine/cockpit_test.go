package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// TestABrowserIsLedByAPage: what programs are started with can be read by everybody
// on a machine, and holds no code.
func TestABrowserIsLedByAPage(t *testing.T) {
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >%s/arguments\ncat \"$1\" >%s/page\nls -ld \"$1\" \"${1%%/*}\" >%s/modes\n", dir, dir, dir)
	for _, program := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	b := clitest.New(t)
	b.Svc.Access.Code = api.SignInCode{Code: "A-B", URL: "http://127.0.0.1:1/sign-in#A-B", Until: clitest.Noon}
	b.Run(t, shell.ExitOK, "cockpit", "--open")
	b.Said(t, b.Out, "http://127.0.0.1:1/sign-in#A-B\n", "Code to type in: A-B (works once, until ")
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if arguments := read("arguments"); strings.Contains(arguments, "A-B") || strings.Contains(arguments, "http") || !strings.HasSuffix(arguments, ".html\n") {
		t.Errorf("started with %s", arguments)
	}
	if page := read("page"); !strings.Contains(page, "http://127.0.0.1:1/sign-in#A-B") {
		t.Errorf("the page is %s", page)
	}
	if modes := read("modes"); strings.Count(modes, "-rw-------") != 1 || strings.Count(modes, "drwx------") != 1 {
		t.Errorf("others can read it: %s", modes)
	}
	failing := []byte("#!/bin/sh\nexit 3\n")
	for _, program := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(dir, program), failing, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.Svc.Access.Code.Code = "C-D"
	b.Run(t, shell.ExitError, "cockpit", "--open")
	b.Said(t, b.Err, "no browser could be opened", "open the link yourself")
	if left, err := filepath.Glob(filepath.Join(b.Env["HOME"], ".local", "state", "stellwerk", "open", "*.html")); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestTokensAndCockpit(t *testing.T) {
	b := clitest.New(t)
	b.Svc.Access.Secret = clitest.Secret
	b.Svc.Access.Tokens = []api.Token{
		{ID: "1", Name: "ada\x1b[2J", Role: api.RoleAdmin, CreatedAt: clitest.Noon, CreatedBy: "root", UsedAt: &clitest.Noon},
		{ID: "2", Name: "eve", Role: api.RoleViewer, CreatedAt: clitest.Noon, CreatedBy: "root", RevokedAt: &clitest.Noon, RevokedBy: "root"},
	}
	b.Svc.Access.Code = api.SignInCode{Code: "A-B", URL: "http://127.0.0.1:1/sign-in#A-B", Until: clitest.Noon}
	b.Run(t, shell.ExitOK, "tokens", "add", "bob", "--role", "viewer")
	if b.Out.String() != clitest.Secret+"\n" { // and nothing else: it can be put into a file
		t.Errorf("printed %q", b.Out)
	}
	b.Run(t, shell.ExitUsage, "tokens", "add", "bob")
	b.Run(t, shell.ExitOK, "tokens", "list")
	b.Said(t, b.Out, `ada\x1b[2J`, "used 2")
	if strings.Contains(b.Out.String(), "eve") {
		t.Error("a revoked token is listed")
	}
	b.Run(t, shell.ExitOK, "tokens", "list", "--all")
	b.Said(t, b.Out, "eve", "revoked 2")
	b.Run(t, shell.ExitOK, "tokens", "revoke", "eve")
	b.Run(t, shell.ExitOK, "cockpit")
	b.Said(t, b.Out, "http://127.0.0.1:1/sign-in#A-B\n")
	b.Asked(t, "add-token", "revoke-token", "sign-in")
	b.Env["STELLWERK_SERVER"], b.Env["STELLWERK_TOKEN"] = "https://s.example/", clitest.Secret
	b.Run(t, shell.ExitOK, "cockpit")
	b.Said(t, b.Out, "https://s.example/sign-in#A-B\n")
	for _, variable := range []string{"STELLWERK_ATTEMPT", shell.SessionVariable} {
		b.Env[variable] = "5f0c1d2e-session"
		for _, line := range []string{"cockpit", "tokens add x --role admin", "tokens revoke x"} {
			b.Run(t, shell.ExitError, strings.Fields(line)...)
		}
		delete(b.Env, variable)
	}
}

// TestRunIsShownInTheCockpit: the link leads to the run, and there is no run where
// there is no cockpit.
func TestRunIsShownInTheCockpit(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.Svc.Access.Code = api.SignInCode{Code: "A-B", URL: "http://127.0.0.1:1/sign-in#A-B", Until: clitest.Noon}
	b.Run(t, shell.ExitOK, "run", "do it", "--cockpit")
	b.Said(t, b.Err, "cockpit: http://127.0.0.1:1/sign-in?next=%2Fruns%2Falias-1#A-B\n")
	b.Asked(t, "sign-in", "start")
	if b.Detached != 1 {
		t.Errorf("detached %d times", b.Detached)
	}
	b = clitest.New(t)
	b.Svc.On = func(c apitest.Call) error {
		if c.Verb == "sign-in" {
			return core.Errorf(core.CodeUnavailable, "the engine does not listen").WithHint("end it")
		}
		return nil
	}
	b.Run(t, shell.ExitError, "run", "do it", "--cockpit")
	b.Said(t, b.Err, "does not listen", "try: end it")
	b.Asked(t, "sign-in")
	b.Run(t, shell.ExitUsage, "run", "do it", "--cockpit", "--session", "x")
	b.Env["STELLWERK_ATTEMPT"] = "build.r1.a1"
	b.Run(t, shell.ExitError, "run", "do it", "--cockpit")
	b.Asked(t, "sign-in")
}

func TestWhereServeListens(t *testing.T) {
	for line, want := range map[string]*network.Config{
		"":                                 {AnyPort: true},
		"--listen off":                     nil,
		"--listen 127.0.0.1:0":             {Listen: "127.0.0.1:0"},
		"--behind-proxy --host a --host b": {BehindProxy: true, Hosts: []string{"a", "b"}},
		"--tls-cert /c --tls-key /k":       {Cert: "/c", Key: "/k"},
	} {
		b := clitest.New(t)
		var got *network.Config
		b.Serve = func(_ context.Context, o shell.ConnectOptions) error { got = o.Network; return nil }
		b.Run(t, shell.ExitOK, append([]string{"serve"}, strings.Fields(line)...)...)
		if (got == nil) != (want == nil) || got != nil && (got.Listen != want.Listen || got.AnyPort != want.AnyPort || got.Cert != want.Cert ||
			got.BehindProxy != want.BehindProxy || strings.Join(got.Hosts, " ") != strings.Join(want.Hosts, " ")) {
			t.Errorf("%q: %+v", line, got)
		}
		b.Env["STELLWERK_LISTEN"] = "off"
		got = nil
		b.Run(t, shell.ExitOK, append([]string{"serve"}, strings.Fields(line)...)...)
		if (got == nil) != (line == "" || want == nil) {
			t.Errorf("%q where the variable says off: %+v", line, got)
		}
	}
}
