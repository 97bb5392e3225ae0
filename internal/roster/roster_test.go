package roster_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/roster"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// begin starts an engine on a store.
func begin(t *testing.T, db *sqlite.Store, id string, shared bool) *roster.Roster {
	t.Helper()
	if _, err := db.Enlist(t.Context(), store.Engine{ID: id, Host: "host of " + id}, waittest.Limit); err != nil {
		t.Fatal(err)
	}
	r := roster.New(roster.Options{Store: db, Engine: id, Version: "v-" + id, Shared: shared})
	if err := r.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func listed(t *testing.T, r *roster.Roster) string {
	t.Helper()
	all, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, m := range all {
		if m.Version != "" && time.Since(m.Since).Abs() > waittest.Limit {
			t.Errorf("%s has been there since %s", m.ID, m.Since)
		}
		text += fmt.Sprintf("%s %s %s alive=%v here=%v drains=%v; ", m.ID, m.Version, m.URL, m.Alive, m.Here, m.Drains != nil)
	}
	return text
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEnginesSeeEachOther: what one says of itself the others list, until it says that it ended. One that was killed stays listed.
func TestEnginesSeeEachOther(t *testing.T) {
	db := sqlitetest.New(t)
	a, b := begin(t, db, "a", true), begin(t, db, "b", true)
	must(t, b.Reached(t.Context(), "https://b"))
	must(t, b.Draining(t.Context()))
	const want = "a v-a  alive=true here=true drains=false; b v-b https://b alive=true here=false drains=true; "
	if got := listed(t, a); got != want {
		t.Errorf("listed are %s", got)
	}
	if b.Drains() == nil || a.Drains() != nil {
		t.Error("who drains does not know")
	}
	if _, err := db.Renew(t.Context(), "b", -time.Second); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, a); got != "a v-a  alive=true here=true drains=false; b v-b https://b alive=false here=false drains=true; " {
		t.Errorf("listed are %s", got)
	}
	b = begin(t, db, "b", true) // again, and it does not drain any more
	if got := listed(t, a); got != "a v-a  alive=true here=true drains=false; b v-b  alive=true here=false drains=false; " {
		t.Errorf("listed are %s", got)
	}
	must(t, b.Leave(t.Context()))
	must(t, db.Leave(t.Context(), "b"))
	if got := listed(t, a); got != "a v-a  alive=true here=true drains=false; " {
		t.Errorf("listed are %s", got)
	}
}

// TestWhoseCredentials an engine uses: it says so to the others, and to who approves.
func TestWhoseCredentials(t *testing.T) {
	db := sqlitetest.New(t)
	uses := roster.Uses{Person: "ada", Forge: "github at https://github.com with GITHUB_TOKEN", Model: "ANTHROPIC_API_KEY"}
	must(t, roster.New(roster.Options{Store: db, Engine: "a", Shared: true, Uses: uses}).Enter(t.Context()))
	if _, err := db.Enlist(t.Context(), store.Engine{ID: "a"}, waittest.Limit); err != nil {
		t.Fatal(err)
	}
	all, err := begin(t, db, "b", true).List(t.Context())
	if err != nil || len(all) != 2 || all[0].Uses != uses {
		t.Errorf("%+v, %v", all, err)
	}
	const other = "; if another engine owns the project by then, with the credential of that one"
	for want, got := range map[string]string{
		"publishes as ada on attic, github at https://github.com with GITHUB_TOKEN" + other: roster.Publishes(uses, "attic", true),
		"publishes as ada on attic, as git does there" + other:                              roster.Publishes(uses, "attic", false),
		"publishes as ada on attic, which names no forge" + other:                           roster.Publishes(roster.Uses{Person: "ada"}, "attic", true),
	} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestALaterLifeSpeaksForAnEngine whose state folder was copied with its disk: the earlier one takes back nothing of it.
func TestALaterLifeSpeaksForAnEngine(t *testing.T) {
	db := sqlitetest.New(t)
	first := begin(t, db, "a", true)
	begin(t, db, "a", true)
	other := begin(t, db, "b", true)
	must(t, first.Reached(t.Context(), "https://old"))
	must(t, first.Leave(t.Context()))
	if got := listed(t, other); got != "a v-a  alive=true here=false drains=false; b v-b  alive=true here=true drains=false; " {
		t.Errorf("listed are %s", got)
	}
}

// lossy is a store that loses the answer to whatever is put while lost is set.
type lossy struct {
	*sqlite.Store
	lost bool
}

var errLost = errors.New("the answer is lost")

func (l *lossy) PutDocument(ctx context.Context, d store.Document) (store.Document, error) {
	d, err := l.Store.PutDocument(ctx, d)
	if l.lost {
		return store.Document{}, errLost
	}
	return d, err
}

// TestAnAnswerThatIsLost: the engine still speaks for itself, and takes back what it said.
func TestAnAnswerThatIsLost(t *testing.T) {
	db := sqlitetest.New(t)
	other := begin(t, db, "a", true)
	for name, last := range map[string]func(*roster.Roster) error{
		"b": func(r *roster.Roster) error { return r.Draining(t.Context()) },
		"c": func(r *roster.Roster) error { return r.Leave(t.Context()) },
	} {
		begin(t, db, name, true)
		l := &lossy{Store: db}
		r := roster.New(roster.Options{Store: l, Engine: name, Shared: true})
		must(t, r.Enter(t.Context()))
		l.lost = true
		if err := r.Reached(t.Context(), "https://"+name); !errors.Is(err, errLost) {
			t.Fatal(err)
		}
		l.lost = false
		must(t, last(r))
	}
	must(t, db.Leave(t.Context(), "c"))
	if got := listed(t, other); got != "a v-a  alive=true here=true drains=false; b  https://b alive=true here=false drains=true; " {
		t.Errorf("listed are %s", got)
	}
}

// TestAStoreOfItsOwn has one engine, which writes nothing.
func TestAStoreOfItsOwn(t *testing.T) {
	db := sqlitetest.New(t)
	if _, err := db.Enlist(t.Context(), store.Engine{ID: "former"}, waittest.Limit); err != nil {
		t.Fatal(err)
	}
	a := begin(t, db, "a", false)
	must(t, a.Reached(t.Context(), "https://a"))
	if got := listed(t, a); got != "a v-a https://a alive=true here=true drains=false; " {
		t.Errorf("listed are %s", got)
	}
	if said, err := db.Documents(t.Context(), "engine", "", "", 0); err != nil || len(said) != 0 {
		t.Errorf("it wrote %d documents, %v", len(said), err)
	}
	must(t, a.Leave(t.Context()))
}

// TestWhoseProject names the engine that works on a project, with what it says of itself, at each engine.
func TestWhoseProject(t *testing.T) {
	db := sqlitetest.New(t)
	a, b := begin(t, db, "a", true), begin(t, db, "b", true)
	if _, _, err := a.Owner(t.Context(), "p"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nobody's: %v", err)
	}
	if _, err := db.Take(t.Context(), "b", waittest.Limit, []string{"p"}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*roster.Roster{a, b} {
		if e, said, err := r.Owner(t.Context(), "p"); err != nil || e.Host != "host of b" || said.Version != "v-b" {
			t.Errorf("%s: %+v, %+v, %v", r.Engine, e, said, err)
		}
	}
	must(t, b.Leave(t.Context())) // it has yet to give the project back
	if e, said, err := a.Owner(t.Context(), "p"); err != nil || e.ID != "b" || said.Version != "" {
		t.Errorf("one that says nothing: %+v, %+v, %v", e, said, err)
	}
}

// TestTheLongGoneAreForgotten, and neither the living, nor those who ended lately, nor the engine itself.
func TestTheLongGoneAreForgotten(t *testing.T) {
	db := sqlitetest.New(t)
	a := begin(t, db, "a", true)
	for _, id := range []string{"b", "c", "d"} {
		begin(t, db, id, true)
	}
	for id, ago := range map[string]time.Duration{"a": 30 * 24 * time.Hour, "b": 8 * 24 * time.Hour, "c": 6 * 24 * time.Hour} {
		if _, err := db.Renew(t.Context(), id, -ago); err != nil {
			t.Fatal(err)
		}
	}
	must(t, a.Sweep(t.Context()))
	want := "a v-a  alive=false here=true drains=false; c v-c  alive=false here=false drains=false; d v-d  alive=true here=false drains=false; "
	if got := listed(t, a); got != want {
		t.Errorf("listed are %s", got)
	}
}
