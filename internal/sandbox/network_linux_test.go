package sandbox

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// closed runs a line of shell in a closed network, and returns what it said and how many packets found no way.
func closed(t *testing.T, network Network, line string) (said string, unrouted int64) {
	t.Helper()
	requireSandbox(t)
	network.Closed = true
	launch, err := Command(Sandbox, Spec{
		Argv: []string{"/bin/bash", "-c", line}, Dir: "/", Private: []string{}, Network: network, Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	cmd.Stdout, cmd.Stderr = &out, &out
	done, err := launch.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if unrouted, err = launch.Unrouted(); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), unrouted
}

// dial is a line of shell that connects as bash can: a file of this name opens a connection.
func dial(address string) string { return "(exec 3<>/dev/" + address + ") 2>&1 && echo connected" }

func TestClosedNetwork(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, c := range []struct {
		name, address, says string
		unrouted            int64
	}{
		{"an address", "tcp/198.51.100.7/443", "Network is unreachable", 1},
		{"IPv6", "tcp/2001:db8::7/443", "Network is unreachable", 1},
		{"the metadata of a cloud", "tcp/169.254.169.254/80", "Network is unreachable", 1},
		{"a datagram, as for DNS", "udp/198.51.100.53/53", "Network is unreachable", 1},
		{"a server of this machine", "tcp/127.0.0.1/" + port, "Connection refused", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, unrouted := closed(t, Network{}, dial(c.address))
			if !strings.Contains(said, c.says) || strings.Contains(said, "connected") {
				t.Errorf("it said %q", said)
			}
			if unrouted != c.unrouted {
				t.Errorf("%d packets found no way, want %d", unrouted, c.unrouted)
			}
		})
	}
}

// What an ordinary user's sandbox sends is counted, too.
func TestClosedNetworkOfAPlainUser(t *testing.T) {
	requireSandbox(t)
	usertest.Again(t, nil, "TestClosedNetwork")
}

func TestClosedNetworkHasItsOwnLoopback(t *testing.T) {
	said, unrouted := closed(t, Network{}, `python3 -c '
import socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    server = socket.create_server((address, 0), family=family)
    client = socket.create_connection(server.getsockname()[:2])
    client.sendall(b"hello"); print(server.accept()[0].recv(5).decode())'`)
	if said != "hello\nhello" || unrouted != 0 {
		t.Errorf("it said %q, and %d packets found no way", said, unrouted)
	}
}

// The one way out, and what stands before the command.
func TestClosedNetworkShowsItsSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	said, _ := closed(t, Network{Socket: path, Starter: []string{"/usr/bin/env", "STARTED=by-env"}}, `echo $STARTED; python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.connect("`+SocketPath+`"); print("reached")'`)
	if said != "by-env\nreached" {
		t.Errorf("it said %q", said)
	}
	if _, err := os.Stat(SocketPath); err == nil {
		t.Errorf("%s was made on this machine", SocketPath)
	}
}
