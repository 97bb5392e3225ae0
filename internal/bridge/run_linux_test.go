package bridge

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// behind runs a line of shell behind a bridge in a closed network, and returns what it said and its exit code.
func behind(t *testing.T, largest int64, argv ...string) (said string, code int) {
	t.Helper()
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			if _, handed, err := handover.Take(conn); err == nil && handed != nil {
				_, _ = handed.Write([]byte("from outside\n"))
				_ = handed.Close()
			}
			_ = conn.Close()
		}
	}()
	launch, err := sandbox.Command(sandbox.Sandbox, sandbox.Spec{
		Argv: argv, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Private: []string{}, ReadOnly: []string{self},
		Network: sandbox.Network{Closed: true, Socket: socket, Starter: Command(self, Options{Socket: sandbox.SocketPath, Largest: largest})},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{"PATH=/usr/bin:/bin"}, &out, &out
	done, err := launch.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if _, err := launch.Unrouted(); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), cmd.ProcessState.ExitCode()
}

func TestACommandBehindABridge(t *testing.T) {
	_, port, _ := net.SplitHostPort(Address)
	for _, c := range []struct {
		name, line, says string
		code             int
	}{
		{"reaches what is outside", "exec 3<>/dev/tcp/127.0.0.1/" + port + "; cat <&3", "from outside", 0},
		{"its exit code is the bridge's", "exit 7", "", 7},
		{"its signal is the bridge's", "kill -KILL $$", "", 137},
		{"the bridge outlives what asks a command to end", "kill -TERM $PPID; exec 3<>/dev/tcp/127.0.0.1/" + port + "; cat <&3", "from outside", 0},
		{"its output ends with it, whoever else holds that", "setsid sleep 1000 & echo said; exit 3", "said", 3},
		{"the bridge is the first process, which nobody inside can end", "echo $PPID; kill -KILL $PPID; exit 4", "1", 4},
		{"the bridge reaps what others leave", `p=$( (sh -c 'echo $$' &) ); for i in {1..3000}; do [ -e /proc/$p ] || exit 5; sleep 0.01; done`, "", 5},
		{"it leaves no core and no larger file than it may", `ulimit -c; ulimit -Hf; (trap "" XFSZ; head -c 2000000 /dev/zero > /dev/shm/f) 2>/dev/null; stat -c %s /dev/shm/f`, "0\n1024\n1048576", 0},
		{"the bridge cannot be looked into", "cat /proc/$PPID/comm; cat /proc/$PPID/environ /proc/$PPID/maps 2>&1 | grep -c 'Permission denied'", Name + "\n2", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if said, code := behind(t, 1<<20, "/bin/bash", "-c", c.line); said != c.says || code != c.code {
				t.Errorf("it said %q and ended with %d, want %q and %d", said, code, c.says, c.code)
			}
		})
	}
}
