package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
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
	b := newBench(t)
	b.svc.Access.Code = api.SignInCode{Code: "A-B", URL: "http://127.0.0.1:1/sign-in#A-B", Until: noon}
	b.run(t, shell.ExitOK, "cockpit", "--open")
	b.said(t, b.out, "http://127.0.0.1:1/sign-in#A-B\n", "Code to type in: A-B (works once, until ")
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
	b.svc.Access.Code.Code = "C-D"
	b.run(t, shell.ExitError, "cockpit", "--open")
	b.said(t, b.err, "no browser could be opened", "open the link yourself")
	if left, err := filepath.Glob(filepath.Join(b.env["HOME"], ".local", "state", "stellwerk", "open", "*.html")); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}
