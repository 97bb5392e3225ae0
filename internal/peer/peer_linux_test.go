package peer_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/peer"
)

// TestMain lets the test binary be the client: it connects and waits for an
// answer.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "connect" {
		c, err := net.Dial("unix", os.Args[2])
		if err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestSessionsOfTheOtherEnd(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // the test is over
	connect := fmt.Sprintf("%q connect %q; true", self, socket)
	for name, c := range map[string]struct {
		argv []string
		env  []string
		want []string
	}{
		"a person":                     {[]string{"sh", "-c", connect}, nil, nil},
		"a hook, told its session":     {[]string{self, "connect", socket}, []string{"CLAUDE_CODE_SESSION_ID=s1"}, nil},
		"a tool":                       {[]string{"sh", "-c", connect}, []string{"CLAUDE_CODE_SESSION_ID=s1"}, []string{"s1"}},
		"a tool that drops it":         {[]string{"sh", "-c", "unset CLAUDE_CODE_SESSION_ID; " + connect}, []string{"CLAUDE_CODE_SESSION_ID=s1"}, []string{"s1"}},
		"a tool without environment":   {[]string{"sh", "-c", "env -i " + connect}, []string{"CLAUDE_CODE_SESSION_ID=s1"}, []string{"s1"}},
		"a tool that names another":    {[]string{"sh", "-c", "export CLAUDE_CODE_SESSION_ID=s2; sh -c '" + connect + "'; true"}, []string{"CLAUDE_CODE_SESSION_ID=s1"}, []string{"s2", "s1"}},
		"a variable with the same end": {[]string{"sh", "-c", connect}, []string{"NOT_CLAUDE_CODE_SESSION_ID=s1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(c.argv[0], c.argv[1:]...)
			cmd.Env, cmd.Stderr = slices.Concat(c.env, []string{"PATH=/usr/bin:/bin"}), t.Output()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			got := peer.Sessions(peer.WithConn(context.Background(), conn))
			if _, err := conn.Write([]byte("x")); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			got = slices.DeleteFunc(got, func(s string) bool { return s != "s1" && s != "s2" }) // whoever runs the tests may be in one
			if !slices.Equal(got, c.want) {
				t.Errorf("inside of %q, want %q", got, c.want)
			}
		})
	}
}

func TestProcessAtTheOtherEnd(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if pid, known := peer.PID(c); !known || pid != os.Getpid() {
		t.Errorf("%d, %v, want %d", pid, known, os.Getpid())
	}
	if err := errors.Join(c.Close(), l.Close()); err != nil {
		t.Error(err)
	}
}
