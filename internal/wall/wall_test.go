package wall

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

func TestMain(m *testing.M) {
	bridge.Intercept(nil)
	Intercept()
	os.Exit(m.Run())
}

func trial(t *testing.T) map[string]Trial {
	t.Helper()
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trials, err := Try(t.Context(), self)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Trial{}
	for _, one := range trials {
		out[one.Wall] = one
	}
	return out
}

func TestWallsHold(t *testing.T) {
	got := trial(t)
	if len(got) != 4 {
		t.Errorf("tried are %v", got)
	}
	for _, one := range got {
		if one.State != Holds || one.Advice != "" {
			t.Errorf("%+v", one)
		}
	}
	if _, err := Try(t.Context(), "/bin/false"); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("with a program that says nothing: %v", err)
	}
}

// TestBrokenBubblewrapIsSeen has a script before bubblewrap on PATH that leaves out one wall; the others still hold.
func TestBrokenBubblewrapIsSeen(t *testing.T) {
	real, err := exec.LookPath("bwrap")
	if err != nil {
		tooltest.Unisolated(t, "there is no bubblewrap")
	}
	for wall, c := range map[string]struct{ drop, add, found string }{
		networkWall: {drop: "--unshare-net", found: "a process inside connected to 127.0.0.1:"},
		callWall:    {drop: "--seccomp", found: "a process inside can call "},
		fileWall:    {add: "--bind " + os.TempDir() + " " + os.TempDir(), found: "which it is not shown"},
	} {
		t.Run(wall, func(t *testing.T) {
			dir := t.TempDir()
			// The filter's option has a value; what is added comes after all mounts.
			script := fmt.Sprintf(`#!/bin/bash
args=(); added=
while [ $# -gt 0 ]; do
	if [ "$1" = "%[1]s" ]; then [ "$1" = --seccomp ] && shift
	elif [ -z "$added" ] && [ "$1" = --chdir ]; then args+=(%[2]s "$1"); added=1
	else args+=("$1"); fi
	shift
done
exec %[3]s "${args[@]}"
`, c.drop, c.add, real)
			if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			for name, one := range trial(t) {
				if (one.State == Broken) != (name == wall) {
					t.Errorf("%+v", one)
				}
				if name == wall && (!strings.Contains(one.Found, c.found) || !strings.Contains(one.Advice, filepath.Join(dir, "bwrap"))) {
					t.Errorf("%+v", one)
				}
			}
		})
	}
}

// TestWhatIsImpossibleAnywayTellsNothing has an outside that can do no more than the inside.
func TestWhatIsImpossibleAnywayTellsNothing(t *testing.T) {
	o := order{Server: "127.0.0.1:1", File: "/secret", Word: "word"}
	refused := seen{Calls: map[string]string{"keyctl": refusedCall, "setns": noCall}}
	for _, one := range judge(o, "/usr/bin/bwrap", refused, refused) {
		if want := map[bool]State{true: Holds, false: Unclear}[one.Wall == wayOut]; one.State != want || want == Unclear && (!strings.HasPrefix(one.Found, "could not tell: ") || one.Advice == "") {
			t.Errorf("%+v", one)
		}
	}
	// One call that is possible outside is enough to tell by.
	outside := seen{Calls: map[string]string{"keyctl": refusedCall, "setns": "bad file descriptor"}}
	if got := judgeCalls(outside, refused); got.State != Broken || !strings.Contains(got.Found, "can call setns:") {
		t.Errorf("%+v", got)
	}
	if got := judgeCalls(outside, seen{Calls: map[string]string{"setns": refusedCall}}); got.State != Holds {
		t.Errorf("%+v", got)
	}
}

// This process has no walls around it, and is told so.
func TestMissingWallsAreSeen(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { serve(listener, "word"); close(served) }()
	defer func() { _ = listener.Close(); <-served }()
	o := order{Server: listener.Addr().String(), File: filepath.Join(t.TempDir(), "file"), Word: "word"}
	if err := os.WriteFile(o.File, []byte(o.Word), 0o600); err != nil {
		t.Fatal(err)
	}
	free := look(t.Context(), o)
	free.Way = "the supervisor is not reached"
	for _, one := range judge(o, "/usr/bin/bwrap", free, free) {
		if one.State != Broken || one.Advice == "" {
			t.Errorf("%+v", one)
		}
	}
}
