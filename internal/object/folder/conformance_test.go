package folder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/objecttest"
)

func TestConformance(t *testing.T) { objecttest.Run(t, form) }

func TestLarge(t *testing.T) { objecttest.Large(t, form) }

func form(t *testing.T) objecttest.Form {
	dir := filepath.Join(t.TempDir(), "blobs")
	open := func(t *testing.T) *Folder {
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return objecttest.Form{
		Open: func(t *testing.T) object.Objects { return open(t) },
		Age: func(t *testing.T, digest string, by time.Duration) {
			at := time.Now().Add(-by)
			if err := os.Chtimes(open(t).at(digest), at, at); err != nil {
				t.Fatal(err)
			}
		},
		Damage: func(t *testing.T, digest string) {
			if err := os.WriteFile(open(t).at(digest), []byte("hellp"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
}
