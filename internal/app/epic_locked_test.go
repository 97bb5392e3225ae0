package app_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// listener is a log that tells when something is in it.
type listener struct {
	io.Writer
	text  string
	heard chan struct{}
}

func (l listener) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(l.text)) {
		select {
		case l.heard <- struct{}{}:
		default:
		}
	}
	return l.Writer.Write(p)
}

// TestALockedRefCostsNoEpicItsTurn: a git process of a killed engine may still hold
// a ref. An epic that cannot be started for that waits, and is started later.
func TestALockedRefCostsNoEpicItsTurn(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first := s.run("one")
	s.close()
	log := listener{t.Output(), "the repository cannot be fetched", make(chan struct{}, 1)}
	var err error
	if s.app, err = app.Open(s.ctx, app.Options{State: s.state, Version: "test", Log: log}); err != nil {
		t.Fatal(err)
	}
	yards, err := filepath.Glob(filepath.Join(s.state, "yards", "*.git"))
	if err != nil || len(yards) != 1 {
		t.Fatalf("%v, %v", yards, err)
	}
	second := s.run("two") // the yard is open now, and what dead processes left there is gone
	git(t, s.dir, "branch", "meanwhile")
	if err := os.WriteFile(filepath.Join(yards[0], "refs/upstream/heads/meanwhile.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.cancel(first)
	select {
	case <-log.heard:
	case <-waittest.Over():
		t.Fatal("the epic's turn never came")
	}
	s.close()
	s.open(nil)
	s.until("the epic has become its run, or was refused", func(d api.ProjectDetail) bool { return driven(second)(d) || d.Refused > 0 })
	if d := s.project(); d.Refused > 0 {
		t.Errorf("%+v", d.Queue)
	}
}
