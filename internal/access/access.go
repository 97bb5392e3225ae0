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
	"github.com/stellwerk-dev/stellwerk/internal/store"
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

// Store is who may come in, for every engine on a store of documents: what one of
// them is told, all know. Its methods may be called concurrently. What it answers
// holds at that moment and for no longer, see Hold.
type Store struct {
	docs  store.Documents
	owner string
	now   func() time.Time

	mu      sync.Mutex
	place   string // see Settle
	holds   map[*hold]struct{}
	noLooks context.CancelFunc // ends the looks; set while somebody is held
}

// Open is who may come in by the documents. The owner's name is that of the person
// to whom the engine belongs; nobody else gets it.
func Open(docs store.Documents, owner string, now func() time.Time) *Store {
	return &Store{docs: docs, owner: owner, now: now, holds: map[*hold]struct{}{}}
}

// Identity is who somebody is, once they have shown a secret.
type Identity struct {
	Name  string
	Role  api.Role
	Token string // id of the token, theirs or that which they signed in by; "" for the owner's sessions
	// Session is the id of a browser's session; "" for who shows a token itself.
	Session string
	Until   time.Time // when the session ends at the latest; zero for a token
	holder  string    // key of the token; "" for the owner's sessions
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
