package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/backup"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestABackupHasEverybodysThings: whoever had a token, a session, words they had not
// sent or a pull request has them after a restore on an empty folder.
func TestABackupHasEverybodysThings(t *testing.T) {
	from, err := statefolder.Open(filepath.Join(t.TempDir(), "state"))
	must(t, err)
	db := sqlitetest.Open(t, from.Database())
	people := access.Open(db, "root", time.Now)
	_, secret, err := people.Add(t.Context(), "ada", api.RoleApprover, "root")
	must(t, err)
	code, _, err := people.Code(t.Context(), api.Caller{Actor: core.Person("root")})
	must(t, err)
	cookie, _, err := people.SignIn(t.Context(), code, "")
	must(t, err)
	tokens, err := api.OpenAttemptTokens(t.Context(), db)
	must(t, err)
	must(t, draft.Open(db).Put(t.Context(), "r1", "ada", draft.Comment{Key: "k", Text: "not like this"}))
	_, n, err := local.New(db, from.Pulls()).Open(t.Context(), forge.PullRequest{
		Run: "r1", Project: "p1", Title: "Greet", Head: "feature/x", Base: "main", Commit: "c0ffee",
		Diff: func(context.Context) (string, error) { return "+hello\n", nil },
	})
	must(t, err)
	copied, state := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
	must(t, backup.Write(t.Context(), from, db, copied, "test"))
	must(t, os.RemoveAll(from.Dir))
	must(t, backup.Restore(t.Context(), state, copied))

	to := statefolder.Folder{Dir: state}
	again := sqlitetest.Open(t, to.Database())
	people = access.Open(again, "root", time.Now)
	if id, ok, err := people.Token(t.Context(), secret); err != nil || !ok || id.Name != "ada" {
		t.Errorf("the token is %+v, %v, %v", id, ok, err)
	}
	if id, ok, err := people.Session(t.Context(), cookie); err != nil || !ok || id.Name != "root" {
		t.Errorf("the session is %+v, %v, %v", id, ok, err)
	}
	if same, err := api.OpenAttemptTokens(t.Context(), again); err != nil || same.Issue("r", "a") != tokens.Issue("r", "a") {
		t.Errorf("attempts have other tokens: %v", err)
	}
	if list, err := draft.Open(again).Of(t.Context(), "r1", "ada"); err != nil || len(list) != 1 || list[0].Text != "not like this" {
		t.Errorf("unsent are %+v, %v", list, err)
	}
	seen, err := local.New(again, to.Pulls()).Look(t.Context(), forge.Ref{Project: "p1", Number: n})
	page, readErr := os.ReadFile(filepath.Join(to.Pulls(), "p1", "1.md"))
	if err != nil || readErr != nil || seen.State != forge.Open || seen.Head != "c0ffee" || len(page) == 0 {
		t.Errorf("the pull request is %+v, %v, %q, %v", seen, err, page, readErr)
	}
}
