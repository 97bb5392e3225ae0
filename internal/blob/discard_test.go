package blob_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/blob"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestOnlyWhatIsOldIsDiscarded(t *testing.T) {
	dir := t.TempDir()
	f, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string, age time.Duration) string {
		digest, _, err := f.Put(t.Context(), strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if path, err := f.Path(digest); err != nil || os.Chtimes(path, at, at) != nil {
			t.Fatal(err)
		}
		return digest
	}
	const week = 7 * 24 * time.Hour
	old, fresh, again := put("old", week), put("fresh", time.Hour), put("again", week)
	if _, _, err := f.Put(t.Context(), strings.NewReader("again"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".new-123"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int64{}
	if err := f.Each(func(digest string, size int64, _ time.Time) error { seen[digest] = size; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen[old] != 3 {
		t.Errorf("there are %v", seen)
	}
	for _, c := range []struct {
		digest string
		before time.Time
		gone   bool
	}{
		{old, time.Now().Add(-2 * week), false}, // put since then
		{old, time.Now(), true},
		{old, time.Now(), true}, // once more
		{fresh, time.Now(), false},
		{again, time.Now(), false}, // somebody may be about to speak of it
	} {
		if gone, err := f.Discard(c.digest, c.before); err != nil || gone != c.gone {
			t.Errorf("%s before %s: %t, %v", c.digest[:8], c.before, gone, err)
		}
	}
	if _, err := f.Open(old); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it is there: %v", err)
	}
	if _, err := f.Discard("../../etc/passwd", time.Now()); err == nil {
		t.Error("a path is taken for a digest")
	}
}
