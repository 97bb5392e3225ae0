package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// sealPrefix begins the secret part of an attempt's token, so that it is
// recognised wherever it turns up.
const sealPrefix = "stwk_"

// AttemptTokens issues the tokens of attempts and knows them again. A token is
// `RUN.ATTEMPT.SEAL`: the seal is what only the holder of the key can make of the
// other two. Nothing of a token is stored, and an engine that was started anew
// knows those that the last one issued. Whether the attempt is still under way
// is for the law to say.
type AttemptTokens struct{ key []byte }

var _ Authenticator = (*AttemptTokens)(nil)

// The document of the key.
const (
	kindKey = "key"
	toolKey = "tools"
)

// OpenAttemptTokens reads the key from the documents. Whichever engine finds none
// first makes it for all.
func OpenAttemptTokens(ctx context.Context, docs store.Documents) (*AttemptTokens, error) {
	d, err := docs.Document(ctx, kindKey, toolKey)
	if errors.Is(err, store.ErrNotFound) {
		var key string
		if key, err = newSecret("the key of the attempts' tokens"); err != nil {
			return nil, err
		}
		d, err = docs.PutDocument(ctx, store.Document{Kind: kindKey, Key: toolKey, Data: []byte(key)})
	}
	if errors.Is(err, store.ErrStale) { // another engine was faster
		d, err = docs.Document(ctx, kindKey, toolKey)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of the attempts' tokens: %w", err)
	}
	return &AttemptTokens{key: d.Data}, nil
}

// OldToolKey turns tool.key, in which versions before documents kept the key, into
// the document that replaces it: attempts at work keep their tokens. A key that
// others could have read is no key any more, and there is none.
func OldToolKey(path string) ([]store.Document, error) {
	key, err := readSecret(path, "the key of the attempts' tokens")
	if core.CodeOf(err) == core.CodeForbidden {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []store.Document{{Kind: kindKey, Key: toolKey, Data: []byte(key)}}, nil
}

// Scopes of a token: the agent's opens its tools, the worker's the exchange. Neither can be made of the other.
const (
	scopeTools  = "attempt"
	scopeWorker = "worker"
)

// Issue makes the token of an attempt's tools: the same one each time.
func (t *AttemptTokens) Issue(run, attempt string) string { return t.issue(scopeTools, run, attempt) }

// IssueWorker makes the token of an attempt's worker, which hands in for it. The agent must not get it.
func (t *AttemptTokens) IssueWorker(run, attempt string) string {
	return t.issue(scopeWorker, run, attempt)
}

func (t *AttemptTokens) issue(scope, run, attempt string) string {
	return run + "." + attempt + "." + t.seal(scope, run, attempt)
}

func (t *AttemptTokens) seal(scope, run, attempt string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(scope + "\x00" + run + "\x00" + attempt)) // never fails
	return sealPrefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Authenticate implements Authenticator: the caller is the attempt, and speaks
// to its own run.
func (t *AttemptTokens) Authenticate(token string) (Caller, bool) {
	run, attempt, ok := t.holder(scopeTools, token)
	if !ok {
		return Caller{}, false
	}
	return Caller{Actor: core.Actor{Kind: core.ActorAgent, ID: attempt}, Run: run}, true
}

// Worker tells which attempt's worker holds a token.
func (t *AttemptTokens) Worker(token string) (run, attempt string, ok bool) {
	return t.holder(scopeWorker, token)
}

func (t *AttemptTokens) holder(scope, token string) (run, attempt string, ok bool) {
	run, rest, ok := strings.Cut(token, ".")
	last := strings.LastIndexByte(rest, '.')
	if !ok || run == "" || last <= 0 {
		return "", "", false
	}
	attempt, seal := rest[:last], rest[last+1:]
	return run, attempt, hmac.Equal([]byte(seal), []byte(t.seal(scope, run, attempt)))
}
