package access

import (
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	codeBytes   = 10
	cookieBytes = 32
)

// letters of a code are those that a person tells apart.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Code makes a code by which who asks can sign in once with a browser, in their
// own name and with no more than their own role. The owner signs in as an admin.
func (s *Store) Code(c api.Caller) (text string, until time.Time, err error) {
	if c.Actor.Kind != core.ActorPerson {
		return "", time.Time{}, core.Errorf(core.CodeForbidden, "only a person can sign in")
	}
	role := c.Role
	if role == api.RoleOwner {
		role = api.RoleAdmin
	}
	raw := base32.NewEncoding(letters).WithPadding(base32.NoPadding).EncodeToString(random(codeBytes))
	s.mu.Lock()
	defer s.mu.Unlock()
	until = s.now().UTC().Add(CodeLife)
	err = s.change(func(b *book) error {
		if t := b.token(c.Token); c.Token != "" && (t == nil || t.RevokedAt != nil) {
			return core.Errorf(core.CodeForbidden, "the token was revoked")
		}
		b.Codes = append(roomFor(b.Codes, maxCodes), code{Digest: digest(raw), Name: c.Actor.ID, Role: role, Token: c.Token, Until: until})
		return nil
	})
	if err != nil {
		return "", time.Time{}, err
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
// what it keeps for a place, its cookie and its proof, to whoever is found there:
// the sessions that began at another one, which somebody else may have now, end.
func (s *Store) Settle(place string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place = place
	elsewhere := func(have session) bool { return have.Place != place }
	if !slices.ContainsFunc(s.book.Sessions, elsewhere) {
		return nil
	}
	return s.change(func(b *book) error {
		b.Sessions = slices.DeleteFunc(b.Sessions, elsewhere)
		return nil
	})
}

// Whose says who would sign in with a code, and leaves it to be used; false where it
// is none.
func (s *Store) Whose(typed string) (Identity, bool) {
	d := digest(plainCode(typed))
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	i := slices.IndexFunc(s.book.Codes, func(c code) bool { return same(c.Digest, d) && now.Before(c.Until) })
	if i < 0 {
		return Identity{}, false
	}
	c := s.book.Codes[i]
	return Identity{Name: c.Name, Role: c.Role, Token: c.Token}, true
}

// SignIn takes a code, which is thereby used up, and begins a session. The cookie
// is returned here and can never be read again. What is said in the session takes
// the proof, if there is one (see [Identity.Proves]). It fails with
// CodeForbidden if the code is wrong, has run out or was used before: which of
// them is not said.
func (s *Store) SignIn(typed, proof string) (cookie string, id Identity, err error) {
	d := digest(plainCode(typed))
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now().UTC()
	if !slices.ContainsFunc(s.book.Codes, func(c code) bool { return same(c.Digest, d) && now.Before(c.Until) }) {
		return "", Identity{}, errWrongCode() // without writing: guessing is cheap for nobody else
	}
	cookie = hex.EncodeToString(random(cookieBytes))
	var began session
	err = s.change(func(b *book) error {
		i := slices.IndexFunc(b.Codes, func(c code) bool { return same(c.Digest, d) })
		if i < 0 {
			return errWrongCode()
		}
		c := b.Codes[i]
		b.Codes = slices.Delete(b.Codes, i, i+1)
		began = session{Digest: digest(cookie), Name: c.Name, Role: c.Role, Token: c.Token, Place: s.place, Began: now, UsedAt: now}
		if proof != "" {
			began.Proof = digest(proof)
		}
		b.Sessions = append(roomFor(b.Sessions, maxSessions), began)
		return nil
	})
	if err != nil {
		return "", Identity{}, err
	}
	return cookie, began.identity(), nil
}

func errWrongCode() error {
	return core.Errorf(core.CodeForbidden, "the code is not valid: it was mistyped, used before, or is older than %d minutes", int(CodeLife.Minutes())).
		WithHint("get another").Offer(core.Choice{Verb: core.VerbCockpit})
}

func (s session) identity() Identity {
	return Identity{Name: s.Name, Role: s.Role, Token: s.Token, Session: s.Digest, Until: s.ends(), proof: s.Proof}
}

// Session says who shows a cookie; false if nobody does.
func (s *Store) Session(cookie string) (Identity, bool) {
	d := digest(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now().UTC()
	i := s.book.session(d)
	if i < 0 || s.book.Sessions[i].over(now) {
		return Identity{}, false
	}
	found := s.book.Sessions[i]
	if now.Sub(found.UsedAt) >= touchEvery {
		// If it cannot be written down the session ends the sooner.
		_ = s.change(func(b *book) error {
			if j := b.session(d); j >= 0 {
				b.Sessions[j].UsedAt = now
			}
			return nil
		})
	}
	return found.identity(), true
}

// SignOut ends a session; one that is not there is no error.
func (s *Store) SignOut(cookie string) error {
	d := digest(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book.session(d) < 0 {
		return nil
	}
	return s.change(func(b *book) error {
		b.Sessions = slices.DeleteFunc(b.Sessions, func(have session) bool { return same(have.Digest, d) })
		return nil
	})
}
