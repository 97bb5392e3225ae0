package forge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

const variable, value = "STELLWERK_TEST_FORGE_TOKEN", "ghp_abcDEF0123456789"

func file(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestToken(t *testing.T) {
	path := file(t, value+"\n", 0o600)
	if got, err := forge.Token("", path); err != nil || got.Reveal() != value {
		t.Errorf("from a file: %q, %v", got.Reveal(), err)
	}
	if got, err := forge.Token(variable, path); err != nil || got.Reveal() != value {
		t.Errorf("from a file, the variable unset: %q, %v", got.Reveal(), err)
	}
	t.Setenv(variable, " another \n")
	if got, err := forge.Token(variable, path); err != nil || got.Reveal() != "another" {
		t.Errorf("from a variable: %q, %v", got.Reveal(), err)
	}
}

func TestATokenFileMustBePrivate(t *testing.T) {
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o660, 0o400, 0o700, 0o000} {
		path := file(t, value, mode)
		_, err := forge.Token("", path)
		if err == nil || strings.Contains(err.Error(), value) {
			t.Fatalf("%04o: %v", mode, err)
		}
		if os.Geteuid() != 0 && mode == 0 { // not even readable
			continue
		}
		if !errors.Is(err, forge.ErrTokenFile) || !strings.Contains(err.Error(), "chmod 0600 "+path) {
			t.Errorf("%04o: %v", mode, err)
		}
	}
	if _, err := forge.Token("", t.TempDir()); !errors.Is(err, forge.ErrTokenFile) {
		t.Errorf("a folder: %v", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := forge.Token("", pipe); !errors.Is(err, forge.ErrTokenFile) {
		t.Errorf("a pipe: %v", err)
	}
}

func TestNoToken(t *testing.T) {
	for name, content := range map[string]string{
		"empty": " \n", "two lines": "one\ntwo", "a header": "x\r\nHost: evil", "too long": strings.Repeat("x", 5000), "not ASCII": "tökèn",
	} {
		if _, err := forge.Token("", file(t, content, 0o600)); !errors.Is(err, forge.ErrNoToken) || strings.Contains(err.Error(), "evil") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if _, err := forge.Token(variable, path); !errors.Is(err, forge.ErrNoToken) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := forge.Token("", ""); !errors.Is(err, forge.ErrNoToken) {
		t.Errorf("from nowhere: %v", err)
	}
}

func TestASecretDoesNotShow(t *testing.T) {
	holder := struct{ Token forge.Secret }{forge.NewSecret(value)}
	raw, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", holder.Token, "holder", holder)
	for _, text := range []string{
		string(raw), log.String(), fmt.Sprint(holder), fmt.Sprintf("%v %+v %#v %s %q", holder, holder, holder, holder.Token, holder.Token),
		holder.Token.Redact("it is " + value + "!"),
	} {
		if strings.Contains(text, value) {
			t.Errorf("it shows in %s", text)
		}
	}
}

func TestRetry(t *testing.T) {
	limited := fmt.Errorf("look: %w", &forge.Error{Kind: forge.ErrRateLimited, Op: "read", Status: 429, RetryAfter: time.Minute})
	if after, ok := forge.Retry(limited); !ok || after != time.Minute {
		t.Errorf("%v, %t", after, ok)
	}
	if got := limited.Error(); !strings.Contains(got, "429 Too Many Requests") || !strings.Contains(got, "try again in 1m") {
		t.Errorf("it says %q", got)
	}
	for _, kind := range []error{forge.ErrToken, forge.ErrForbidden, forge.ErrNotFound, forge.ErrRefused} {
		if _, ok := forge.Retry(&forge.Error{Kind: kind}); ok {
			t.Errorf("%v is to be tried again", kind)
		}
	}
}
