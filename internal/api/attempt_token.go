package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
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

// OpenAttemptTokens reads the key at path, and makes one if there is none or
// if others could have read it. Only the engine that holds the state folder
// may call it.
func OpenAttemptTokens(path string) (*AttemptTokens, error) {
	key, err := ensureSecret(path, "the key of the attempts' tokens")
	if err != nil {
		return nil, err
	}
	return &AttemptTokens{key: []byte(key)}, nil
}

// Issue makes the token of an attempt: the same one each time.
func (t *AttemptTokens) Issue(run, attempt string) string {
	return run + "." + attempt + "." + t.seal(run, attempt)
}

func (t *AttemptTokens) seal(run, attempt string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte("attempt\x00" + run + "\x00" + attempt)) // never fails
	return sealPrefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Authenticate implements Authenticator: the caller is the attempt, and speaks
// to its own run.
func (t *AttemptTokens) Authenticate(token string) (Caller, bool) {
	run, rest, ok := strings.Cut(token, ".")
	last := strings.LastIndexByte(rest, '.')
	if !ok || run == "" || last <= 0 {
		return Caller{}, false
	}
	attempt, seal := rest[:last], rest[last+1:]
	if !hmac.Equal([]byte(seal), []byte(t.seal(run, attempt))) {
		return Caller{}, false
	}
	return Caller{Actor: core.Actor{Kind: core.ActorAgent, ID: attempt}, Run: run}, true
}
