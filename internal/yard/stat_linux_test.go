package yard

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStatTellsTimesApart: the index has two of a file.
func TestStatTellsTimesApart(t *testing.T) {
	file := filepath.Join(folder(t), "file")
	must(t, os.WriteFile(file, []byte("content"), 0o600))
	before, err := os.Stat(file)
	must(t, err)
	past := time.Unix(1_000_000_000, 123_000_000)
	must(t, os.Chtimes(file, past, past))
	info, err := os.Lstat(file)
	must(t, err)
	got := statOf(info)
	equal(t, "modified", got.modified, [2]uint32{1_000_000_000, 123_000_000})
	if int64(got.changed[0]) < before.ModTime().Unix() {
		t.Errorf("changed at %v", got.changed)
	}
	equal(t, "size", got.size, 7)
}
