package access

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Kinds of documents. Tokens, codes and sessions are known by the digest of their
// secret, so that whoever shows one is found by one read.
const (
	kindToken    = "access.token"
	kindCode     = "access.code"
	kindSession  = "access.session"
	kindRegister = "access.register"
	kindPlace    = "access.place" // by engine
)

// tokensMade is the key of the register of tokens.
const tokensMade = "tokens"

// register is changed with each token that is made, so that of two people who make
// one at the same time, each sees the other's.
type register struct {
	Made int64 `json:"made"`
}

type token struct {
	api.Token
	N int64 `json:"n"` // in the order of their making
}

// code lets somebody in once.
type code struct {
	Name   string    `json:"name"`
	Role   api.Role  `json:"role"`
	Token  string    `json:"token,omitempty"`
	Holder string    `json:"holder,omitempty"` // key of the token; the owner has none
	Until  time.Time `json:"until"`
}

// session is a browser's.
type session struct {
	Proof  string    `json:"proof,omitempty"` // digest; see Identity.Proves
	Name   string    `json:"name"`
	Role   api.Role  `json:"role"`
	Token  string    `json:"token,omitempty"`
	Holder string    `json:"holder,omitempty"`
	Place  string    `json:"place"` // see Store.Settle
	Began  time.Time `json:"began"`
	UsedAt time.Time `json:"used_at"`
}

// place is where browsers find an engine.
type place struct {
	Name string `json:"name"`
}

func (c code) holder() string    { return c.Holder }
func (c code) since() time.Time  { return c.Until }
func (s session) holder() string { return s.Holder }
func (s session) since() time.Time {
	return s.Began
}

func (c code) over(now time.Time) bool { return !now.Before(c.Until) }
func (s session) ends() time.Time      { return s.Began.Add(AbsoluteLife) }
func (s session) over(now time.Time) bool {
	return !now.Before(s.ends()) || !now.Before(s.UsedAt.Add(IdleLife))
}

// lasting is what somebody came to by a token, and has for a time.
type lasting interface {
	holder() string
	since() time.Time
	over(now time.Time) bool
}

// isThere reports that there is such a document.
func (s *Store) isThere(ctx context.Context, kind, key string) (bool, error) {
	_, err := s.docs.Document(ctx, kind, key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, trouble(err)
}

// valid reports that a token was not revoked. The owner needs none.
func (s *Store) valid(ctx context.Context, holder string) (bool, error) {
	if holder == "" {
		return true, nil
	}
	t, found, err := find[token](ctx, s, kindToken, holder)
	return found && t.Value.RevokedAt == nil, err
}

// find reads a document that may be missing.
func find[T any](ctx context.Context, s *Store, kind, key string) (document.Kept[T], bool, error) {
	k, err := document.Read[T](ctx, s.docs, kind, key)
	if errors.Is(err, store.ErrNotFound) {
		return k, false, nil
	}
	return k, err == nil, trouble(err)
}

// roomFor forgets what has run out, and what rests on a token that does not hold,
// and then makes room for one more. If there are as many as there may be, the
// oldest of whoever has most makes it: nobody's are pushed out by another who
// makes more and more.
func roomFor[T lasting](ctx context.Context, s *Store, kind string, most int) error {
	left, err := sweep[T](ctx, s, kind)
	if err != nil || len(left) < most {
		return err
	}
	of := map[string]int{}
	for _, k := range left {
		of[k.Value.holder()]++
	}
	slices.SortStableFunc(left, func(a, b document.Kept[T]) int { return a.Value.since().Compare(b.Value.since()) })
	out := left[0]
	for _, k := range left {
		if of[k.Value.holder()] > of[out.Value.holder()] {
			out = k
		}
	}
	return trouble(document.Remove(ctx, s.docs, kind, out.Key, out.Version))
}

// sweep forgets what has run out, and returns the others.
func sweep[T lasting](ctx context.Context, s *Store, kind string) ([]document.Kept[T], error) {
	all, err := document.List[T](ctx, s.docs, kind, "")
	if err != nil {
		return nil, trouble(err)
	}
	tokens, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	holds := map[string]bool{"": true}
	for _, t := range tokens {
		holds[t.Key] = t.Value.RevokedAt == nil
	}
	left, now := all[:0:0], s.now()
	for _, k := range all {
		if !k.Value.over(now) && holds[k.Value.holder()] {
			left = append(left, k)
			continue
		}
		if err := document.Remove(ctx, s.docs, kind, k.Key, k.Version); err != nil {
			return nil, trouble(err)
		}
	}
	return left, nil
}

// trouble says that the documents could not be read or written.
func trouble(err error) error {
	if err == nil || core.CodeOf(err) == core.CodeUnavailable {
		return err
	}
	return core.Wrap(core.CodeUnavailable, err, "the engine cannot find out who may come in", "try again; the engine's log says what is wrong with its database")
}

// known refuses what no engine has written: a role that is none would be nobody's,
// and one that is left out the owner's.
func known(id Identity) (Identity, bool, error) {
	if _, err := api.ParseRole(string(id.Role)); err != nil {
		return Identity{}, false, core.Wrap(core.CodeUnavailable, err, "a role is stored that does not exist", "revoke the token, or restore a backup")
	}
	return id, true, nil
}
