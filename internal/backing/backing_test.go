package backing_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestMain(m *testing.M) {
	code := m.Run()
	s3test.Stop()
	pgtest.Stop()
	os.Exit(code)
}

func newFolder(t *testing.T) statefolder.Folder {
	t.Helper()
	folder, err := statefolder.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// open begins as an engine does, and lets go at once.
func open(t *testing.T, folder statefolder.Folder, store, objects string) (backing.Backing, error) {
	t.Helper()
	place, err := backing.Find(folder, store, objects)
	if err != nil {
		return backing.Backing{}, err
	}
	b, err := place.Open(t.Context(), folder, slog.New(slog.DiscardHandler))
	if err == nil {
		_, _, err = b.Objects.Put(t.Context(), strings.NewReader("content"), 0)
		if failed := b.Store.Close(); failed != nil {
			t.Error(failed)
		}
	}
	return b, err
}

// happen has something happen in a folder's own database.
func happen(t *testing.T, folder statefolder.Folder) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), folder.Database(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := core.Seal("run/r", core.Head{}, time.Now().UTC().Truncate(time.Microsecond), core.Engine(), "", core.TimerFired{Timer: "t"})
	if err == nil {
		err = db.Commit(t.Context(), store.Commit{Stream: "run/r", Of: "p", Events: []core.Event{e}})
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, says string) {
	t.Helper()
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), says) || wording.Hint(err) == "" {
		t.Errorf("it says %v, not %q", err, says)
	}
}

// TestAFolderRemembersItsStore, and works with no other.
func TestAFolderRemembersItsStore(t *testing.T) {
	one, other, folder := pgtest.Database(t), pgtest.Database(t), newFolder(t)
	if _, err := open(t, folder, one, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, folder, "", ""); err != nil {
		t.Errorf("without an address: %v", err)
	}
	if _, err := os.Stat(folder.Database()); err == nil {
		t.Error("there is a database in the folder")
	}
	_, err := open(t, folder, other, "")
	refused(t, err, "belongs to another database")
	if _, err := open(t, folder, strings.Replace(one, "127.0.0.1", "localhost", 1), ""); err != nil {
		t.Errorf("at another address: %v", err)
	}
	note, err := os.ReadFile(folder.StoreNote())
	if err != nil || !strings.Contains(string(note), "localhost") {
		t.Errorf("it notes %s, %v", note, err)
	}
	fresh, own := newFolder(t), newFolder(t)
	if _, err := open(t, fresh, "", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, fresh, one, ""); err != nil {
		t.Errorf("a folder in which nothing has happened: %v", err)
	}
	happen(t, own)
	_, err = open(t, own, one, "")
	refused(t, err, "has a database of its own")
}

// TestANoteThatCannotBeRead is no reason to begin with an empty store.
func TestANoteThatCannotBeRead(t *testing.T) {
	folder := newFolder(t)
	if err := os.WriteFile(folder.StoreNote(), []byte(`{"address": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, folder, "", ""); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
		t.Errorf("it says %v", err)
	}
}

// TestTheFirstEngineChoosesTheObjects: those that begin at once agree.
func TestTheFirstEngineChoosesTheObjects(t *testing.T) {
	address, bucket := pgtest.Database(t), "s3://"+newBucket(t)+"/objects"
	places := []string{"", bucket, "postgres", bucket, ""}
	errs := make([]error, len(places))
	var engines sync.WaitGroup
	for i, objects := range places {
		folder := newFolder(t)
		engines.Go(func() { _, errs[i] = open(t, folder, address, objects) })
	}
	engines.Wait()
	var kept []string // where those that went on keep their objects
	for i, err := range errs {
		switch {
		case err != nil:
			refused(t, err, "keep their objects in")
		case places[i] != "":
			kept = append(kept, places[i])
		}
	}
	if slices.Sort(kept); len(slices.Compact(kept)) > 1 {
		t.Errorf("objects are in %v", kept)
	}
	if errs[0] != nil || errs[4] != nil {
		t.Errorf("an engine that takes any place is refused: %v, %v", errs[0], errs[4])
	}
}

func TestWhatOpensTheStoreIsTheEnginesAlone(t *testing.T) {
	bucket := newBucket(t)
	file, err := open(t, newFolder(t), "", "")
	if err != nil {
		t.Fatal(err)
	}
	database, err := open(t, newFolder(t), pgtest.Database(t), "")
	if err != nil {
		t.Fatal(err)
	}
	both, err := open(t, newFolder(t), pgtest.Database(t), "s3://"+bucket)
	if err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string][3]bool{
		"PGPASSWORD": {false, true, true}, "PGPASSFILE": {false, true, true}, "PGSSLPASSWORD": {false, true, true}, "PGSSLKEY": {false, true, true}, "PGHOST": {false, true, true}, "PGSERVICE": {false, true, true},
		"AWS_SECRET_ACCESS_KEY": {false, false, true}, "AWS_ACCESS_KEY_ID": {false, false, true}, "AWS_WEB_IDENTITY_TOKEN_FILE": {false, false, true},
		"AWS_CONTAINER_AUTHORIZATION_TOKEN": {false, false, true}, "STELLWERK_STORE": {true, true, true}, "STELLWERK_OBJECTS": {true, true, true},
		"PGP_KEY": {}, "HOME": {},
	} {
		got := [3]bool{file.Reserved(variable), database.Reserved(variable), both.Reserved(variable)}
		if got != want {
			t.Errorf("%s is the engine's: %v", variable, got)
		}
	}
	t.Setenv("PGPASSWORD", "one s3cret")
	hidden := ""
	for _, s := range (backing.Place{Store: "postgres://ada:another%20s3cret@db/x?sslpassword=a+third+s3cret"}).Secrets(os.Getenv) {
		hidden += s.Value + ";"
	}
	if !strings.Contains(hidden, "one s3cret;") || !strings.Contains(hidden, "another s3cret;") || !strings.Contains(hidden, "a third s3cret;") {
		t.Errorf("hidden is %q", hidden)
	}
}

// newBucket makes a bucket, and has the environment lead there.
func newBucket(t *testing.T) string {
	t.Helper()
	endpoint, name := s3test.Bucket(t)
	for variable, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": endpoint, "AWS_REGION": s3test.Region, "AWS_ACCESS_KEY_ID": s3test.Key, "AWS_SECRET_ACCESS_KEY": s3test.Secret,
	} {
		t.Setenv(variable, value)
	}
	return name
}
