package engine_test

import (
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestBackup(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitOK, "backup", "there")
	dir := b.Dir
	if got := b.Svc.Calls()[0].Req; got != filepath.Join(dir, "there") {
		t.Errorf("%v", got)
	}
}
