package takeover_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/takeover"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder is a state folder of an earlier version.
type folder struct {
	t      *testing.T
	dir    string
	db     store.Store
	engine string
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir := t.TempDir()
	return &folder{t, dir, sqlitetest.Open(t, filepath.Join(dir, "stellwerk.db")), "engine"}
}

func (f *folder) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	must(f.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(f.t, os.WriteFile(path, []byte(content), 0o600))
}

func (f *folder) run(db store.Documents) error {
	return takeover.Run(f.t.Context(), takeover.Options{Dir: f.dir, Engine: f.engine, Store: db, Log: slog.New(slog.DiscardHandler)})
}

func (f *folder) wantAside(name string) {
	f.t.Helper()
	if _, err := os.Stat(filepath.Join(f.dir, name)); !errors.Is(err, fs.ErrNotExist) {
		f.t.Errorf("%s is still there: %v", name, err)
	}
	if _, err := os.Stat(filepath.Join(f.dir, takeover.Aside, name)); err != nil {
		f.t.Errorf("%s was not set aside: %v", name, err)
	}
}

// The digests are of the tokens stw_00…0 and stw_11…1, the cookie "cookie" and the code 0000000000000000.
const people = `{"version":1,
 "tokens":[
  {"id":"aaaa0000","name":"ada","role":"approver","created_at":"2026-01-01T00:00:00Z","created_by":"root","digest":"%TOKEN%"},
  {"id":"bbbb0000","name":"bob","role":"viewer","created_at":"2026-01-02T00:00:00Z","created_by":"root","revoked_at":"2026-01-03T00:00:00Z","revoked_by":"root","digest":"%REVOKED%"}],
 "codes":[{"digest":"%CODE%","name":"ada","role":"approver","token":"aaaa0000","until":"2026-05-01T00:10:00Z"}],
 "sessions":[{"digest":"%COOKIE%","name":"ada","role":"approver","token":"aaaa0000","place":"stellwerk-7341","began":"2026-05-01T00:00:00Z","used_at":"2026-05-01T00:00:00Z"}]}`

