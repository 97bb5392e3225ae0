package courier

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// TestAWorkerDoesNotFetchForGood: no engine may ever have what its attempt begins with.
func TestAWorkerDoesNotFetchForGood(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a := &attempt{client: newClient(wire.SocketScheme+filepath.Join(root, "engine.sock"), "token", "worker"), root: root}
		if err := a.lay(t.Context(), wire.Start{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
	})
}
