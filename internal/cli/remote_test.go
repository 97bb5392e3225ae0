package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/engine"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// secret has the form of a token.
const secret = "stw_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"

// far notes how a command connects.
func far(b *bench) *[]shell.ConnectOptions {
	var seen []shell.ConnectOptions
	connect := b.Dial
	b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		seen = append(seen, o)
		return connect(ctx, o)
	}
	return &seen
}

func TestAnEngineElsewhere(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.env["HOME"], "token")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.put("1", "awaiting_approval")
	b.own() // a process there has the same number as this one here
	seen := far(b)
	b.run(t, shell.ExitOK, "--server", "https://s.example", "--token-file", file, "status")
	b.env["STELLWERK_SERVER"], b.env["STELLWERK_TOKEN"] = "https://t.example", secret
	b.run(t, shell.ExitOK, "approve", "1", "--detach")
	for i, want := range []string{"https://s.example", "https://t.example"} {
		if o := (*seen)[i]; o.Server != want || o.Token != secret {
			t.Errorf("connected to %q with %q", o.Server, o.Token)
		}
	}
	if b.detached != 0 {
		t.Error("an engine was started here")
	}
	if strings.Contains(b.out.String()+b.err.String(), secret) {
		t.Error("the token was printed")
	}
	b.run(t, shell.ExitError, "backup", "here")
	b.said(t, b.err, "cannot see a folder here")
}

// TestAdviceLeadsToTheSameEngine: what a person copies goes where the command went.
func TestAdviceLeadsToTheSameEngine(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.env["HOME"], "token")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.put("1", "awaiting_approval")
	flags := "--server https://s.example --token-file " + file
	there := strings.Fields(flags)
	b.run(t, shell.ExitOK, append(there, "status", "1")...)
	b.said(t, b.out, "next: `stellwerk "+flags+" approve alias-1`")
	b.run(t, shell.ExitWaiting, append(there, "watch", "1")...)
	b.run(t, shell.ExitError, append(there, "status", "nosuch")...)
	b.said(t, b.err, "try: see `stellwerk "+flags+" status`")

	b = newBench(t)
	b.put("1", "awaiting_approval")
	b.env["STELLWERK_SERVER"], b.env["STELLWERK_TOKEN"] = "https://t.example", secret
	b.run(t, shell.ExitOK, "status", "1")
	b.said(t, b.out, "next: `stellwerk approve alias-1`")
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
		b := newBench(t)
		seen := far(b)
		file := filepath.Join(b.env["HOME"], "token")
		if c.mode != 0 {
			if err := os.WriteFile(file, []byte(secret), c.mode); err != nil {
				t.Fatal(err)
			}
		}
		for k, v := range c.env {
			b.env[k] = v
		}
		b.run(t, c.exit, strings.Fields(strings.ReplaceAll(c.args, "FILE", file))...)
		b.said(t, b.err, c.said)
		if len(*seen) != 0 {
			t.Errorf("%s: connected to %+v", name, *seen)
		}
	}
}

