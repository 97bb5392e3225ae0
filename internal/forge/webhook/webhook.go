// Package webhook reads what forges send when something happened to a pull
// request. A delivery is only a hint to look: anybody may send anything, and it
// may be late, lost or repeated. The package must not act on it, and keeps
// nothing itself.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// MaxBody bounds a delivery. Forges may send more; that hint is lost, and the
// next look sees what happened.
const MaxBody = 4 << 20

// maxID bounds the id of a delivery; forges use UUIDs.
const maxID = 128

// Reasons to refuse a delivery.
var (
	ErrSecret    = errors.New("the webhook has no secret, so Stellwerk cannot trust its deliveries")
	ErrSignature = errors.New("the webhook's signature is missing or wrong")
	ErrReplay    = errors.New("the webhook's delivery arrived before")
	ErrTooLarge  = errors.New("the webhook's delivery is too large")
	ErrMalformed = errors.New("the webhook's delivery cannot be read")
)

// Sender is a kind of forge that sends webhooks: GitHub() or Gitea().
type Sender struct {
	event, delivery, signature string   // headers
	signedBy                   string   // what the signature begins with
	events                     []string // that concern pull requests
}

// Verify reads a delivery and returns its body if its sender knows the secret
// and it was not taken before. The signature does not cover the id of a
// delivery, so the body identifies it too: two deliveries that say exactly the
// same are one hint.
func Verify(from Sender, secret forge.Secret, header http.Header, body io.Reader, taken *Recent) ([]byte, error) {
	if secret.Reveal() == "" {
		return nil, ErrSecret
	}
	raw, err := io.ReadAll(io.LimitReader(body, MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if len(raw) > MaxBody {
		return nil, ErrTooLarge
	}
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write(raw)
	sum := mac.Sum(nil)
	given, signed := strings.CutPrefix(header.Get(from.signature), from.signedBy)
	claimed, err := hex.DecodeString(given)
	if !signed || err != nil || !hmac.Equal(sum, claimed) {
		return nil, ErrSignature
	}
	id := header.Get(from.delivery)
	if id == "" || len(id) > maxID {
		return nil, fmt.Errorf("%w: the header %s names no delivery", ErrMalformed, from.delivery)
	}
	newBody, newID := taken.Remember("body "+hex.EncodeToString(sum)), taken.Remember("id "+id)
	if !newBody || !newID {
		return nil, ErrReplay
	}
	return raw, nil
}

// isJSON reports a body that is JSON and not a form with JSON in it.
func isJSON(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
