package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	b := newBench(t)
	b.env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Connect = refuseConnect
	b.run(t, ExitOK, "doctor", "--json")
	found := map[string]finding{}
	for _, f := range decode[map[string][]finding](t, b.out.String())["findings"] {
		found[f.What] = f
	}
	for _, what := range []string{"git", "isolation", "state", "space", "database", "clock", "engine"} {
		if found[what].Grade == gradeFail || found[what].Found == "" {
			t.Errorf("%s: %+v", what, found[what])
		}
	}
	b.Isolation = func(context.Context) (string, string) { return "sandbox", "bwrap is version 0.6" }
	b.run(t, ExitOK, "doctor")
	b.said(t, b.out, "warn  isolation", "version 0.6")
	b.Isolation = func(context.Context) (string, string) { return "none", "no bubblewrap" }
	b.run(t, ExitError, "doctor")
	b.said(t, b.out, "fail  isolation", "no bubblewrap", "apt install bubblewrap")
	if _, err := os.Stat(b.env["STELLWERK_STATE"]); !os.IsNotExist(err) {
		t.Error("looking made the state folder")
	}
}

func TestDoctorTellsOfProxyPasswords(t *testing.T) {
	b := newBench(t)
	b.env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Connect = refuseConnect
	b.Proxies = func() []string { return []string{"HTTPS_PROXY"} }
	b.run(t, ExitOK, "doctor")
	b.said(t, b.out, "warn  proxy", "HTTPS_PROXY without the name and password", "`secrets`")
}

func TestDoctorLooksForCredentials(t *testing.T) {
	b := newBench(t)
	dir := inRepository(t, b)
	writeFile(t, dir+"/.stellwerk/playbooks/own.yaml", `name: own
kind: phases
agents: {mine: {use: command, run: ["true"], secrets: [MY_TOKEN]}}
roles: {writer: {agent: mine, description: Writes.}}
phases: [{id: a, role: writer, done: {changed: x}}]
`)
	bin, path := t.TempDir(), os.Getenv("PATH")
	if err := os.WriteFile(bin+"/claude", []byte("#!/bin/sh\necho 1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	b.Connect, b.Credentials = refuseConnect, func() []string { return []string{"KEY_A", "KEY_B"} }
	b.env["MY_TOKEN"] = "hush-2"
	b.run(t, ExitError, "doctor") // there is not even git
	b.said(t, b.out, "ok    credentials own: MY_TOKEN is set; claude, which is not on PATH either: none of KEY_A, KEY_B is set")
	if err := os.WriteFile(empty+"/claude", nil, 0o644); err != nil { // somebody meant it to be there
		t.Fatal(err)
	}
	b.out.b.Reset()
	b.run(t, ExitError, "doctor")
	b.said(t, b.out, "warn  credentials claude: none of KEY_A, KEY_B is set")
	b.env["MY_TOKEN"] = ""
	t.Setenv("PATH", bin+":"+path)
	b.Credentials = func() []string { return []string{"KEY_A", "KEY_B"} }
	b.Connect = refuseConnect
	b.run(t, ExitOK, "doctor")
	b.said(t, b.out, "warn  credentials", "claude: none of KEY_A, KEY_B is set", "own: MY_TOKEN is not set")
	b.out.b.Reset()
	b.env["KEY_B"], b.env["MY_TOKEN"] = "hush-1", "hush-2"
	b.run(t, ExitOK, "doctor")
	b.said(t, b.out, "ok    credentials claude: KEY_B is set; own: MY_TOKEN is set")
	if strings.Contains(b.out.String(), "hush") {
		t.Errorf("a secret is shown: %s", b.out)
	}
}

// Where nothing is set, nothing is called good.
func TestDoctorDoesNotPraiseMissingCredentials(t *testing.T) {
	b := newBench(t)
	b.env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	t.Setenv("PATH", t.TempDir())
	b.Connect, b.Credentials = refuseConnect, func() []string { return []string{"KEY_A", "KEY_B"} }
	b.run(t, ExitError, "doctor") // there is not even git
	b.said(t, b.out, "warn  credentials claude, which is not on PATH either: none of KEY_A, KEY_B is set", "`command` agents need none")
}
