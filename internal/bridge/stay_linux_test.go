package bridge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// staying runs a line of shell behind a bridge that stays, in dir, and returns how the line ended.
func staying(t *testing.T, dir, line string) (*Channel, Ending, <-chan struct{}) {
	t.Helper()
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	launch, err := sandbox.Command(sandbox.Sandbox, sandbox.Spec{
		Argv: []string{"/bin/bash", "-c", line}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin", "SECRET=s"}, Private: []string{}, ReadOnly: []string{self}, Writable: []string{dir},
		Network: sandbox.Network{Closed: true, Starter: Command(self, Options{Socket: sandbox.SocketPath, Channel: sandbox.FirstFile})},
	})
	if err != nil {
		t.Fatal(err)
	}
	channel, theirs, err := NewChannel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(channel.Close)
	launch.Files = []*os.File{theirs}
	cmd := exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	done, err := launch.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	end, err := channel.Ending()
	if err != nil {
		t.Fatal(err)
	}
	return channel, end, done
}

func request(t *testing.T, dir string, argv ...string) Request {
	t.Helper()
	identity, err := IdentityOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Request{Argv: argv, Env: []string{"PATH=/here", "ONLY=this"}, Dir: dir, Workspace: dir, Identity: identity}
}

// ends waits until the sandbox has ended.
func ends(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(waittest.Limit):
		t.Fatal("the bridge stays")
	}
}

// TestBridgeThatStays says how its command ended when nothing else runs inside, and then does what it is asked, as if it had been
// started for that alone. The network is shut by then.
func TestBridgeThatStays(t *testing.T) {
	dir := t.TempDir()
	channel, end, done := staying(t, dir, `i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; (trap '' TERM; while :; do echo x; done >> beat) & until [ -s beat ]; do :; done; exit 7`)
	if end.Code != 7 || end.CPU < 10*time.Millisecond || end.Memory < 1<<19 {
		t.Errorf("it ended with %+v", end)
	}
	before, err := os.Stat(filepath.Join(dir, "beat"))
	if err != nil {
		t.Fatal(err)
	}
	if err := channel.Do(request(t, dir, "a", "b")); err != nil {
		t.Fatal(err)
	}
	if did, err := os.ReadFile(filepath.Join(dir, "did")); err != nil || string(did) != `["a" "b"] ["PATH=/here" "ONLY=this"] true` {
		t.Errorf("it did %s, %v", did, err)
	}
	ends(t, done)
	if after, err := os.Stat(filepath.Join(dir, "beat")); err != nil || after.Size() != before.Size() {
		t.Errorf("what the command left has gone on: %v, %v", after, err)
	}
}

func TestBridgeThatStaysInVain(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"it fails":                   {func(r *Request) { r.Argv = []string{"fail"} }, "it failed"},
		"a folder that is not there": {func(r *Request) { r.Dir = "/nowhere" }, "no such file"},
		"another workspace":          {func(r *Request) { r.Identity.Inode++ }, "another folder inside"},
		"no workspace":               {func(r *Request) { r.Workspace = "/nowhere" }, "no such file"},
		"a variable without a name":  {func(r *Request) { r.Env = []string{"=x"} }, "set "},
	} {
		t.Run(name, func(t *testing.T) {
			channel, _, done := staying(t, dir, "exit 0")
			r := request(t, dir, "a")
			c.change(&r)
			if err := channel.Do(r); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v", err)
			}
			if err := channel.Do(r); err == nil {
				t.Error("it carries out a second request")
			}
			ends(t, done)
		})
	}
	t.Run("nobody asks", func(t *testing.T) {
		channel, _, done := staying(t, dir, "kill -QUIT 1; exit 0")
		channel.Close()
		ends(t, done)
		if err := channel.Do(Request{}); err == nil {
			t.Error("a closed channel takes a request")
		}
	})
}

// TestBridgeWhoseLimitsWereSet does nothing: what it would start has those limits, too.
func TestBridgeWhoseLimitsWereSet(t *testing.T) {
	tool, err := exec.LookPath("prlimit")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"--as=40000000000", "--fsize=120000", "--nofile=16", "--nofile=16:", "--cpu=1000", "--rttime=1000000000"} {
		t.Run(limit, func(t *testing.T) {
			dir := t.TempDir()
			channel, end, done := staying(t, dir, tool+" --pid 1 "+limit)
			if end.Code != 0 {
				t.Fatalf("prlimit ended with %d", end.Code)
			}
			if err := channel.Do(request(t, dir, "a")); err == nil || !strings.Contains(err.Error(), "limits of the first process") {
				t.Errorf("it says %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "did")); err == nil {
				t.Error("it did it")
			}
			ends(t, done)
		})
	}
}

// TestOnlyAFirstProcessEndsAllOthers: anywhere else they would be the person's.
func TestOnlyAFirstProcessEndsAllOthers(t *testing.T) {
	if end, err := endOthers(); err == nil {
		t.Errorf("ended with %+v", end)
	}
}
