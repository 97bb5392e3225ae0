package tool_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// echo stands for the program: it prints its arguments, one in a line.
const echo = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"

// TestScripts runs the scripts as an attempt does: from a folder that it cannot
// write to, by their names.
func TestScripts(t *testing.T) {
	dir, bin := filepath.Join(t.TempDir(), "tools"), filepath.Join(t.TempDir(), "program")
	if err := tool.InstallScripts(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, []byte(echo), 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "tool.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for _, kind := range []sandbox.Kind{sandbox.None, sandbox.Sandbox} {
		t.Run(string(kind), func(t *testing.T) {
			if found, why := sandbox.Detect(t.Context()); kind == sandbox.Sandbox && found != kind {
				tooltest.Unisolated(t, why)
			}
			for name, verb := range map[string]string{
				"delegate-to-red": "delegate", "send-message": "message", "update-plan": "plan", "request-clarification": "question", "fetch-detail": "detail",
			} {
				got := call(t, kind, dir, bin, name+` "two words" --flag '$HOME'`)
				if want := "tool\n" + verb + "\ntwo words\n--flag\n$HOME\n"; got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if got := call(t, kind, dir, bin, `test -S "$(dirname "$(command -v send-message)")/tool.sock" && echo there`); got != "there\n" {
				t.Errorf("the socket is not there: %q", got)
			}
			if kind == sandbox.Sandbox {
				if got := call(t, kind, dir, bin, `rm -f `+dir+`/send-message `+dir+`/tool.sock 2>/dev/null; touch `+dir+`/x 2>/dev/null; ls `+dir+` | wc -l`); strings.TrimSpace(got) != "6" {
					t.Errorf("the folder was changed: %q", got)
				}
			}
		})
	}
}

func call(t *testing.T, kind sandbox.Kind, dir, bin, line string) string {
	t.Helper()
	spec := sandbox.Spec{Argv: []string{"/bin/sh", "-c", line}, Dir: dir, ReadOnly: []string{dir, bin},
		Env: []string{"PATH=" + dir + ":/usr/bin:/bin", agent.EnvProgram + "=" + bin}}
	launch, err := sandbox.Command(kind, spec)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = spec.Env, dir, &out, &out
	done, err := launch.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if <-done; !cmd.ProcessState.Success() {
		t.Fatalf("%s: %v\n%s", line, cmd.ProcessState, out.String())
	}
	return out.String()
}

// TestInstallScriptsRefreshes replaces what another version left, and nothing
// else.
func TestInstallScriptsRefreshes(t *testing.T) {
	dir := t.TempDir()
	if err := tool.InstallScripts(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "send-message")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.Stat(filepath.Join(dir, "update-plan"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nold\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tool.InstallScripts(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != string(want) {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o555 {
		t.Errorf("%v, %v", info, err)
	}
	if now, err := os.Stat(filepath.Join(dir, "update-plan")); err != nil || !os.SameFile(kept, now) {
		t.Errorf("a script that was as it should be was replaced (%v)", err)
	}
}
