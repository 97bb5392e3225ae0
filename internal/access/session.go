package access

import (
	"context"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	codeBytes   = 10
	cookieBytes = 32
)

// letters of a code are those that a person tells apart.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Code makes a code by which who asks can sign in once with a browser, in their
// own name and with no more than their own role. The owner signs in as an admin.
func (s *Store) Code(ctx context.Context, c api.Caller) (text string, until time.Time, err error) {
	if c.Actor.Kind != core.ActorPerson {
		return "", time.Time{}, core.Errorf(core.CodeForbidden, "only a person can sign in")
	}
	role := c.Role
	if role == api.RoleOwner {
		role = api.RoleAdmin
	}
	holder, err := s.holderOf(ctx, c.Token)
	if err != nil {
		return "", time.Time{}, err
	}
	if err := roomFor[code](ctx, s, kindCode, maxCodes); err != nil {
		return "", time.Time{}, err
	}
	raw := base32.NewEncoding(letters).WithPadding(base32.NoPadding).EncodeToString(random(codeBytes))
	until = s.now().UTC().Add(CodeLife)
	made := code{Name: c.Actor.ID, Role: role, Token: c.Token, Holder: holder, Until: until}
	if err := document.Put(ctx, s.docs, kindCode, digest(raw), 0, made); err != nil {
		return "", time.Time{}, trouble(err)
	}
	var groups []string
	for part := range slices.Chunk([]byte(raw), 4) {
		groups = append(groups, string(part))
	}
	return strings.Join(groups, "-"), until, nil
}

// plainCode is a code as it was made, however a person has typed it.
func plainCode(typed string) string {
	return strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(strings.TrimSpace(typed)))
}

// CodeName names a code, however a person has typed it, and does not give it away.
func CodeName(typed string) string { return digest(plainCode(typed))[:16] }

// Settle says by what place browsers know the engine from now on. A browser gives
// what it keeps for a place, its cookie and its proof, to whoever is found there.
// So a session holds only where it began, and those of the place that the engine
// had before, which somebody else may have now, end; unless another engine is there.
func (s *Store) Settle(ctx context.Context, engine, at string) error {
	s.mu.Lock()
	s.place = at
	s.mu.Unlock()
	before, found, err := find[place](ctx, s, kindPlace, engine)
	if err != nil || found && before.Value.Name == at {
		return err
	}
	if found {
		if err := s.leave(ctx, engine, before.Value.Name); err != nil {
			return err
		}
	}
	return trouble(document.Put(ctx, s.docs, kindPlace, engine, before.Version, place{at}))
}

// leave ends the sessions of a place at which no other engine is.
func (s *Store) leave(ctx context.Context, engine, at string) error {
	engines, err := document.List[place](ctx, s.docs, kindPlace, "")
	if err != nil {
		return trouble(err)
	}
	for _, e := range engines {
		if e.Key != engine && e.Value.Name == at {
			return nil
		}
	}
	sessions, err := document.List[session](ctx, s.docs, kindSession, "")
	if err != nil {
		return trouble(err)
	}
	for _, k := range sessions {
		if k.Value.Place != at {
			continue
		}
		if err := document.Remove(ctx, s.docs, kindSession, k.Key, k.Version); err != nil {
			return trouble(err)
		}
	}
	s.release(ctx)
	return nil
}

// Whose says who would sign in with a code, and leaves it to be used; false if it
// is none.
func (s *Store) Whose(ctx context.Context, typed string) (Identity, bool, error) {
	c, found, err := s.code(ctx, typed)
	if err != nil || !found {
		return Identity{}, false, err
	}
	return Identity{Name: c.Value.Name, Role: c.Value.Role, Token: c.Value.Token, holder: c.Value.Holder}, true, nil
}

// code finds a code that lets somebody in.
func (s *Store) code(ctx context.Context, typed string) (document.Kept[code], bool, error) {
	c, found, err := find[code](ctx, s, kindCode, digest(plainCode(typed)))
	if err != nil || !found || c.Value.over(s.now()) {
		return c, false, err
	}
	valid, err := s.valid(ctx, c.Value.Holder)
	return c, valid, err
}

// SignIn takes a code, which is thereby used up, and begins a session. The cookie
// is returned here and can never be read again. What is said in the session takes
// the proof, if there is one (see [Identity.Proves]). It fails with
// CodeForbidden if the code is wrong, has run out or was used before: which of
// them is not said.
func (s *Store) SignIn(ctx context.Context, typed, proof string) (cookie string, id Identity, err error) {
	c, found, err := s.code(ctx, typed)
	if err != nil {
		return "", Identity{}, err
	}
	if !found {
		return "", Identity{}, errWrongCode() // without writing: guessing is cheap for nobody else
	}
	if err := roomFor[session](ctx, s, kindSession, maxSessions); err != nil {
		return "", Identity{}, err
	}
	err = s.docs.DeleteDocument(ctx, kindCode, c.Key, c.Version)
	if errors.Is(err, store.ErrStale) {
		return "", Identity{}, errWrongCode()
	}
	if err != nil {
		return "", Identity{}, trouble(err)
	}
	cookie = hex.EncodeToString(random(cookieBytes))
	now := s.now().UTC()
	began := session{
		Name: c.Value.Name, Role: c.Value.Role, Token: c.Value.Token, Holder: c.Value.Holder,
		Place: s.at(), Began: now, UsedAt: now,
	}
	if proof != "" {
		began.Proof = digest(proof)
	}
	if err := document.Put(ctx, s.docs, kindSession, digest(cookie), 0, began); err != nil {
		return "", Identity{}, trouble(err)
	}
	return cookie, began.identity(digest(cookie)), nil
}

func (s *Store) at() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place
}

func errWrongCode() error {
	return core.Errorf(core.CodeForbidden, "the code is not valid: it was mistyped, used before, or is older than %d minutes", int(CodeLife.Minutes())).
		WithHint("get another").Offer(core.Choice{Verb: core.VerbCockpit})
}

func (s session) identity(key string) Identity {
	return Identity{Name: s.Name, Role: s.Role, Token: s.Token, Session: key, Until: s.ends(), holder: s.Holder, proof: s.Proof}
}

// Session says who shows a cookie; false if nobody does.
func (s *Store) Session(ctx context.Context, cookie string) (Identity, bool, error) {
	now := s.now().UTC()
	k, found, err := find[session](ctx, s, kindSession, digest(cookie))
	if err != nil || !found || k.Value.over(now) || k.Value.Place != s.at() {
		return Identity{}, false, err
	}
	if valid, err := s.valid(ctx, k.Value.Holder); err != nil || !valid {
		return Identity{}, false, err
	}
	if now.Sub(k.Value.UsedAt) >= touchEvery {
		used := k.Value
		used.UsedAt = now
		// If another engine was faster, that one counts; if it cannot be written
		// down, the session ends the sooner.
		_ = document.Put(ctx, s.docs, kindSession, k.Key, k.Version, used)
	}
	return known(k.Value.identity(k.Key))
}

// SignOut ends a session; one that is not there is no error.
func (s *Store) SignOut(ctx context.Context, cookie string) error {
	err := document.Drop(ctx, s.docs, kindSession, digest(cookie))
	s.release(ctx)
	return trouble(err)
}
