package shim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// TestALineOfShellIsAPartOfTheAttempt: it has the attempt's folder, environment and walls, a folder for temporary files
// that lasts, its own exit code, and no secret.
func TestALineOfShellIsAPartOfTheAttempt(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a := shimtest.New(t, kind, `echo r > "$STELLWERK_OUT/ready"; until [ -e "$STELLWERK_OUT/go" ]; do sleep 0.02; done`,
			func(s *shim.Spec) { s.Secrets, s.Env = []string{"TOKEN"}, map[string]string{"FROM_SPEC": "1"} })
		worker := a.Command(t, shimtest.RoleWorker, "TOKEN="+secret)
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		a.AwaitOutput(t, "ready")
		shell := func(line string) (string, error) {
			cmd := a.Command(t, shimtest.RoleShell, "TOKEN="+secret)
			cmd.Args = append(cmd.Args, line)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		tmp := filepath.Join(a.Folder, "home", "tmp")
		want := strings.Join([]string{a.Workspace, tmp, "a1 1 ", a.Spec.Job.Out, ""}, "\n")
		if out, err := shell(`pwd; echo "$TMPDIR"; echo "$STELLWERK_ATTEMPT $FROM_SPEC $TOKEN"; echo "$STELLWERK_OUT"; echo x > "$TMPDIR/kept"; echo x > /tmp/gone-with-it`); err != nil || out != want {
			t.Errorf("%v: it says %q, want %q", err, out, want)
		}
		if kind == sandbox.None {
			if err := os.Remove("/tmp/gone-with-it"); err != nil {
				t.Error(err)
			}
		}
		if out, err := shell(`cat "$TMPDIR/kept"; ls /tmp/gone-with-it 2>/dev/null; exit 7`); err == nil || err.Error() != "exit status 7" || out != "x\n" {
			t.Errorf("%v: then it says %q", err, out)
		}
		if out, err := shell("cat '" + a.State + "/stellwerk.db'"); (err == nil) != (kind == sandbox.None) {
			t.Errorf("%v: the state is %q", err, out)
		}
		shimtest.Write(t, filepath.Join(a.Spec.Job.Out, "go"), "")
		if err := worker.Wait(); err != nil {
			t.Fatal(err)
		}
		if out, err := shell("true"); err == nil || !strings.Contains(out, shim.ErrNotRunning.Error()) || !strings.Contains(out, string(shim.StateExited)) {
			t.Errorf("after its end: %v, %s", err, out)
		}
	})
}

// TestAReadOnlyShellSeesAFolderAndNothingElse, and changes nothing in it. Where it starts elsewhere, it sees that, too.
func TestAReadOnlyShellSeesAFolderAndNothingElse(t *testing.T) {
	onlySandbox(t)
	top, err := os.MkdirTemp("/var/tmp", "glance")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	root, sub, twin := filepath.Join(top, "root"), filepath.Join(top, "root", "sub"), filepath.Join(top, "root2")
	for _, dir := range []string{sub, twin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		shimtest.Write(t, filepath.Join(dir, "file"), "in "+filepath.Base(dir)+"\n")
	}
	line := `pwd; cat file; echo "$HOME $TERM $LEAK$LANG"; cat ../sub/file ../root/sub/file 2>/dev/null; cat ../root2/file ../../root2/file 2>/dev/null; touch file 2>/dev/null && echo POSSIBLE; exit 3`
	for dir, want := range map[string]string{
		sub:  sub + "\nin sub\n/tmp dumb C\nin sub\n",
		twin: twin + "\nin root2\n/tmp dumb C\nin sub\nin root2\n",
	} {
		cmd := shimtest.Attempt{Folder: root}.Command(t, shimtest.RoleGlance, "LEAK=leak", "LANG=C")
		cmd.Args = append(cmd.Args, dir, line)
		if out, err := cmd.CombinedOutput(); err == nil || err.Error() != "exit status 3" || string(out) != want {
			t.Errorf("%v: it says %q, want %q", err, out, want)
		}
	}
	cmd := shimtest.Attempt{Folder: root}.Command(t, shimtest.RoleGlance)
	cmd.Args = append(cmd.Args, filepath.Join(root, "none"), "true")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("it began in a folder that is not there: %s", out)
	}
}
