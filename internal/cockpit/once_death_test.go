package cockpit

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// press sends a form.
func press(o *once, act func() (api.Run, error)) (api.Run, error) {
	r := httptest.NewRequest(http.MethodPost, "/projects/shop/new", nil)
	r.PostForm = url.Values{"once": {"0123456789abcdefghij"}}
	return o.do(r, func(context.Context, string) (api.Run, error) { return act() })
}

// TestAFormOfADeadEngineIsTriedAgain: who does not renew its claim is gone; who takes
// long and renews it is waited for.
func TestAFormOfADeadEngineIsTriedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		dead := once{docs: sqlitetest.Open(t, path), log: slog.New(slog.DiscardHandler)}
		r := httptest.NewRequest(http.MethodPost, "/projects/shop/new", nil)
		r.PostForm = url.Values{"once": {"0123456789abcdefghij"}}
		if _, _, done, err := dead.claim(t.Context(), submissionKey(r)); err != nil || done != nil {
			t.Fatalf("%v, %v", done, err)
		}
		began := time.Now()
		slow := &once{docs: sqlitetest.Open(t, path), log: dead.log}
		first := make(chan string, 1)
		go func() {
			run, err := press(slow, func() (api.Run, error) { time.Sleep(10 * lapse); return api.Run{Alias: "r9"}, nil })
			if err != nil {
				t.Error(err)
			}
			first <- run.Alias
		}()
		time.Sleep(2 * lapse)
		other := &once{docs: sqlitetest.Open(t, path), log: dead.log}
		run, err := press(other, func() (api.Run, error) { t.Error("it started twice"); return api.Run{}, nil })
		if alias := <-first; err != nil || run.Alias != "r9" || alias != "r9" {
			t.Errorf("%s and %s, %v", run.Alias, alias, err)
		}
		if took := time.Since(began); took < 11*lapse || took > 13*lapse {
			t.Errorf("it took %s", took)
		}
	})
}

// TestWhoeverActsOnAFormStartsTheSameRun: an engine that stood still acts although another has taken its claim, and so does
// who tries again after that one failed. The store has one run of an id.
func TestWhoeverActsOnAFormStartsTheSameRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		send := func(act func() error) {
			t.Helper()
			o := &once{docs: sqlitetest.Open(t, path), log: slog.New(slog.DiscardHandler)}
			r := httptest.NewRequest(http.MethodPost, "/projects/shop/new", nil)
			r.PostForm = url.Values{"once": {"0123456789abcdefghij"}}
			_, err := o.do(r, func(_ context.Context, id string) (api.Run, error) {
				ids = append(ids, id)
				return api.Run{ID: id}, act()
			})
			if err != nil && !errors.Is(err, errTried) {
				t.Error(err)
			}
		}
		stood := &once{docs: sqlitetest.Open(t, path), log: slog.New(slog.DiscardHandler)}
		r := httptest.NewRequest(http.MethodPost, "/projects/shop/new", nil)
		r.PostForm = url.Values{"once": {"0123456789abcdefghij"}}
		claim, id, _, err := stood.claim(t.Context(), submissionKey(r))
		if err != nil {
			t.Fatal(err)
		}
		send(func() error { return errTried })
		began := time.Now()
		send(func() error { return nil })
		if took := time.Since(began); took >= lapse {
			t.Errorf("after a failure it took %s to try again", took)
		}
		if len(ids) != 2 || ids[0] != id || ids[1] != id || uuid.Validate(id) != nil {
			t.Errorf("the first was to start %s, the others %s", id, ids)
		}
		if err := stood.conclude(t.Context(), claim, id, nil); err != nil {
			t.Errorf("the end of who stood still: %v", err)
		}
		send(func() error { t.Error("what was done is done again"); return nil })
	})
}

var errTried = errors.New("not now")

// TestOldFormsAreForgotten, and young ones are not.
func TestOldFormsAreForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	for age, key := range map[time.Duration]string{formLife + time.Hour: "old", formLife - time.Hour: "young"} {
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{Clock: func() time.Time { return time.Now().Add(-age) }})
		if err == nil {
			err = document.Put(t.Context(), db, kindForm, key, 0, submission{Done: true})
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	db := sqlitetest.Open(t, path)
	if _, err := press(&once{docs: db, log: slog.New(slog.DiscardHandler)}, func() (api.Run, error) { return api.Run{}, nil }); err != nil {
		t.Fatal(err)
	}
	left, err := db.Documents(t.Context(), kindForm, "", "", 0)
	has := func(key string) bool {
		for _, d := range left {
			if d.Key == key {
				return true
			}
		}
		return false
	}
	if err != nil || len(left) != 2 || has("old") || !has("young") {
		t.Errorf("left are %+v, %v", keys(left), err)
	}
}

func keys(all []store.Document) (list []string) {
	for _, d := range all {
		list = append(list, d.Key)
	}
	return list
}
