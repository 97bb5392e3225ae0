package app_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// TestDocumentsAreDescribed holds the table of documents to what engines leave in a store.
func TestDocumentsAreDescribed(t *testing.T) { stores(t, testDocumentsAreDescribed) }

func testDocumentsAreDescribed(t *testing.T, database string) {
	table, err := os.ReadFile("../../docs/state-folder.md")
	if err != nil {
		t.Fatal(err)
	}
	q := newSquadOn(t, database, "a", "b")
	q.let("go-build")
	q.let("go-polish")
	q.completed("b", q.start("a", q.repository(), "Sell tea"))
	db := store.Store(nil)
	if config.IsDatabase(database) {
		db, err = postgres.Open(t.Context(), database, postgres.Options{})
	} else {
		db, err = sqlite.Open(t.Context(), filepath.Join(q.common, "db"), sqlite.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	kinds := map[string]bool{}
	for record, err := range db.Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if record.Table.Name == store.TableDocuments {
			kinds[record.Text("kind")] = true
		}
	}
	for kind := range kinds {
		family, _, _ := strings.Cut(kind, ".")
		attempt := ""
		if rest, of := strings.CutPrefix(kind, "attempt-"); of {
			family, attempt = "attempt-*", rest
		} else if family == "access" {
			family = "access.*"
		}
		if _, row, found := strings.Cut(string(table), "\n| `"+family+"`"); !found {
			t.Errorf("there are documents of kind %s, of which the table says nothing", kind)
		} else if row, _, _ = strings.Cut(row, "\n"); attempt != "" && !strings.Contains(row, "`"+attempt+"`") {
			t.Errorf("there are documents of kind %s, of which its row says nothing", kind)
		}
	}
	if len(kinds) < 4 {
		t.Errorf("the test proves little: there are %v", kinds)
	}
	t.Logf("there are %v", slices.Sorted(maps.Keys(kinds)))
}
