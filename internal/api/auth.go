package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// PersonTokenFile is where the person's token lies in the state folder. No
// attempt can read it: the state folder is not part of any sandbox.
const PersonTokenFile = "person.token"

const tokenBytes = 32

// Authenticator says who holds a bearer token; false if nobody does.
type Authenticator interface {
	Authenticate(token string) (Caller, bool)
}

// PersonAuthenticator knows one token, that of the person who owns the state
// folder.
type PersonAuthenticator struct {
	digest [sha256.Size]byte
	caller Caller
}

// NewPersonAuthenticator takes callers that hold token for the named person.
func NewPersonAuthenticator(token, user string) *PersonAuthenticator {
	return &PersonAuthenticator{
		digest: sha256.Sum256([]byte(token)),
		caller: Caller{Actor: core.Person(user)},
	}
}

// Authenticate compares digests, so that neither content nor length of the
// token shows in the time it takes.
func (a *PersonAuthenticator) Authenticate(token string) (Caller, bool) {
	digest := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(digest[:], a.digest[:]) != 1 {
		return Caller{}, false
	}
	return a.caller, true
}

// EnsurePersonToken returns the token at path and creates it if there is
// none. A token that others could have read, or that is not one of ours, is
// replaced. Only the engine that holds the state folder may call it.
func EnsurePersonToken(path string) (string, error) { return ensureSecret(path, "the person's token") }

func ensureSecret(path, what string) (string, error) {
	token, err := readSecret(path, what)
	if err == nil {
		return token, nil
	}
	if !errors.Is(err, fs.ErrNotExist) && core.CodeOf(err) != core.CodeForbidden {
		return "", err
	}
	if token, err = newSecret(what); err != nil {
		return "", err
	}
	if err := writePrivate(path, token+"\n"); err != nil {
		return "", fmt.Errorf("write %s: %w", what, err)
	}
	return token, nil
}

func newSecret(what string) (string, error) {
	raw := make([]byte, tokenBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("make %s: %w", what, err)
	}
	return hex.EncodeToString(raw), nil
}

// writePrivate replaces the file at path by one that only its owner can read,
// whatever its mode was.
func writePrivate(path, content string) error {
	f, err := renameio.NewPendingFile(path, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(content))
	if err == nil {
		err = f.CloseAtomicallyReplace()
	}
	return errors.Join(err, f.Cleanup())
}

// ReadPersonToken reads the token at path. It fails with CodeForbidden where
// the file is open to others or does not hold a token.
func ReadPersonToken(path string) (string, error) { return readSecret(path, "the person's token") }

func readSecret(path, what string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return "", core.Errorf(core.CodeForbidden, "%s can be read by others (mode %04o)", path, perm).
			WithHint("restart the engine: it makes a new one")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	token := strings.TrimSpace(string(data))
	if raw, err := hex.DecodeString(token); err != nil || len(raw) != tokenBytes {
		return "", core.Errorf(core.CodeForbidden, "%s does not hold %s", path, what).
			WithHint("restart the engine: it makes a new one")
	}
	return token, nil
}

// personHint says where a person's token is.
const personHint = "send the token from " + PersonTokenFile + " in the state folder as a bearer token"

// authenticated lets only known callers pass, and notes who they are.
func authenticated(auth Authenticator, hint string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := BearerToken(r); ok {
			if holder, ok := auth.Authenticate(token); ok {
				spoken(w, r, holder, next)
				return
			}
		}
		WriteUnknown(w, hint)
	})
}

// BearerToken is the token that a request shows.
func BearerToken(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "bearer")
}

// WriteUnknown answers a request of somebody who is not known.
func WriteUnknown(w http.ResponseWriter, hint string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="stellwerk"`)
	NewProblem(http.StatusUnauthorized, "the engine does not know the token of this request", hint).Write(w)
}
