package access

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TokenPrefix begins a person's token, so that it is recognised wherever it
// turns up.
const TokenPrefix = "stw_"

const (
	tokenBytes = 32
	idBytes    = 4
	maxName    = 64
)

// nameable reports a name that a token can have: it is shown as who said
// something.
func nameable(name string) bool {
	return name != "" && len(name) <= maxName && name == strings.TrimSpace(name) && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._@+-", r)
		})
}

// LooksLikeToken reports text of the form of a person's token.
func LooksLikeToken(text string) bool {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, TokenPrefix))
	return err == nil && len(raw) == tokenBytes && strings.HasPrefix(text, TokenPrefix)
}

// Add makes a token. The secret is returned here and can never be read again.
// Two tokens that hold have different names, and none has the owner's: what is said
// with it would seem to be their word.
func (s *Store) Add(ctx context.Context, name string, role api.Role, by string) (api.Token, string, error) {
	if !nameable(name) {
		return api.Token{}, "", core.Errorf(core.CodeInvalid, "%.80q cannot be the name of a token", name).
			WithHint("use letters, digits, spaces and . _ @ + -, at most %d bytes", maxName)
	}
	if _, err := api.ParseRole(string(role)); err != nil {
		return api.Token{}, "", err
	}
	if strings.EqualFold(name, s.owner) {
		return api.Token{}, "", core.Errorf(core.CodeConflict, "%s is the name of the person to whom the engine belongs", s.owner).
			WithHint("name the token after who or what shows it, such as %s@laptop", s.owner)
	}
	secret := TokenPrefix + hex.EncodeToString(random(tokenBytes))
	t := api.Token{ID: hex.EncodeToString(random(idBytes)), Name: name, Role: role, CreatedAt: s.now().UTC(), CreatedBy: by}
	for {
		err := s.add(ctx, t, digest(secret))
		if errors.Is(err, store.ErrStale) {
			continue // somebody else made one this moment: look whether it has the name
		}
		if err != nil {
			return api.Token{}, "", err
		}
		return t, secret, nil
	}
}

// add puts a token unless another was made since it looked at them.
func (s *Store) add(ctx context.Context, t api.Token, key string) error {
	reg, _, err := find[register](ctx, s, kindRegister, tokensMade)
	if err != nil {
		return err
	}
	have, err := s.tokens(ctx)
	if err != nil {
		return err
	}
	for _, k := range have {
		if k.Value.RevokedAt == nil && strings.EqualFold(k.Value.Name, t.Name) {
			return core.Errorf(core.CodeConflict, "there is a token named %s already", k.Value.Name).
				WithHint("choose another name, or revoke %s", k.Value.ID).Offer(core.Choice{Verb: core.VerbTokens})
		}
	}
	out := -1
	if len(have) >= maxTokens { // one that no longer holds makes room: of the others it stays known who revoked them
		if out = revokedFirst(have); out < 0 {
			return core.Errorf(core.CodeConflict, "there are %d tokens already", maxTokens).WithHint("revoke those that nobody uses").Offer(core.Choice{Verb: core.VerbTokens})
		}
	}
	n := reg.Value.Made + 1
	counted, err := document.Make(kindRegister, tokensMade, reg.Version, register{n})
	if err != nil {
		return err
	}
	made, err := document.Make(kindToken, key, 0, token{t, n})
	if err != nil {
		return err
	}
	if _, err := s.docs.PutDocuments(ctx, []store.Document{counted, made}); err != nil {
		if errors.Is(err, store.ErrStale) {
			return err
		}
		return trouble(err)
	}
	if out >= 0 {
		return trouble(document.Remove(ctx, s.docs, kindToken, have[out].Key, have[out].Version))
	}
	return nil
}

// tokens are all of them, in the order of their making.
func (s *Store) tokens(ctx context.Context) ([]document.Kept[token], error) {
	all, err := document.List[token](ctx, s.docs, kindToken, "")
	slices.SortFunc(all, func(a, b document.Kept[token]) int { return cmp.Compare(a.Value.N, b.Value.N) })
	return all, trouble(err)
}

// List is every token, also those that were revoked, the oldest first.
func (s *Store) List(ctx context.Context) ([]api.Token, error) {
	all, err := s.tokens(ctx)
	list := make([]api.Token, len(all))
	for i, t := range all {
		list[i] = t.Value.Token
	}
	return list, err
}

// Revoke ends a token, named by its id or its name, and every session that began
// with it. One that was revoked before stays as it is.
func (s *Store) Revoke(ctx context.Context, idOrName, by string) (api.Token, error) {
	all, err := s.tokens(ctx)
	if err != nil {
		return api.Token{}, err
	}
	found := named(all, idOrName)
	if found == nil {
		return api.Token{}, core.Errorf(core.CodeNotFound, "there is no token %.80q", idOrName).Offer(core.Choice{Verb: core.VerbTokens})
	}
	revoked, now := found.Value, s.now().UTC()
	err = document.Change(ctx, s.docs, kindToken, found.Key, func(t *token) error {
		if t.ID == "" || t.RevokedAt != nil { // it made room for another, or somebody else revoked it
			return document.ErrKeep
		}
		t.RevokedAt, t.RevokedBy = &now, by
		revoked = *t
		return nil
	})
	if err != nil {
		return api.Token{}, trouble(err)
	}
	s.release(ctx)
	// From here on nothing that rests on the token holds; what is left of it is only tidied away.
	_, codes := sweep[code](ctx, s, kindCode)
	_, sessions := sweep[session](ctx, s, kindSession)
	return revoked.Token, errors.Join(codes, sessions)
}

// revokedFirst is the place of the token that was revoked before all others; -1
// if none was.
func revokedFirst(all []document.Kept[token]) int {
	first := -1
	for i, t := range all {
		if t.Value.RevokedAt != nil && (first < 0 || t.Value.RevokedAt.Before(*all[first].Value.RevokedAt)) {
			first = i
		}
	}
	return first
}

// named finds a token by its id, or one that holds by its name.
func named(all []document.Kept[token], idOrName string) *document.Kept[token] {
	for i, t := range all {
		if t.Value.ID == idOrName {
			return &all[i]
		}
	}
	for i, t := range all {
		if t.Value.RevokedAt == nil && strings.EqualFold(t.Value.Name, idOrName) {
			return &all[i]
		}
	}
	return nil
}

// holderOf is the key of a token that holds, by its id. The owner has none.
func (s *Store) holderOf(ctx context.Context, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	all, err := s.tokens(ctx)
	if err != nil {
		return "", err
	}
	for _, t := range all {
		if t.Value.ID == id && t.Value.RevokedAt == nil {
			return t.Key, nil
		}
	}
	return "", core.Errorf(core.CodeForbidden, "the token was revoked")
}

// Token says who shows a token; false if nobody does.
func (s *Store) Token(ctx context.Context, secret string) (Identity, bool, error) {
	if !LooksLikeToken(secret) {
		return Identity{}, false, nil
	}
	k, found, err := find[token](ctx, s, kindToken, digest(secret))
	if err != nil || !found || k.Value.RevokedAt != nil {
		return Identity{}, false, err
	}
	if now := s.now().UTC(); k.Value.UsedAt == nil || now.Sub(*k.Value.UsedAt) >= touchEvery {
		used := k.Value
		used.UsedAt = &now
		// If another engine was faster, that one counts; if it cannot be written
		// down, it still was a use.
		_ = document.Put(ctx, s.docs, kindToken, k.Key, k.Version, used)
	}
	return known(Identity{Name: k.Value.Name, Role: k.Value.Role, Token: k.Value.ID, holder: k.Key})
}
