package access

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
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
func (s *Store) Add(name string, role api.Role, by string) (api.Token, string, error) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	secret := TokenPrefix + hex.EncodeToString(random(tokenBytes))
	t := token{
		Token:  api.Token{ID: hex.EncodeToString(random(idBytes)), Name: name, Role: role, CreatedAt: s.now().UTC(), CreatedBy: by},
		Digest: digest(secret),
	}
	err := s.change(func(b *book) error {
		for _, have := range b.Tokens {
			if have.RevokedAt == nil && strings.EqualFold(have.Name, name) {
				return core.Errorf(core.CodeConflict, "there is a token named %s already", have.Name).
					WithHint("choose another name, or revoke %s", have.ID).Offer(core.Choice{Verb: core.VerbTokens})
			}
		}
		if len(b.Tokens) >= maxTokens { // one that no longer holds makes room: of the others it stays known who revoked them
			if i := b.revokedFirst(); i >= 0 {
				b.Tokens = slices.Delete(b.Tokens, i, i+1)
			}
		}
		if len(b.Tokens) >= maxTokens {
			return core.Errorf(core.CodeConflict, "there are %d tokens already", maxTokens).WithHint("revoke those that nobody uses").Offer(core.Choice{Verb: core.VerbTokens})
		}
		b.Tokens = append(b.Tokens, t)
		return nil
	})
	if err != nil {
		return api.Token{}, "", err
	}
	return t.Token, secret, nil
}

// List is every token, also those that were revoked, the oldest first.
func (s *Store) List() []api.Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]api.Token, 0, len(s.book.Tokens))
	for _, t := range s.book.Tokens {
		list = append(list, t.Token)
	}
	return list
}

// Revoke ends a token, named by its id or its name, and every session that began
// with it. One that was revoked before stays as it is.
func (s *Store) Revoke(idOrName, by string) (api.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.book.named(idOrName)
	if found == nil {
		return api.Token{}, core.Errorf(core.CodeNotFound, "there is no token %.80q", idOrName).Offer(core.Choice{Verb: core.VerbTokens})
	}
	if found.RevokedAt != nil {
		return found.Token, nil
	}
	id, now := found.ID, s.now().UTC()
	err := s.change(func(b *book) error {
		t := b.token(id)
		t.RevokedAt, t.RevokedBy = &now, by
		b.sweep(now)
		return nil
	})
	if err != nil {
		return api.Token{}, err
	}
	return s.book.token(id).Token, nil
}

// revokedFirst is the place of the token that was revoked before all others; -1
// if none was.
func (b *book) revokedFirst() int {
	first := -1
	for i, t := range b.Tokens {
		if t.RevokedAt != nil && (first < 0 || t.RevokedAt.Before(*b.Tokens[first].RevokedAt)) {
			first = i
		}
	}
	return first
}

// named finds a token by its id, or one that holds by its name.
func (b *book) named(idOrName string) *token {
	if t := b.token(idOrName); t != nil {
		return t
	}
	for i, t := range b.Tokens {
		if t.RevokedAt == nil && strings.EqualFold(t.Name, idOrName) {
			return &b.Tokens[i]
		}
	}
	return nil
}

// Token says who shows a token; false if nobody does.
func (s *Store) Token(secret string) (Identity, bool) {
	d := digest(secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.book.Tokens, func(t token) bool { return t.RevokedAt == nil && same(t.Digest, d) })
	if i < 0 {
		return Identity{}, false
	}
	t := s.book.Tokens[i]
	if now := s.now().UTC(); t.UsedAt == nil || now.Sub(*t.UsedAt) >= touchEvery {
		// If it cannot be written down it still was a use.
		_ = s.change(func(b *book) error { b.token(t.ID).UsedAt = &now; return nil })
	}
	return Identity{Name: t.Name, Role: t.Role, Token: t.ID}, true
}
