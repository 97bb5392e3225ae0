package forge

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
)

// Reasons why there is no token.
var (
	ErrNoToken   = errors.New("no token")
	ErrTokenFile = errors.New("the token file is not private")
)

// maxToken bounds a token; the longest in use have some hundred characters.
const maxToken = 4 << 10

// Secret is a value that stays hidden when it is printed, logged or encoded.
type Secret struct{ value string }

// NewSecret makes a secret.
func NewSecret(value string) Secret { return Secret{value: value} }

// Reveal returns the value, for the one place that hands it on.
func (s Secret) Reveal() string { return s.value }

// Redact takes the secret out of a text.
func (s Secret) Redact(text string) string {
	if s.value == "" {
		return text
	}
	return strings.ReplaceAll(text, s.value, s.String())
}

func (Secret) String() string                 { return "[secret]" }
func (s Secret) GoString() string             { return s.String() }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(s.String()) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Token reads a token from the environment variable env or, if that is unset
// or empty, from the file at path. Either may be "". The file must be a regular
// one of mode 0600 that belongs to the current user. No failure contains any of
// the token.
func Token(env, path string) (Secret, error) { return TokenFrom(os.Getenv, env, path) }

// TokenFrom is Token with another environment than that of this process.
func TokenFrom(getenv func(string) string, env, path string) (Secret, error) {
	if env != "" {
		if value := strings.TrimSpace(getenv(env)); value != "" {
			return check(value, "the environment variable "+env)
		}
	}
	if path == "" {
		if env == "" {
			return Secret{}, fmt.Errorf("%w: name an environment variable or a file of mode 0600 that holds it", ErrNoToken)
		}
		return Secret{}, fmt.Errorf("%w: the environment variable %s is not set, and no file is named", ErrNoToken, env)
	}
	return readToken(path)
}

func readToken(path string) (Secret, error) {
	// A named pipe must not hold the engine up.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Secret{}, fmt.Errorf("%w: read the token file: %w", ErrNoToken, err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	info, err := file.Stat()
	if err != nil {
		return Secret{}, fmt.Errorf("%w: read the token file: %w", ErrNoToken, err)
	}
	if !info.Mode().IsRegular() {
		return Secret{}, fmt.Errorf("%w: %s is not a regular file", ErrTokenFile, path)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		return Secret{}, fmt.Errorf("%w: %s has mode %04o; run chmod 0600 %s", ErrTokenFile, path, mode, path)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return Secret{}, fmt.Errorf("%w: %s belongs to another user", ErrTokenFile, path)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err != nil {
		return Secret{}, fmt.Errorf("%w: read the token file: %w", ErrNoToken, err)
	}
	return check(strings.TrimSpace(string(raw)), "the file "+path)
}

func check(value, source string) (Secret, error) {
	switch {
	case value == "":
		return Secret{}, fmt.Errorf("%w: %s is empty", ErrNoToken, source)
	case len(value) > maxToken:
		return Secret{}, fmt.Errorf("%w: %s contains more than a token", ErrNoToken, source)
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return Secret{}, fmt.Errorf("%w: %s contains characters that no token has", ErrNoToken, source)
	}
	return Secret{value: value}, nil
}
