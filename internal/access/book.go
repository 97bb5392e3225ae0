package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// File is the store's name in the state folder.
const File = "access.json"

// book is the store as it is written down.
type book struct {
	Version  int       `json:"version"`
	Tokens   []token   `json:"tokens"`
	Codes    []code    `json:"codes"`
	Sessions []session `json:"sessions"`
}

type token struct {
	api.Token
	Digest string `json:"digest"`
}

// code lets somebody in once.
type code struct {
	Digest string    `json:"digest"`
	Name   string    `json:"name"`
	Role   api.Role  `json:"role"`
	Token  string    `json:"token,omitempty"`
	Until  time.Time `json:"until"`
}

// session is a browser's. Its id is the digest of its cookie.
type session struct {
	Digest string    `json:"digest"`
	Proof  string    `json:"proof,omitempty"` // digest; see Identity.Proves
	Name   string    `json:"name"`
	Role   api.Role  `json:"role"`
	Token  string    `json:"token,omitempty"`
	Place  string    `json:"place"` // see Store.Settle
	Began  time.Time `json:"began"`
	UsedAt time.Time `json:"used_at"`
}

func (s session) ends() time.Time { return s.Began.Add(AbsoluteLife) }

func (s session) over(now time.Time) bool {
	return !now.Before(s.ends()) || !now.Before(s.UsedAt.Add(IdleLife))
}

func (b *book) token(id string) *token {
	for i := range b.Tokens {
		if b.Tokens[i].ID == id {
			return &b.Tokens[i]
		}
	}
	return nil
}

func (b *book) session(digest string) int {
	return slices.IndexFunc(b.Sessions, func(s session) bool { return same(s.Digest, digest) })
}

// clone is a copy that can be changed while the original holds.
func (b *book) clone() book {
	return book{Version: b.Version, Tokens: slices.Clone(b.Tokens), Codes: slices.Clone(b.Codes), Sessions: slices.Clone(b.Sessions)}
}

// holder is the token by which somebody came to something; the owner has none.
func (c code) holder() string    { return c.Token }
func (s session) holder() string { return s.Token }

// roomFor makes room for one more. If there are as many as there may be, the
// oldest of whoever has most makes it: nobody's are pushed out by another who
// makes more and more.
func roomFor[T interface{ holder() string }](list []T, most int) []T {
	if len(list) < most {
		return list
	}
	of := map[string]int{}
	for _, item := range list {
		of[item.holder()]++
	}
	out := 0
	for i, item := range list {
		if of[item.holder()] > of[list[out].holder()] {
			out = i
		}
	}
	return slices.Delete(list, out, out+1)
}

// sweep forgets what has run out, and what rests on a token that does not hold.
func (b *book) sweep(now time.Time) {
	gone := func(id string) bool {
		t := b.token(id)
		return id != "" && (t == nil || t.RevokedAt != nil)
	}
	b.Codes = slices.DeleteFunc(b.Codes, func(c code) bool { return !now.Before(c.Until) || gone(c.Token) })
	b.Sessions = slices.DeleteFunc(b.Sessions, func(s session) bool { return s.over(now) || gone(s.Token) })
}

func readBook(path string) (book, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return book{Version: 1}, nil
	}
	if err != nil {
		return book{}, fmt.Errorf("read who may come in: %w", err)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return book{}, core.Errorf(core.CodeForbidden, "%s is open to others (mode %04o), who could have let themselves in", path, perm).
			WithHint("look at what is in it; then `chmod 600` it, or remove it and make new tokens")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return book{}, fmt.Errorf("read who may come in: %w", err)
	}
	var b book
	if err := strictjson.Unmarshal(data, &b); err != nil {
		return book{}, core.Wrap(core.CodeInvalid, err, path+" cannot be read", "restore it from a backup, or remove it and make new tokens")
	}
	return b, b.check(path)
}

// check refuses what no engine has written: a role that is none would be nobody's
// and one that is left out the owner's.
func (b *book) check(path string) error {
	if b.Version != 1 {
		return core.Errorf(core.CodeUnsupported, "%s was written by another version (%d)", path, b.Version).WithHint("use the newer program")
	}
	var roles []api.Role
	for _, t := range b.Tokens {
		roles = append(roles, t.Role)
	}
	for _, c := range b.Codes {
		roles = append(roles, c.Role)
	}
	for _, s := range b.Sessions {
		roles = append(roles, s.Role)
	}
	for _, r := range roles {
		if _, err := api.ParseRole(string(r)); err != nil {
			return core.Wrap(core.CodeInvalid, err, path+" cannot be used", "restore it from a backup, or remove it and make new tokens")
		}
	}
	return nil
}

// change lets fn change a copy of the book, and takes it over once it is on disk:
// what could not be written has not happened. The lock is held.
func (s *Store) change(fn func(*book) error) error {
	next := s.book.clone()
	next.sweep(s.now())
	if err := fn(&next); err != nil {
		return err
	}
	data, err := json.MarshalIndent(&next, "", "  ")
	if err != nil {
		return fmt.Errorf("write who may come in: %w", err)
	}
	if err := renameio.WriteFile(s.path, append(data, '\n'), 0o600, renameio.WithStaticPermissions(0o600)); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "who may come in cannot be written", "check that "+s.path+" can be written and its disk has space")
	}
	s.book = next
	s.release()
	return nil
}