func TestPeopleStaySignedIn(t *testing.T) {
	f := newFolder(t)
	f.write("access.json", filled(people))
	must(t, f.run(f.db))
	f.wantAside("access.json")
	now := time.Date(2026, 5, 1, 0, 5, 0, 0, time.UTC)
	a := access.Open(f.db, "root", func() time.Time { return now })
	must(t, a.Settle(t.Context(), "engine", "stellwerk-7341"))
	if id, ok, err := a.Token(t.Context(), secret); err != nil || !ok || id.Token != "aaaa0000" || id.Name != "ada" {
		t.Errorf("the token is %+v, %v, %v", id, ok, err)
	}
	if _, ok, err := a.Token(t.Context(), revoked); err != nil || ok {
		t.Errorf("the revoked token: %v, %v", ok, err)
	}
	if id, ok, err := a.Session(t.Context(), cookie); err != nil || !ok || id.Token != "aaaa0000" {
		t.Errorf("the session is %+v, %v, %v", id, ok, err)
	}
	if id, ok, err := a.Whose(t.Context(), code); err != nil || !ok || id.Name != "ada" {
		t.Errorf("the code is %+v, %v, %v", id, ok, err)
	}
	list, err := a.List(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != "aaaa0000" || list[1].RevokedBy != "root" {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = a.Revoke(t.Context(), "ada", "root")
	must(t, err)
	if _, ok, err := a.Session(t.Context(), cookie); err != nil || ok {
		t.Errorf("the session outlived its token: %v", err)
	}
}

// TestAnEngineThatMovesEndsOldSessions: those that were taken over began somewhere, too.
func TestAnEngineThatMovesEndsOldSessions(t *testing.T) {
	f := newFolder(t)
	f.write("access.json", filled(people))
	must(t, f.run(f.db))
	a := access.Open(f.db, "root", func() time.Time { return time.Date(2026, 5, 1, 0, 5, 0, 0, time.UTC) })
	for _, place := range []string{"stellwerk-1", "stellwerk-7341"} {
		must(t, a.Settle(t.Context(), "engine", place))
		if _, ok, err := a.Session(t.Context(), cookie); err != nil || ok {
			t.Errorf("it holds at %s: %v", place, err)
		}
	}
}

// TestTheFilesOfASecondEngineAreTakenOverToo: its folder comes to a store that has those of another.
func TestTheFilesOfASecondEngineAreTakenOverToo(t *testing.T) {
	first := newFolder(t)
	second := &folder{t, t.TempDir(), first.db, "another engine"}
	for f, run := range map[*folder]string{first: "r1", second: "r2"} {
		file := "drafts/" + run + "/" + adaFile()
		f.write(file, `{"person":"ada","comments":[{"key":"k","path":"a.go","line":2,"quote":"x","text":"not like this","commit":"abc"}]}`)
		must(t, f.run(first.db))
		f.wantAside(file)
		if size, err := draft.Open(first.db).Size(t.Context(), run); err != nil || size == 0 {
			t.Errorf("the comments on %s have %d bytes, %v", run, size, err)
		}
	}
}

// TestAFileThatOthersCouldHaveWrittenIsRefused, and one that nobody can have written.
func TestAFileThatOthersCouldHaveWrittenIsRefused(t *testing.T) {
	f := newFolder(t)
	f.write("access.json", filled(people))
	for _, mode := range []os.FileMode{0o640, 0o620, 0o604, 0o602} {
		must(t, os.Chmod(filepath.Join(f.dir, "access.json"), mode))
		if err := f.run(f.db); err == nil {
			t.Errorf("mode %o was taken over", mode)
		}
	}
	for name, content := range map[string]string{
		"torn":       `{"version":1,"tokens":[`,
		"no role":    `{"version":1,"tokens":[{"id":"1","name":"x","role":"","digest":"d","created_at":"2026-01-01T00:00:00Z","created_by":"x"}],"codes":[],"sessions":[]}`,
		"said twice": `{"version":1,"tokens":[],"tokens":[],"codes":[],"sessions":[]}`,
		"newer":      `{"version":2,"tokens":[],"codes":[],"sessions":[]}`,
	} {
		f := newFolder(t)
		f.write("access.json", content)
		if err := f.run(f.db); err == nil {
			t.Errorf("%s was taken over", name)
		}
		if _, err := os.Stat(filepath.Join(f.dir, "access.json")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// adaFile is the file of a person's comments on a run.
func adaFile() string {
	sum := sha256.Sum256([]byte("ada"))
	return hex.EncodeToString(sum[:16]) + ".json"
}

func TestUnsentCommentsAreKept(t *testing.T) {
	f := newFolder(t)
	ada := adaFile()
	f.write("drafts/r1/"+ada, `{"person":"ada","comments":[{"key":"k","path":"a.go","line":2,"quote":"x","text":"not like this","commit":"abc"}]}`)
	f.write("drafts/r2/"+ada, `{"person":"ada","comments":[{"key":"k","path":"b.go","line":3,"quote":"y","text":"nor this","commit":"abc"}]}`)
	must(t, f.run(f.db))
	f.wantAside("drafts/r1/" + ada)
	f.wantAside("drafts/r2/" + ada)
	for run, want := range map[string]string{"r1": "not like this", "r2": "nor this"} {
		list, err := draft.Open(f.db).Of(t.Context(), run, "ada")
		if err != nil || len(list) != 1 || list[0].Text != want {
			t.Errorf("%+v, %v", list, err)
		}
	}
}

func TestAttemptsKeepTheirTokens(t *testing.T) {
	f := newFolder(t)
	f.write("tool.key", strings.Repeat("ab", 32)+"\n")
	must(t, f.run(f.db))
	f.wantAside("tool.key")
	tokens, err := api.OpenAttemptTokens(t.Context(), f.db)
	must(t, err)
	// as the version before issued it
	if got := tokens.Issue("r", "build.r1.a1"); got != "r.build.r1.a1.stwk_PysXlIpJAUDTAiu8n35lsNjQ_pdazAeyrf3mJYL51u8" {
		t.Errorf("the token is %s", got)
	}
}

// ways is one way to be told, which keeps what it heard.
type ways struct{ heard chan string }

func (w ways) setup() (notify.Setup, error) {
	return notify.Setup{Ways: []notify.Way{{Name: "slack", Send: func(_ context.Context, m notify.Message) error {
		for _, n := range m.Notices {
			w.heard <- n.ID
		}
		return nil
	}}}}, nil
}

// TestNoticesAreToldAndNotRepeated: what was pending is told, and what was told is not.
func TestNoticesAreToldAndNotRepeated(t *testing.T) {
	f := newFolder(t)
	f.write("notices.json", `{"waiting":[{"notice":{"id":"pause/r/1","kind":"pause","title":"r is paused","at":"2026-05-01T00:00:00Z"},"tries":{"slack":2}},
		{"notice":{"id":"pause/r/2","kind":"pause","title":"r is paused","at":"2026-05-01T00:00:00Z"},"done":["slack"]}],"told":["run/r#9","run/r#9"]}`)
	must(t, f.run(f.db))
	f.wantAside("notices.json")
	w := ways{make(chan string, 10)}
	o := notify.Open(notify.Options{
		Store: f.db, Setup: w.setup, Waits: func(context.Context, notify.Notice) bool { return true }, Log: slog.New(slog.DiscardHandler),
	})
	must(t, o.Notify(t.Context(), notify.Notice{ID: "run/r#9", Title: "again", At: time.Now()}))
	o.Start()
	o.Close()
	close(w.heard)
	var heard []string
	for id := range w.heard {
		heard = append(heard, id)
	}
	if strings.Join(heard, " ") != "pause/r/1" {
		t.Errorf("heard %q", heard)
	}
}

// TestWhatNothingDependsOnMayBeDamaged: an engine does not stay down for it.
func TestWhatNothingDependsOnMayBeDamaged(t *testing.T) {
	f := newFolder(t)
	f.write("notices.json", "{torn")
	f.write("traces.json", "[]")
	must(t, f.run(f.db))
	f.wantAside("notices.json")
	f.wantAside("traces.json")
}

func TestTracesGoOnWhereTheyWere(t *testing.T) {
	f := newFolder(t)
	f.write("traces.json", `{"r1":12,"r2":0}`)
	must(t, f.run(f.db))
	f.wantAside("traces.json")
	all, err := f.db.Documents(t.Context(), "trace", "", "", 0)
	if err != nil || len(all) != 2 || all[0].Key != "r1" || string(all[0].Data) != "12" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestPullRequestsAreKept(t *testing.T) {
	f := newFolder(t)
	f.write("pulls/p1/1.json", `{"number":1,"run":"r1","title":"first","body":"why","remote":"","head":"feature/x","base":"main","commit":"c0ffee","status":"merged","merge":"beef","opened_at":"2026-05-01T00:00:00Z"}`)
	f.write("pulls/p1/1.md", "# first\n")
	f.write("pulls/p1/2.json", `{"number":2,"run":"r2","title":"second","body":"","remote":"","head":"feature/y","base":"main","commit":"c0ffee","status":"open","opened_at":"2026-05-01T00:00:00Z"}`)
	must(t, f.run(f.db))
	f.wantAside("pulls/p1/1.json")
	f.wantAside("pulls/p1/2.json")
	for _, dir := range []string{filepath.Join(f.dir, "pulls"), t.TempDir()} { // here, and at another engine
		seen, err := local.New(f.db, dir).Look(t.Context(), forge.Ref{Project: "p1", Number: 1})
		page, readErr := os.ReadFile(filepath.Join(dir, "p1", "1.md"))
		if err != nil || readErr != nil || seen.State != forge.Merged || seen.Merge != "beef" || string(page) != "# first\n" {
			t.Errorf("%+v, %v, %q, %v", seen, err, page, readErr)
		}
	}
	req := forge.PullRequest{Run: "r3", Project: "p1", Title: "third", Head: "feature/z", Base: "main", Commit: "c", Diff: func(context.Context) (string, error) { return "", nil }}
	if _, n, err := local.New(f.db, filepath.Join(f.dir, "pulls")).Open(t.Context(), req); err != nil || n != 3 {
		t.Errorf("the next is number %d, %v", n, err)
	}
}
