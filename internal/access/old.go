package access

import (
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// book is access.json, in which versions before documents kept who may come in.
type book struct {
	Version int `json:"version"`
	Tokens  []struct {
		api.Token
		Digest string `json:"digest"`
	} `json:"tokens"`
	Codes []struct {
		code
		Digest string `json:"digest"`
	} `json:"codes"`
	Sessions []struct {
		session
		Digest string `json:"digest"`
	} `json:"sessions"`
}

// Old turns access.json of an engine into the documents that replace it: whoever
// had a token, a code or a session keeps it.
func Old(data []byte, engine string) ([]store.Document, error) {
	var b book
	if err := strictjson.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	if b.Version != 1 {
		return nil, core.Errorf(core.CodeUnsupported, "it was written by another version (%d)", b.Version).WithHint("use the newer program")
	}
	into := &gathered{}
	holders := map[string]string{}
	for i, t := range b.Tokens {
		holders[t.ID] = t.Digest
		into.add(kindToken, t.Digest, t.Role, token{t.Token, int64(i + 1)})
	}
	into.add(kindRegister, tokensMade, api.RoleViewer, register{int64(len(b.Tokens))})
	for _, c := range b.Codes {
		c.Holder = holders[c.Token]
		if c.Token == "" || c.Holder != "" {
			into.add(kindCode, c.Digest, c.Role, c.code)
		}
	}
	at, used := "", time.Time{}
	for _, s := range b.Sessions {
		s.Holder = holders[s.Token]
		if s.Token == "" || s.Holder != "" {
			into.add(kindSession, s.Digest, s.Role, s.session)
		}
		if s.UsedAt.After(used) {
			at, used = s.Place, s.UsedAt
		}
	}
	if at != "" {
		into.add(kindPlace, engine, api.RoleViewer, place{at})
	}
	return slices.Clip(into.all), into.err
}

// gathered are documents to be made, until one cannot be.
type gathered struct {
	all []store.Document
	err error
}

func (g *gathered) add(kind, key string, role api.Role, value any) {
	if g.err != nil {
		return
	}
	if _, g.err = api.ParseRole(string(role)); g.err != nil {
		return
	}
	var d store.Document
	if d, g.err = document.Make(kind, key, 0, value); g.err == nil {
		g.all = append(g.all, d)
	}
}
