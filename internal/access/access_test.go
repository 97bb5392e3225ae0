package access_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// clock is a time that a test moves on.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is who may come in by a database of its own, on a clock.
type world struct {
	*access.Store
	t    *testing.T
	path string
	docs store.Documents
	clock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "stellwerk.db"), clock: clock{at: time.Now().UTC().Truncate(time.Second)}}
	w.Store = w.another()
	return w
}

// another is another engine on the same database.
func (w *world) another() *access.Store {
	w.t.Helper()
	db := sqlitetest.Open(w.t, w.path)
	w.docs = db
	return access.Open(db, "root", w.now)
}

// restart goes on with another engine.
func (w *world) restart() {
	w.t.Helper()
	w.Store = w.another()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) add(name string, role api.Role) (api.Token, string) {
	w.t.Helper()
	token, secret, err := w.Add(w.t.Context(), name, role, "root")
	if err != nil {
		w.t.Fatal(err)
	}
	return token, secret
}

// signedIn is a browser's cookie for a caller.
func (w *world) signedIn(c api.Caller) (string, access.Identity) {
	w.t.Helper()
	code, _, err := w.Code(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	cookie, id, err := w.SignIn(w.t.Context(), code, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return cookie, id
}

// caller is who shows a token.
func (w *world) caller(secret string) (api.Caller, bool) {
	w.t.Helper()
	id, ok := w.token(secret)
	return id.Caller(), ok
}

func (w *world) token(secret string) (access.Identity, bool) {
	w.t.Helper()
	id, ok, err := w.Token(w.t.Context(), secret)
	must(w.t, err)
	return id, ok
}

func (w *world) session(cookie string) (access.Identity, bool) {
	w.t.Helper()
	id, ok, err := w.Session(w.t.Context(), cookie)
	must(w.t, err)
	return id, ok
}

func (w *world) list() []api.Token {
	w.t.Helper()
	list, err := w.List(w.t.Context())
	must(w.t, err)
	return list
}

func owner() api.Caller { return api.Caller{Actor: core.Person("root")} }

func TestATokenIsKnownUntilItIsRevoked(t *testing.T) {
	w := newWorld(t)
	token, secret := w.add("Ada", api.RoleApprover)
	if !access.LooksLikeToken(secret) || len(secret) != len(access.TokenPrefix)+64 {
		t.Errorf("the secret is %q", secret)
	}
	w.restart()
	caller, ok := w.caller(secret)
	if want := (api.Caller{Actor: core.Person("Ada"), Role: api.RoleApprover, Token: token.ID}); !ok || caller.Actor != want.Actor || caller.Role != want.Role || caller.Token != want.Token {
		t.Errorf("known as %+v, %v", caller, ok)
	}
	for _, wrong := range []string{"", access.TokenPrefix, secret[:len(secret)-1], secret + "0", strings.ToUpper(secret), "Bearer " + secret} {
		if _, ok := w.caller(wrong); ok {
			t.Errorf("%q was taken", wrong)
		}
	}
	if used := w.list()[0].UsedAt; used == nil || !used.Equal(w.now()) {
		t.Errorf("last used %v", used)
	}
	if _, err := w.Revoke(w.t.Context(), "ada", "root"); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.caller(secret); ok {
		t.Error("a revoked token was taken")
	}
	w.restart()
	if _, ok := w.caller(secret); ok {
		t.Error("a revoked token was taken after a restart")
	}
	if list := w.list(); len(list) != 1 || list[0].RevokedAt == nil || list[0].RevokedBy != "root" {
		t.Errorf("the list is %+v", list)
	}
	w.add("ada", api.RoleViewer) // the name is free again
}

func TestOnlyDigestsAreWritten(t *testing.T) {
	w := newWorld(t)
	token, secret := w.add("ada", api.RoleViewer)
	code, _, err := w.Code(w.t.Context(), api.Caller{Actor: core.Person("ada"), Role: api.RoleViewer, Token: token.ID})
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := w.signedIn(owner())
	for _, secret := range []string{secret, strings.TrimPrefix(secret, access.TokenPrefix), code, strings.ReplaceAll(code, "-", ""), cookie} {
		for _, kind := range []string{"token", "code", "session"} {
			all, err := w.docs.Documents(t.Context(), "access."+kind, "", "", 0)
			if err != nil || len(all) == 0 {
				t.Fatalf("%d of kind %s, %v", len(all), kind, err)
			}
			for _, d := range all {
				if strings.Contains(d.Key+string(d.Data), secret) {
					t.Errorf("%s is in %s %s", secret, kind, d.Key)
				}
			}
		}
	}
}

func TestNamesAndRolesOfTokens(t *testing.T) {
	w := newWorld(t)
	w.add("Ada L. +ci@host", api.RoleViewer)
	for _, name := range []string{"", " ada", "ada ", "<b>", "a\nb", "a\x1b[31m", "a\u202eb", "\xff", strings.Repeat("a", 65), "ADA L. +CI@HOST", "root", "Root"} {
		if _, _, err := w.Add(w.t.Context(), name, api.RoleViewer, "root"); err == nil {
			t.Errorf("%q is the name of a token", name)
		}
	}
	for _, role := range []api.Role{"", "owner", "Admin"} {
		if _, _, err := w.Add(w.t.Context(), "eve", role, "root"); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("role %q: %v", role, err)
		}
	}
}

func TestACodeIsTakenOnce(t *testing.T) {
	w := newWorld(t)
	code, until, err := w.Code(w.t.Context(), owner())
	if err != nil || !until.Equal(w.now().Add(access.CodeLife)) {
		t.Fatal(until, err)
	}
	w.restart()
	cookie, id, err := w.SignIn(w.t.Context(), " "+strings.ToLower(strings.ReplaceAll(code, "-", " "))+"\n", "")
	if err != nil || id.Role != api.RoleAdmin || id.Name != "root" {
		t.Fatalf("%+v, %v", id, err)
	}
	if _, _, err := w.SignIn(w.t.Context(), code, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("the second time: %v", err)
	}
	w.restart()
	if _, _, err := w.SignIn(w.t.Context(), code, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("after a restart: %v", err)
	}
	if got, ok := w.session(cookie); !ok || got != id {
		t.Errorf("the session is %+v, %v", got, ok)
	}
	late, _, err := w.Code(w.t.Context(), owner())
	if err != nil {
		t.Fatal(err)
	}
	w.pass(access.CodeLife)
	if _, _, err := w.SignIn(w.t.Context(), late, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("too late: %v", err)
	}
}

func TestManyTakeACodeAtOnce(t *testing.T) {
	w := newWorld(t)
	code, _, err := w.Code(w.t.Context(), owner())
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan bool, 16)
	for range cap(taken) {
		go func() {
			_, _, err := w.SignIn(w.t.Context(), code, "")
			taken <- err == nil
		}()
	}
	n := 0
	for range cap(taken) {
		if <-taken {
			n++
		}
	}
	if n != 1 {
		t.Errorf("it was taken %d times", n)
	}
}

