package network_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// TestAListenerIsFoundAgain at the port of before, unless somebody else has it.
func TestAListenerIsFoundAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	listen := func() net.Listener {
		t.Helper()
		l, err := network.ListenAgain(t.Context(), "", file)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := listen()
	other := listen() // while the port is taken
	if other.Addr().String() == first.Addr().String() {
		t.Fatalf("two listen at %s", other.Addr())
	}
	for _, l := range []net.Listener{first, other} {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	again := listen()
	if again.Addr().String() != other.Addr().String() {
		t.Errorf("it listens at %s, and was last at %s", again.Addr(), other.Addr())
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
