package handover_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
)

// pair is a unix connection and its other end.
func pair(t *testing.T) (from, to *net.UnixConn) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	near, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near.(*net.UnixConn), far.(*net.UnixConn)
}

// tcp is a connection and its other end.
func tcp(t *testing.T) (client, server *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	near, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near.(*net.TCPConn), far.(*net.TCPConn)
}

func TestAConnectionChangesHands(t *testing.T) {
	giver, taker := pair(t)
	client, between := tcp(t)
	if _, err := io.WriteString(client, "hello"); err != nil {
		t.Fatal(err)
	}
	if err := handover.Give(giver, between); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(between.Close(), giver.Close(), client.CloseWrite()); err != nil {
		t.Fatal(err)
	}
	_, handed, err := handover.Take(taker)
	if err != nil || handed == nil {
		t.Fatal(handed, err)
	}
	if said, err := io.ReadAll(handed); err != nil || string(said) != "hello" {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := io.WriteString(handed, "answer"); err != nil {
		t.Fatal(err)
	}
	if err := handed.Close(); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(client); err != nil || string(said) != "answer" {
		t.Errorf("%q, %v", said, err)
	}
}

// TestAClientSpeaksForItself: what uses the socket without a bridge is served as it is.
func TestAClientSpeaksForItself(t *testing.T) {
	giver, taker := pair(t)
	if _, err := io.WriteString(giver, "GET"); err != nil {
		t.Fatal(err)
	}
	if first, handed, err := handover.Take(taker); first != 'G' || handed != nil || err != nil {
		t.Errorf("%q, %v, %v", first, handed, err)
	}
	if err := giver.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(taker); string(rest) != "ET" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	if _, handed, err := handover.Take(taker); handed != nil || !errors.Is(err, io.EOF) {
		t.Errorf("%v, %v", handed, err)
	}
}

// TestOnlyATCPConnectionIsTaken: everything else that is sent is refused, and closed.
func TestOnlyATCPConnectionIsTaken(t *testing.T) {
	client, _ := tcp(t)
	socket, err := client.File()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _, _ = socket.Close(), read.Close(), write.Close() }()
	stranger, _ := pair(t)
	unix, err := stranger.File()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close() }()
	for name, c := range map[string]struct {
		data  byte
		files []*os.File
		fails bool
	}{
		"a pipe":                       {0, []*os.File{write}, true},
		"a unix socket":                {0, []*os.File{unix}, true},
		"two connections":              {0, []*os.File{socket, socket}, false},
		"a connection beside a letter": {'G', []*os.File{socket}, false},
	} {
		t.Run(name, func(t *testing.T) {
			giver, taker := pair(t)
			var fds []int
			for _, f := range c.files {
				fds = append(fds, int(f.Fd()))
			}
			before := descriptors(t)
			if _, _, err := giver.WriteMsgUnix([]byte{c.data}, syscall.UnixRights(fds...), nil); err != nil {
				t.Fatal(err)
			}
			first, handed, err := handover.Take(taker)
			if handed != nil || (err != nil) != c.fails || err == nil && first != c.data {
				t.Errorf("%d, %v, %v", first, handed, err)
			}
			if after := descriptors(t); after != before {
				t.Errorf("%d descriptors are open, %d before", after, before)
			}
		})
	}
}

// descriptors counts what this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
