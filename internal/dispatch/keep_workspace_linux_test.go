package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestAWorkspaceThatCannotBeRead keeps its attempt from ending as little as one that is too large: it stays where it is kept, and
// the record says so. Not even root can read a socket.
func TestAWorkspaceThatCannotBeRead(t *testing.T) {
	e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{Error: "no bundle"}}, nil)
	work := e.Layout.Workspace(e.run.ID, theAttempt)
	if err := errors.Join(os.RemoveAll(work), syscall.Mknod(work, syscall.S_IFSOCK|0o600, 0)); err != nil {
		t.Fatal(err)
	}
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	d := e.engine.await(t).(core.AttemptExited).Delivery
	if d.Workspace != "" || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "cannot be read") || len(d.Rejected) != 1 {
		t.Errorf("handed in is %+v", d)
	}
	if _, err := os.Lstat(filepath.Join(e.folder, "workspace")); err != nil {
		t.Error(err)
	}
}
