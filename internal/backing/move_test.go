package backing_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func move(t *testing.T, folder statefolder.Folder, to string) (backing.Moved, error) {
	t.Helper()
	from, err := backing.Source(folder, "", "", backing.Place{Store: to})
	if err != nil {
		return backing.Moved{}, err
	}
	return backing.Move(t.Context(), folder, from, backing.Place{Store: to}, truth.Options{})
}

// TestAFolderKnowsWhereItsStoreWent: into a database, into another, and back; what lay in the folder before is kept under another name.
func TestAFolderKnowsWhereItsStoreWent(t *testing.T) {
	one, two, folder := pgtest.Database(t), pgtest.Database(t), newFolder(t)
	happen(t, folder)
	for _, to := range []string{one, two, ""} {
		m, err := move(t, folder, to)
		if err != nil || m.Before {
			t.Fatalf("to %q: %+v, %v", to, m, err)
		}
		if (m.Aside != "") != (to == "") {
			t.Errorf("to %q: set aside is %q", to, m.Aside)
		}
		if b, err := open(t, folder, "", ""); err != nil {
			t.Errorf("to %q: %+v, %v", to, b, err)
		}
	}
	if _, err := os.Stat(folder.StoreNote()); err == nil {
		t.Error("it still notes a database")
	}
	if _, err := open(t, newFolder(t), two, ""); core.CodeOf(err) != core.CodeConflict || !strings.Contains(wording.Hint(err), "stellwerk store move") {
		t.Errorf("what was moved away can be worked on: %v", err)
	}
}

// TestAMoveThatTheFolderDidNotHearOf is not done twice.
func TestAMoveThatTheFolderDidNotHearOf(t *testing.T) {
	one, folder := pgtest.Database(t), newFolder(t)
	happen(t, folder)
	if _, err := move(t, folder, one); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(folder.StoreNote()); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, folder, "", ""); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("it works with what was moved away: %v", err)
	}
	if m, err := move(t, folder, one); err != nil || !m.Before {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := open(t, folder, "", ""); err != nil {
		t.Error(err)
	}
}

// TestMigrating says from which schema to which, and does nothing the second time.
func TestMigrating(t *testing.T) {
	folder := newFolder(t)
	place, err := backing.Find(folder, pgtest.Database(t), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := place.Check(t.Context(), folder, truth.Options{}); core.CodeOf(err) != core.CodeConflict || !strings.Contains(wording.Hint(err), "stellwerk store migrate") {
		t.Errorf("a store of another schema is looked at: %v", err)
	}
	var seen []int64
	for range 2 {
		m, err := place.Migrate(t.Context(), folder)
		if err != nil || strings.Contains(m.Store, "@") {
			t.Fatalf("%+v, %v", m, err)
		}
		seen = append(seen, m.From, m.To)
	}
	if newest := seen[1]; newest == 0 || !slices.Equal(seen, []int64{0, newest, newest, newest}) {
		t.Errorf("schemas were %v", seen)
	}
	if _, err := os.Stat(folder.StoreNote()); err == nil {
		t.Error("the folder notes a store that no engine has opened")
	}
}
