package client_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/client"
)

// TestANotice comes with answers and refusals alike, and is gone when the engine has nothing to warn of any more.
func TestANotice(t *testing.T) {
	var says atomic.Value
	handler := api.Noticing(func() string { return says.Load().(string) }, handlerOf(&apitest.Service{}))
	socket := filepath.Join(t.TempDir(), "engine.sock")
	t.Cleanup(serveHandler(t, socket, handler))
	c := client.New(socket, token)
	t.Cleanup(func() { _ = c.Close() })
	for _, want := range []string{"", "it has a twin", ""} {
		says.Store(want)
		if _, err := c.Info(t.Context()); err != nil || c.Notice() != want {
			t.Errorf("an answer: %v; it says %q, not %q", err, c.Notice(), want)
		}
	}
	says.Store("it has a twin")
	if _, err := c.Run(t.Context(), "nothing"); err == nil || c.Notice() != "it has a twin" {
		t.Errorf("a refusal: %v; it says %q", err, c.Notice())
	}
}
