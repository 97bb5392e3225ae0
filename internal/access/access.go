// Package access knows who may reach an engine over the network: the tokens of
// people, the one-time codes by which they sign in with a browser, and the
// sessions that follow from that. Of every secret it keeps only the digest. It
// must not know what a role may do, nor how anybody is reached.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// How long things last.
const (
	CodeLife     = 10 * time.Minute
	IdleLife     = 12 * time.Hour     // of a session that nobody uses
	AbsoluteLife = 7 * 24 * time.Hour // of a session, however busy
	touchEvery   = 5 * time.Minute    // how exactly the last use is kept
	maxTokens    = 1000
	maxCodes     = 100
	maxSessions  = 1000
)

// Store is who may come in. Its methods may be called concurrently. What it
// answers holds at that moment and for no longer, see Hold.
type Store struct {
	path  string
	owner string
	now   func() time.Time

	mu    sync.Mutex
	place string // see Settle
	book  book
	holds map[*hold]struct{}
}

// Open reads the store at path, which need not exist. The owner's name is that of
// the person to whom the engine belongs; nobody else gets it. Only the engine that
// holds the state folder may call it. A file that others could have read or written
// is refused.
func Open(path, owner string, now func() time.Time) (*Store, error) {
	b, err := readBook(path)
	if err != nil {
		return nil, err
	}
	return &Store{path: path, owner: owner, now: now, book: b, holds: map[*hold]struct{}{}}, nil
}

// Identity is who somebody is, once they have shown a secret.
type Identity struct {
	Name  string
	Role  api.Role
	Token string // id of the token, theirs or that which they signed in by; "" for the owner's sessions
	// Session is the id of a browser's session; "" for who shows a token itself.
	Session string
	Until   time.Time // when the session ends at the latest; zero for a token
	proof   string    // digest of what the browser proves itself by; "" where it gave nothing
}

// Proves reports that a word comes from the browser that signed in, and not from
// somebody who was only sent its cookie: browsers send the cookies of a host to
// whatever listens there, at any port. One that gave no proof when it signed in
// needs none.
func (i Identity) Proves(proof string) bool { return i.proof == "" || same(i.proof, digest(proof)) }

// Caller is the identity as the engine's service knows callers.
func (i Identity) Caller() api.Caller {
	return api.Caller{Actor: core.Person(i.Name), Role: i.Role, Token: i.Token}
}

// digest is what is kept of a secret. Secrets have at least 80 random bits, so
// that a plain hash is enough.
func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// same compares digests in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func random(n int) []byte {
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // never fails: the program ends if the system has no randomness
	return raw
}

// Hold returns a context that ends as soon as the identity is no longer let in:
// its token was revoked, it signed out, or its session has ended. Whatever lasts
// longer than a moment is to be done with it.
func (s *Store) Hold(ctx context.Context, id Identity) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if id.Until.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadline(ctx, id.Until)
	}
	h := &hold{token: id.Token, session: id.Session, cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stands(id) {
		cancel()
		return ctx, cancel
	}
	s.holds[h] = struct{}{}
	return ctx, func() {
		s.mu.Lock()
		delete(s.holds, h)
		s.mu.Unlock()
		cancel()
	}
}

type hold struct {
	token, session string
	cancel         context.CancelFunc
}

// stands reports that what an identity rests on is still there.
func (s *Store) stands(id Identity) bool {
	if id.Session != "" {
		return s.book.session(id.Session) >= 0
	}
	t := s.book.token(id.Token)
	return t != nil && t.RevokedAt == nil
}

// release ends the holds of who is no longer let in. The lock is held.
func (s *Store) release() {
	for h := range s.holds {
		if !s.stands(Identity{Token: h.token, Session: h.session}) {
			h.cancel()
			delete(s.holds, h)
		}
	}
}
