package bridge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
)

func TestMain(m *testing.M) {
	Intercept(carryOut)
	os.Exit(m.Run())
}

// carryOut writes what a bridge has when it carries out a request into a file of its folder.
func carryOut(_ context.Context, argv []string) error {
	if argv[0] == "fail" {
		return errors.New("it failed")
	}
	_, err := net.Dial("tcp4", Address)
	text := fmt.Sprintf("%q %q %v", argv, os.Environ(), errors.Is(err, syscall.ECONNREFUSED))
	return os.WriteFile("did", []byte(text), 0o600)
}

func TestAsked(t *testing.T) {
	bridge := func(words ...string) []string { return append(Command("stellwerk", Options{"/s", 5, 9}), words...) }
	for _, c := range []struct {
		args []string
		want []string
	}{
		{bridge("sh", "-c", "true"), []string{"sh", "-c", "true"}},
		{bridge("sh"), []string{"sh"}},
		{bridge(), nil},
		{[]string{"stellwerk", "worker", "bridge", "/s", "5", "9", "sh", "--"}, nil},
		{[]string{"stellwerk", "worker", "bridge", "/s", "five", "9", "--", "sh"}, nil},
		{[]string{"stellwerk", "worker", "bridge", "/s", "5", "nine", "--", "sh"}, nil},
		{[]string{"stellwerk", "worker", "run", "/s", "5", "9", "--", "sh"}, nil},
		{[]string{"stellwerk", "run", "bridge", "/s", "5", "9", "--", "sh"}, nil},
		{[]string{"stellwerk"}, nil},
	} {
		got, ok := asked(c.args)
		if ok != (c.want != nil) || ok && (got.Options != Options{"/s", 5, 9} || !slices.Equal(got.argv, c.want)) {
			t.Errorf("%q: %+v, %v", c.args, got, ok)
		}
	}
}

// across makes a connection that a bridge carries, and returns both its ends.
func across(t *testing.T) (inside, outside net.Conn) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	far, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	near, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = far.Close(), near.Close() })
	go serve(near, socket)
	if inside, err = net.Dial("tcp4", near.Addr().String()); err != nil {
		t.Fatal(err)
	}
	outside = taken(t, far)
	t.Cleanup(func() { _, _ = inside.Close(), outside.Close() })
	return inside, outside
}

// taken is the next connection that the bridge gives to who listens outside.
func taken(t *testing.T, far net.Listener) net.Conn {
	t.Helper()
	way, err := far.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = way.Close() }()
	_, handed, err := handover.Take(way)
	if err != nil || handed == nil {
		t.Fatalf("%v, %v", handed, err)
	}
	return handed
}

// What one side has finished saying can still be answered.
func TestHalfOfAConnectionEnds(t *testing.T) {
	inside, outside := across(t)
	if _, err := io.WriteString(inside, "ask"); err != nil {
		t.Fatal(err)
	}
	if err := inside.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if asked, err := io.ReadAll(outside); err != nil || string(asked) != "ask" {
		t.Fatalf("%q, %v", asked, err)
	}
	fmt.Fprintln(outside, "answer")
	if line, err := bufio.NewReader(inside).ReadString('\n'); err != nil || line != "answer\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := outside.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(inside); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// A side that breaks off ends the other.
func TestAConnectionBreaksOff(t *testing.T) {
	inside, outside := across(t)
	if err := inside.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	if err := inside.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(outside); !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
}

// Nobody behind the socket: the connection ends at once.
func TestNobodyIsOutside(t *testing.T) {
	near, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = near.Close() }()
	go serve(near, filepath.Join(t.TempDir(), strings.Repeat("x", 10)))
	conn, err := net.Dial("tcp4", near.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if rest, _ := io.ReadAll(conn); len(rest) > 0 {
		t.Errorf("%q", rest)
	}
}
