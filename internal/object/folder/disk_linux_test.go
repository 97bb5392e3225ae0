package folder

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/disktest"
)

func TestFullDisk(t *testing.T) {
	f, err := Open(filepath.Join(disktest.Mount(t, "size=64k"), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.Put(t.Context(), io.LimitReader(neverEnding('x'), 1<<20), 0)
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("got %v", err)
	}
	if got := files(t, f); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}
