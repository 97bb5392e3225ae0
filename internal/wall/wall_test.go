package wall

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/toolbox"
)

func TestMain(m *testing.M) {
	bridge.Intercept()
	Intercept()
	os.Exit(m.Run())
}

func TestWallsHold(t *testing.T) {
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		toolbox.Unisolated(t, reason)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Try(t.Context(), self)
	if err != nil || got != (Report{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Try(t.Context(), "/bin/false"); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("with a program that says nothing: %v", err)
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
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := try(t.Context(), order{Server: listener.Addr().String(), File: file, Word: "word"})
	if !strings.Contains(got.Network, listener.Addr().String()) || !strings.Contains(got.Files, file) || !strings.Contains(got.Inside, "supervisor") {
		t.Errorf("%+v", got)
	}
}
