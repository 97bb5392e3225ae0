package access_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func wantEnd(ctx context.Context, t *testing.T, what string) {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-waittest.Over():
		t.Fatalf("%s goes on", what)
	}
}

// TestEveryEngineKnowsWhoMayComeIn: engines behind a balancer share people, and what
// one of them is told holds at the others.
func TestEveryEngineKnowsWhoMayComeIn(t *testing.T) {
	w := newWorld(t)
	there := &world{t: t, path: w.path, clock: clock{at: w.now()}}
	there.Store = there.another()
	token, secret := w.add("ada", api.RoleApprover)
	ada, ok := there.caller(secret)
	if !ok || ada.Token != token.ID {
		t.Fatalf("the token is %+v, %v", ada, ok)
	}
	code, _, err := w.Code(t.Context(), ada)
	must(t, err)
	if id, ok, err := there.Whose(t.Context(), code); err != nil || !ok || id.Name != "ada" {
		t.Errorf("the code is %+v's, %v, %v", id, ok, err)
	}
	cookie, id, err := there.SignIn(t.Context(), code, "")
	must(t, err)
	if got, ok := w.session(cookie); !ok || got != id {
		t.Fatalf("the session is %+v, %v", got, ok)
	}
	direct, _ := there.token(secret)
	bySession, cancel := there.Hold(t.Context(), id)
	defer cancel()
	byToken, cancel := there.Hold(t.Context(), direct)
	defer cancel()
	out, gone := there.signedIn(owner())
	signedOut, cancel := there.Hold(t.Context(), gone)
	defer cancel()
	mine, stays := there.signedIn(owner())
	still, cancel := there.Hold(t.Context(), stays)
	defer cancel()
	must(t, w.SignOut(t.Context(), out))
	_, err = w.Revoke(t.Context(), "ada", "root")
	must(t, err)
	if _, ok := there.token(secret); ok {
		t.Error("the revoked token is taken at the other engine")
	}
	if _, ok := there.session(cookie); ok {
		t.Error("its session goes on at the other engine")
	}
	if _, ok := there.session(out); ok {
		t.Error("who signed out is still signed in at the other engine")
	}
	wantEnd(bySession, t, "what the session began")
	wantEnd(byToken, t, "what the token began")
	wantEnd(signedOut, t, "what was begun before signing out")
	if _, ok := there.session(mine); !ok || still.Err() != nil {
		t.Error("somebody else was shut out")
	}
}

// TestANameIsGivenOnce: however many engines are asked for it at once.
func TestANameIsGivenOnce(t *testing.T) {
	w := newWorld(t)
	engines := []*access.Store{w.Store, w.another(), w.another()}
	made := make(chan error, 12)
	for i := range cap(made) {
		go func() {
			_, _, err := engines[i%len(engines)].Add(t.Context(), []string{"ada", "Ada"}[i%2], api.RoleViewer, "root")
			made <- err
		}()
	}
	n := 0
	for range cap(made) {
		err := <-made
		if err == nil {
			n++
		} else if core.CodeOf(err) != core.CodeConflict {
			t.Error(err)
		}
	}
	if n != 1 || len(w.list()) != 1 {
		t.Errorf("%d were made, %d are there", n, len(w.list()))
	}
}

// TestAnEngineThatMovesLeavesOthersAlone: it ends the sessions of the place it had,
// unless another engine is there, and none of elsewhere.
func TestAnEngineThatMovesLeavesOthersAlone(t *testing.T) {
	w := newWorld(t)
	engine := func(name, place string) *world {
		e := &world{t: t, path: w.path, clock: clock{at: w.now()}}
		e.Store = e.another()
		must(t, e.Settle(t.Context(), name, place))
		return e
	}
	a, b, c := engine("a", "one"), engine("b", "two"), engine("c", "two")
	atOne, _ := a.signedIn(owner())
	atTwo, _ := b.signedIn(owner())
	if _, ok := b.session(atOne); ok {
		t.Error("a session holds elsewhere")
	}
	if _, ok := c.session(atTwo); !ok {
		t.Error("a session does not hold at the other engine of its place")
	}
	b = engine("b", "three")
	if _, ok := c.session(atTwo); !ok {
		t.Error("the session of an engine that stayed ended")
	}
	if _, ok := b.session(atTwo); ok {
		t.Error("a session moved along")
	}
	engine("c", "three")
	if _, ok := engine("d", "two").session(atTwo); ok {
		t.Error("a session holds at a place that everybody had left")
	}
	if _, ok := a.session(atOne); !ok {
		t.Error("a session elsewhere ended")
	}
}

// TestAnUnknownRoleIsNobodys: one that is left out would be the owner's.
func TestAnUnknownRoleIsNobodys(t *testing.T) {
	w := newWorld(t)
	for _, role := range []string{"", "emperor"} {
		secret := access.TokenPrefix + strings.Repeat("a", 63) + fmt.Sprint(len(role))
		sum := sha256.Sum256([]byte(secret))
		must(t, document.Put(t.Context(), w.docs, "access.token", hex.EncodeToString(sum[:]), 0, api.Token{ID: "1", Name: "x", Role: api.Role(role)}))
		if id, ok, err := w.Token(t.Context(), secret); ok || err == nil {
			t.Errorf("%q came in as %+v", role, id)
		}
	}
}
