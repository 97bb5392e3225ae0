package client_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestAnEngineThatEnds says so with what it still answers; one of this process ends with it.
func TestAnEngineThatEnds(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	svc := &apitest.Service{On: func(apitest.Call) error { close(entered); <-leave; return nil }}
	svc.Put(api.RunDetail{Run: api.Run{ID: "0198"}})
	socket := filepath.Join(t.TempDir(), "engine.sock")
	stop := serve(t, socket, svc)
	c := client.New(socket, token)
	defer func() { _ = c.Close() }()
	if _, err := c.Info(t.Context()); err != nil || c.Ends() {
		t.Errorf("%v; an engine that stays says it ends: %v", err, c.Ends())
	}
	heard := make(chan error, 1)
	go func() { _, err := c.Retry(t.Context(), "0198", api.Retry{}); heard <- err }()
	<-entered
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	refused := waittest.Until(func() bool { // nobody is let in any more
		conn, err := net.Dial("unix", socket)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	if !refused {
		t.Error("an engine that ends still takes connections")
	}
	close(leave)
	if err := <-heard; err != nil || !c.Ends() {
		t.Errorf("%v; an engine that ends says so: %v", err, c.Ends())
	}
	<-stopped
	if !client.New(socket, token).Hosted().Ends() {
		t.Error("an engine of this process outlives it")
	}
}
