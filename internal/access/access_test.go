package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
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

// world is a store in a folder of its own, on a clock.
type world struct {
	*access.Store
	t    *testing.T
	path string
	clock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), access.File), clock: clock{at: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}}
	w.restart()
	return w
}

// restart is another engine on the same folder.
func (w *world) restart() {
	w.t.Helper()
	s, err := access.Open(w.path, "root", w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Store = s
}

func (w *world) add(name string, role api.Role) (api.Token, string) {
	w.t.Helper()
	token, secret, err := w.Add(name, role, "root")
	if err != nil {
		w.t.Fatal(err)
	}
	return token, secret
}

// signedIn is a browser's cookie for a caller.
func (w *world) signedIn(c api.Caller) (string, access.Identity) {
	w.t.Helper()
	code, _, err := w.Code(c)
	if err != nil {
		w.t.Fatal(err)
	}
	cookie, id, err := w.SignIn(code, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return cookie, id
}

// caller is who shows a token.
func (w *world) caller(secret string) (api.Caller, bool) {
	id, ok := w.Token(secret)
	return id.Caller(), ok
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
	if used := w.List()[0].UsedAt; used == nil || !used.Equal(w.now()) {
		t.Errorf("last used %v", used)
	}
	if _, err := w.Revoke("ada", "root"); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.caller(secret); ok {
		t.Error("a revoked token was taken")
	}
	w.restart()
	if _, ok := w.caller(secret); ok {
		t.Error("a revoked token was taken after a restart")
	}
	if list := w.List(); len(list) != 1 || list[0].RevokedAt == nil || list[0].RevokedBy != "root" {
		t.Errorf("the list is %+v", list)
	}
	w.add("ada", api.RoleViewer) // the name is free again
}

func TestOnlyDigestsAreWritten(t *testing.T) {
	w := newWorld(t)
	token, secret := w.add("ada", api.RoleViewer)
	code, _, err := w.Code(api.Caller{Actor: core.Person("ada"), Role: api.RoleViewer, Token: token.ID})
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := w.signedIn(owner())
	data, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{secret, strings.TrimPrefix(secret, access.TokenPrefix), code, strings.ReplaceAll(code, "-", ""), cookie} {
		if strings.Contains(string(data), s) {
			t.Errorf("%s is in the file", s)
		}
	}
	if info, err := os.Stat(w.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

func TestAFileThatOthersCouldHaveWrittenIsRefused(t *testing.T) {
	w := newWorld(t)
	w.add("ada", api.RoleViewer)
	for _, mode := range []os.FileMode{0o640, 0o620, 0o604, 0o602} {
		if err := os.Chmod(w.path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := access.Open(w.path, "root", w.now); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	for name, content := range map[string]string{
		"torn":       `{"version":1,"tokens":[`,
		"no role":    `{"version":1,"tokens":[{"id":"1","name":"x","role":"","digest":"d","created_at":"2026-01-01T00:00:00Z","created_by":"x"}],"codes":[],"sessions":[]}`,
		"said twice": `{"version":1,"tokens":[],"tokens":[],"codes":[],"sessions":[]}`,
		"newer":      `{"version":2,"tokens":[],"codes":[],"sessions":[]}`,
	} {
		path := filepath.Join(t.TempDir(), access.File)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := access.Open(path, "root", w.now); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestNamesAndRolesOfTokens(t *testing.T) {
	w := newWorld(t)
	w.add("Ada L. +ci@host", api.RoleViewer)
	for _, name := range []string{"", " ada", "ada ", "<b>", "a\nb", "a\x1b[31m", "a\u202eb", "\xff", strings.Repeat("a", 65), "ADA L. +CI@HOST", "root", "Root"} {
		if _, _, err := w.Add(name, api.RoleViewer, "root"); err == nil {
			t.Errorf("%q is the name of a token", name)
		}
	}
	for _, role := range []api.Role{"", "owner", "Admin"} {
		if _, _, err := w.Add("eve", role, "root"); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("role %q: %v", role, err)
		}
	}
}

func TestACodeIsTakenOnce(t *testing.T) {
	w := newWorld(t)
	code, until, err := w.Code(owner())
	if err != nil || !until.Equal(w.now().Add(access.CodeLife)) {
		t.Fatal(until, err)
	}
	w.restart()
	cookie, id, err := w.SignIn(" "+strings.ToLower(strings.ReplaceAll(code, "-", " "))+"\n", "")
	if err != nil || id.Role != api.RoleAdmin || id.Name != "root" {
		t.Fatalf("%+v, %v", id, err)
	}
	if _, _, err := w.SignIn(code, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("the second time: %v", err)
	}
	w.restart()
	if _, _, err := w.SignIn(code, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("after a restart: %v", err)
	}
	if got, ok := w.Session(cookie); !ok || got != id {
		t.Errorf("the session is %+v, %v", got, ok)
	}
	late, _, err := w.Code(owner())
	if err != nil {
		t.Fatal(err)
	}
	w.pass(access.CodeLife)
	if _, _, err := w.SignIn(late, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("too late: %v", err)
	}
}

func TestManyTakeACodeAtOnce(t *testing.T) {
	w := newWorld(t)
	code, _, err := w.Code(owner())
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan bool, 16)
	for range cap(taken) {
		go func() {
			_, _, err := w.SignIn(code, "")
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
		if _, _, err := w.Code(c); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	w := newWorld(t)
	cookie, _ := w.signedIn(owner())
	for range 3 * int(access.AbsoluteLife/access.IdleLife) {
		w.pass(access.IdleLife / 2)
		if _, ok := w.Session(cookie); !ok {
			break
		}
		w.restart() // its last use is kept
	}
	if _, ok := w.Session(cookie); ok {
		t.Error("a busy session goes on for ever")
	}
	idle, _ := w.signedIn(owner())
	w.pass(access.IdleLife - time.Second)
	if _, ok := w.Session(idle); !ok {
		t.Error("a session ended too soon")
	}
	w.pass(access.IdleLife)
	if _, ok := w.Session(idle); ok {
		t.Error("an idle session goes on")
	}
	out, id := w.signedIn(owner())
	ctx, cancel := w.Hold(t.Context(), id)
	defer cancel()
	if err := w.SignOut(out); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.Session(out); ok || ctx.Err() == nil {
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
	code, _, err := w.Code(caller)
	if err != nil {
		t.Fatal(err)
	}
	direct, _ := w.Token(secret)
	bySession, cancel := w.Hold(t.Context(), id)
	defer cancel()
	byToken, cancel := w.Hold(t.Context(), direct)
	defer cancel()
	if _, err := w.Revoke(token.ID, "root"); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.Session(cookie); ok {
		t.Error("the session goes on")
	}
	if _, _, err := w.SignIn(code, ""); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("the code was taken: %v", err)
	}
	if _, _, err := w.Code(caller); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a code was made: %v", err)
	}
	if bySession.Err() == nil || byToken.Err() == nil {
		t.Error("what was under way goes on")
	}
	if late, cancel := w.Hold(context.Background(), direct); late.Err() == nil {
		t.Error("something began after it")
		cancel()
	}
	if _, ok := w.Session(other); !ok {
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
		if err := w.Settle(place); err != nil {
			t.Fatal(err)
		}
	}
	settle("stellwerk-1")
	cookie, id := w.signedIn(owner())
	settle("stellwerk-1")
	if got, ok := w.Session(cookie); !ok || got != id {
		t.Errorf("at the same place: %+v, %v", got, ok)
	}
	settle("stellwerk-2")
	if _, ok := w.Session(cookie); ok {
		t.Error("it holds at another place")
	}
	settle("stellwerk-1")
	if _, ok := w.Session(cookie); ok {
		t.Error("it holds again at the place that somebody else could have had meanwhile")
	}
}

// fill puts things into a list of the file until it has n, and restarts.
func (w *world) fill(list string, n int, thing func(i int) map[string]any) {
	w.t.Helper()
	data, err := os.ReadFile(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	var book map[string]any
	if err := json.Unmarshal(data, &book); err != nil {
		w.t.Fatal(err)
	}
	things := book[list].([]any)
	for i := len(things); i < n; i++ {
		things = append(things, thing(i))
	}
	book[list] = things
	if data, err = json.Marshal(book); err == nil {
		err = os.WriteFile(w.path, data, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.restart()
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
		if _, err := w.Revoke(name, "root"); err != nil {
			t.Fatal(err)
		}
	}
	w.fill("tokens", 1000, func(i int) map[string]any {
		return map[string]any{"id": fmt.Sprintf("%08d", i), "name": fmt.Sprint(i), "role": api.RoleViewer, "digest": fmt.Sprintf("%064d", i), "created_at": w.now(), "created_by": "root"}
	})
	w.add("one more", api.RoleViewer)
	if list := w.List(); len(list) != 1000 || list[0].Name != "bob" || list[0].RevokedBy != "root" || list[1].Name != "eve" {
		t.Errorf("%d are known, the first %+v, then %+v", len(list), list[0], list[1])
	}
	w.add("the last", api.RoleViewer)
	if _, _, err := w.Add("too many", api.RoleViewer, "root"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("one beyond those that hold: %v", err)
	}
}

// TestNobodyPushesOthersOut: who makes codes and signs in without end loses what is
// theirs.
func TestNobodyPushesOthersOut(t *testing.T) {
	w := newWorld(t)
	_, secret := w.add("eve", api.RoleViewer)
	eve, _ := w.caller(secret)
	_, secret = w.add("ada", api.RoleApprover)
	ada, _ := w.caller(secret)
	mine, _ := w.signedIn(owner())
	code, _, err := w.Code(owner())
	if err != nil {
		t.Fatal(err)
	}
	hers, _, err := w.Code(ada)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for range 110 { // of 100
		if last, _, err = w.Code(eve); err != nil {
			t.Fatal(err)
		}
	}
	for who, code := range map[string]string{"the owner": code, "ada": hers, "eve, with her last": last} {
		if _, _, err := w.SignIn(code, ""); err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
	w.fill("sessions", 1000, func(i int) map[string]any {
		return map[string]any{"digest": fmt.Sprintf("%064d", i), "name": "eve", "role": api.RoleViewer, "token": eve.Token, "place": "", "began": w.now(), "used_at": w.now()}
	})
	last, _ = w.signedIn(eve)
	if _, ok := w.Session(mine); !ok {
		t.Error("the owner was signed out")
	}
	if _, ok := w.Session(last); !ok {
		t.Error("who signed in last was signed out")
	}
}

func TestWhatCannotBeWrittenHasNotHappened(t *testing.T) {
	w := newWorld(t)
	code, _, err := w.Code(owner())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(w.path)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.SignIn(code, ""); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("signed in: %v", err)
	}
	if _, _, err := w.Add("ada", api.RoleViewer, "root"); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("made a token: %v", err)
	}
	if len(w.List()) != 0 {
		t.Error("a token is there that is not on disk")
	}
}