func TestTokensAndCockpit(t *testing.T) {
	b := newBench(t)
	b.svc.Access.Secret = secret
	b.svc.Access.Tokens = []api.Token{
		{ID: "1", Name: "ada\x1b[2J", Role: api.RoleAdmin, CreatedAt: noon, CreatedBy: "root", UsedAt: &noon},
		{ID: "2", Name: "eve", Role: api.RoleViewer, CreatedAt: noon, CreatedBy: "root", RevokedAt: &noon, RevokedBy: "root"},
	}
	b.svc.Access.Code = api.SignInCode{Code: "A-B", URL: "http://127.0.0.1:1/sign-in#A-B", Until: noon}
	b.run(t, shell.ExitOK, "tokens", "add", "bob", "--role", "viewer")
	if b.out.String() != secret+"\n" { // and nothing else: it can be put into a file
		t.Errorf("printed %q", b.out)
	}
	b.run(t, shell.ExitUsage, "tokens", "add", "bob")
	b.run(t, shell.ExitOK, "tokens", "list")
	b.said(t, b.out, `ada\x1b[2J`, "used 2")
	if strings.Contains(b.out.String(), "eve") {
		t.Error("a revoked token is listed")
	}
	b.run(t, shell.ExitOK, "tokens", "list", "--all")
	b.said(t, b.out, "eve", "revoked 2")
	b.run(t, shell.ExitOK, "tokens", "revoke", "eve")
	b.run(t, shell.ExitOK, "cockpit")
	b.said(t, b.out, "http://127.0.0.1:1/sign-in#A-B\n")
	b.asked(t, "add-token", "revoke-token", "sign-in")
	b.env["STELLWERK_SERVER"], b.env["STELLWERK_TOKEN"] = "https://s.example/", secret
	b.run(t, shell.ExitOK, "cockpit")
	b.said(t, b.out, "https://s.example/sign-in#A-B\n")
	for _, variable := range []string{"STELLWERK_ATTEMPT", shell.SessionVariable} {
		b.env[variable] = "5f0c1d2e-session"
		for _, line := range []string{"cockpit", "tokens add x --role admin", "tokens revoke x"} {
			b.run(t, shell.ExitError, strings.Fields(line)...)
		}
		delete(b.env, variable)
	}
}

// TestRunIsShownInTheCockpit: the link leads to the run, and there is no run where
// there is no cockpit.
func TestRunIsShownInTheCockpit(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.svc.Access.Code = api.SignInCode{Code: "A-B", URL: "http://127.0.0.1:1/sign-in#A-B", Until: noon}
	b.run(t, shell.ExitOK, "run", "do it", "--cockpit")
	b.said(t, b.err, "cockpit: http://127.0.0.1:1/sign-in?next=%2Fruns%2Falias-1#A-B\n")
	b.asked(t, "sign-in", "start")
	if b.detached != 1 {
		t.Errorf("detached %d times", b.detached)
	}
	b = newBench(t)
	b.svc.On = func(c apitest.Call) error {
		if c.Verb == "sign-in" {
			return core.Errorf(core.CodeUnavailable, "the engine does not listen").WithHint("end it")
		}
		return nil
	}
	b.run(t, shell.ExitError, "run", "do it", "--cockpit")
	b.said(t, b.err, "does not listen", "try: end it")
	b.asked(t, "sign-in")
	b.run(t, shell.ExitUsage, "run", "do it", "--cockpit", "--session", "x")
	b.env["STELLWERK_ATTEMPT"] = "build.r1.a1"
	b.run(t, shell.ExitError, "run", "do it", "--cockpit")
	b.asked(t, "sign-in")
}

func TestWhereServeListens(t *testing.T) {
	for line, want := range map[string]*network.Config{
		"":                                 {AnyPort: true},
		"--listen off":                     nil,
		"--listen 127.0.0.1:0":             {Listen: "127.0.0.1:0"},
		"--behind-proxy --host a --host b": {BehindProxy: true, Hosts: []string{"a", "b"}},
		"--tls-cert /c --tls-key /k":       {Cert: "/c", Key: "/k"},
	} {
		b := newBench(t)
		var got *network.Config
		b.Serve = func(_ context.Context, o shell.ConnectOptions) error { got = o.Network; return nil }
		b.run(t, shell.ExitOK, append([]string{"serve"}, strings.Fields(line)...)...)
		if (got == nil) != (want == nil) || got != nil && (got.Listen != want.Listen || got.AnyPort != want.AnyPort || got.Cert != want.Cert ||
			got.BehindProxy != want.BehindProxy || strings.Join(got.Hosts, " ") != strings.Join(want.Hosts, " ")) {
			t.Errorf("%q: %+v", line, got)
		}
		b.env[engine.ListenVariable] = engine.ListenOff
		got = nil
		b.run(t, shell.ExitOK, append([]string{"serve"}, strings.Fields(line)...)...)
		if (got == nil) != (line == "" || want == nil) {
			t.Errorf("%q where the variable says off: %+v", line, got)
		}
	}
}
