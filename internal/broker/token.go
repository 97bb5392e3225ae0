package broker

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// tokenBytes is as much randomness as the longest of the providers' own tokens has.
const tokenBytes = 69

// NewToken makes a token for one attempt. It looks like the provider's own, because agent programs check the shape, and
// only this attempt's broker accepts it.
func NewToken(kind Kind) (string, error) {
	prefix := ""
	switch kind {
	case APIKey, Bearer:
		prefix = "sk-ant-api03-"
	case OAuth:
		prefix = "sk-ant-oat01-"
	default:
		return "", fmt.Errorf("there is no token of the kind %q", kind)
	}
	random := make([]byte, tokenBytes)
	if _, err := rand.Read(random); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return prefix + base64.RawURLEncoding.EncodeToString(random), nil
}

// guard is the digest of the attempt's token, so that comparing takes the same time for every offered token.
type guard [sha256.Size]byte

func newGuard(token string) guard { return sha256.Sum256([]byte(token)) }

// admits reports that a request carries the token in one of the two headers that clients use.
func (g guard) admits(h http.Header) bool {
	admitted := 0
	for _, offered := range append(h.Values("X-Api-Key"), bearers(h)...) {
		digest := sha256.Sum256([]byte(offered))
		admitted |= subtle.ConstantTimeCompare(g[:], digest[:])
	}
	return admitted == 1
}

func bearers(h http.Header) []string {
	var tokens []string
	for _, value := range h.Values("Authorization") {
		scheme, token, ok := strings.Cut(value, " ")
		if ok && strings.EqualFold(scheme, "Bearer") {
			tokens = append(tokens, strings.TrimSpace(token))
		}
	}
	return tokens
}