func TestOnlyPeopleSignIn(t *testing.T) {
	w := newWorld(t)
	for _, c := range []api.Caller{
		{}, {Actor: core.Actor{Kind: core.ActorAgent, ID: "a1"}, Run: "r"}, {Actor: core.Actor{Kind: core.ActorSession, ID: "s"}},
	} {
		if _, _, err := w.Code(w.t.Context(), c); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	w := newWorld(t)
	cookie, _ := w.signedIn(owner())
	for range 3 * int(access.AbsoluteLife/access.IdleLife) {
		w.pass(access.IdleLife / 2)
		if _, ok := w.session(cookie); !ok {
			break
		}
		w.restart() // its last use is kept
	}
	if _, ok := w.session(cookie); ok {
		t.Error("a busy session goes on for ever")
	}
	idle, _ := w.signedIn(owner())
	w.pass(access.IdleLife - time.Second)
	if _, ok := w.session(idle); !ok {
		t.Error("a session ended too soon")
	}
	w.pass(access.IdleLife)
	if _, ok := w.session(idle); ok {
		t.Error("an idle session goes on")
	}
	out, id := w.signedIn(owner())
	ctx, cancel := w.Hold(t.Context(), id)
	defer cancel()
	if err := w.SignOut(w.t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.session(out); ok || ctx.Err() == nil {
		t.Error("a session goes on after signing out")
	}
}

func TestRevokingATokenEndsWhatItBegan(t *testing.T) {
	w := newWorld(t)
	token, secret := w.add("ada", api.RoleApprover)
	caller, _ := w.caller(secret)
	cookie, id := w.signedIn(caller)
	if id.Role != api.RoleApprover || id.Name != "ada" {
		t.Errorf("signed in as %+v", id)
	}
	other, _ := w.signedIn(owner())
	code, _, err := w.Code(w.t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	direct, _ := w.token(secret)
	bySession, cancel := w.Hold(t.Context(), id)
	defer cancel()
	byToken, cancel := w.Hold(t.Context(), direct)
	defer cancel()
	if _, err := w.Revoke(w.t.Context(), token.ID, "root"); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.session(cookie); ok {
		t.Error("the session goes on")
	}
	if _, _, err := w.SignIn(w.t.Context(), code, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("the code was taken: %v", err)
	}
	if _, _, err := w.Code(w.t.Context(), caller); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a code was made: %v", err)
	}
	if bySession.Err() == nil || byToken.Err() == nil {
		t.Error("what was under way goes on")
	}
	late, cancel := w.Hold(t.Context(), direct)
	defer cancel()
	wantEnd(late, t, "something that began after it")
	if _, ok := w.session(other); !ok {
		t.Error("somebody else's session ended")
	}
}

// TestASessionHoldsWhereItBegan: what a browser keeps for an address is of no use to
// who has it after the engine went elsewhere.
func TestASessionHoldsWhereItBegan(t *testing.T) {
	w := newWorld(t)
	settle := func(place string) {
		t.Helper()
		w.restart()
		if err := w.Settle(t.Context(), "engine", place); err != nil {
			t.Fatal(err)
		}
	}
	settle("stellwerk-1")
	cookie, id := w.signedIn(owner())
	settle("stellwerk-1")
	if got, ok := w.session(cookie); !ok || got != id {
		t.Errorf("at the same place: %+v, %v", got, ok)
	}
	settle("stellwerk-2")
	if _, ok := w.session(cookie); ok {
		t.Error("it holds at another place")
	}
	settle("stellwerk-1")
	if _, ok := w.session(cookie); ok {
		t.Error("it holds again at the place that somebody else could have had meanwhile")
	}
}

// fill makes documents of a kind until there are n.
func (w *world) fill(kind string, n int, thing func(i int) map[string]any) {
	w.t.Helper()
	have, err := w.docs.Documents(w.t.Context(), kind, "", "", 0)
	must(w.t, err)
	var more []store.Document
	for i := len(have); i < n; i++ {
		d, err := document.Make(kind, fmt.Sprintf("%064d", i), 0, thing(i))
		must(w.t, err)
		more = append(more, d)
	}
	_, err = w.docs.PutDocuments(w.t.Context(), more)
	must(w.t, err)
}

// TestWhatWasRevokedIsRemembered: of the tokens that no longer hold, one makes room
// for one.
func TestWhatWasRevokedIsRemembered(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"bob", "ada", "eve"} {
		w.add(name, api.RoleViewer)
	}
	for _, name := range []string{"ada", "bob"} {
		w.pass(time.Minute)
		if _, err := w.Revoke(w.t.Context(), name, "root"); err != nil {
			t.Fatal(err)
		}
	}
	w.fill("access.token", 1000, func(i int) map[string]any {
		return map[string]any{"n": i + 1, "id": fmt.Sprintf("%08d", i), "name": fmt.Sprint(i), "role": api.RoleViewer, "created_at": w.now(), "created_by": "root"}
	})
	w.add("one more", api.RoleViewer)
	if list := w.list(); len(list) != 1000 || list[0].Name != "bob" || list[0].RevokedBy != "root" || list[1].Name != "eve" {
		t.Errorf("%d are known, the first %+v, then %+v", len(list), list[0], list[1])
	}
	w.add("the last", api.RoleViewer)
	if _, _, err := w.Add(w.t.Context(), "too many", api.RoleViewer, "root"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("one beyond those that hold: %v", err)
	}
}

// TestNobodyPushesOthersOut: who makes codes and signs in without end loses what is
// theirs.
func TestNobodyPushesOthersOut(t *testing.T) {
	w := newWorld(t)
	_, secret := w.add("eve", api.RoleViewer)
	eve, _ := w.caller(secret)
	sum := sha256.Sum256([]byte(secret))
	holder := hex.EncodeToString(sum[:])
	_, secret = w.add("ada", api.RoleApprover)
	ada, _ := w.caller(secret)
	mine, _ := w.signedIn(owner())
	code, _, err := w.Code(w.t.Context(), owner())
	if err != nil {
		t.Fatal(err)
	}
	hers, _, err := w.Code(w.t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for range 110 { // of 100
		if last, _, err = w.Code(w.t.Context(), eve); err != nil {
			t.Fatal(err)
		}
	}
	for who, code := range map[string]string{"the owner": code, "ada": hers, "eve, with her last": last} {
		if _, _, err := w.SignIn(w.t.Context(), code, ""); err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
	w.fill("access.session", 1000, func(int) map[string]any {
		return map[string]any{"name": "eve", "role": api.RoleViewer, "token": eve.Token, "holder": holder, "place": "", "began": w.now(), "used_at": w.now()}
	})
	last, _ = w.signedIn(eve)
	if _, ok := w.session(mine); !ok {
		t.Error("the owner was signed out")
	}
	if _, ok := w.session(last); !ok {
		t.Error("who signed in last was signed out")
	}
}

// TestWhatCannotBeWrittenHasNotHappened: and who cannot be known is not taken for a
// stranger.
func TestWhatCannotBeWrittenHasNotHappened(t *testing.T) {
	w := newWorld(t)
	code, _, err := w.Code(t.Context(), owner())
	must(t, err)
	_, secret := w.add("ada", api.RoleViewer)
	cookie, _ := w.signedIn(owner())
	must(t, w.docs.(io.Closer).Close())
	_, _, signIn := w.SignIn(t.Context(), code, "")
	_, _, add := w.Add(t.Context(), "bob", api.RoleViewer, "root")
	_, _, token := w.Token(t.Context(), secret)
	_, _, session := w.Session(t.Context(), cookie)
	_, _, whose := w.Whose(t.Context(), code)
	_, list := w.List(t.Context())
	for name, err := range map[string]error{"sign in": signIn, "add": add, "token": token, "session": session, "whose": whose, "list": list, "sign out": w.SignOut(t.Context(), cookie)} {
		if core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.restart()
	if _, _, err := w.SignIn(t.Context(), code, ""); err != nil {
		t.Errorf("the code is gone: %v", err)
	}
	if len(w.list()) != 1 {
		t.Error("a token is there that could not be written")
	}
}
