package api_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestPersonTokenIsMadeOnceAndKeptPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), api.PersonTokenFile)
	if _, err := api.ReadPersonToken(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading a missing token: %v", err)
	}
	first, err := api.EnsurePersonToken(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 64 {
		t.Errorf("token %q", first)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if again, err := api.EnsurePersonToken(path); err != nil || again != first {
		t.Errorf("second call: %q, %v", again, err)
	}
}

// TestHowATokenIsShown: the name of the scheme may be written in any way.
func TestHowATokenIsShown(t *testing.T) {
	for header, want := range map[string]struct {
		token  string
		bearer bool
	}{
		"Bearer abc": {"abc", true}, "bearer abc": {"abc", true}, "BEARER  abc ": {"abc", true},
		"Basic abc": {"abc", false}, "abc": {"", false}, "": {"", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Authorization", header)
		if token, bearer := api.BearerToken(r); token != want.token || bearer != want.bearer {
			t.Errorf("%q shows %q, %v", header, token, bearer)
		}
	}
}

func TestATokenOthersCouldReadIsReplaced(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"readable by the group": func(p string) error { return os.Chmod(p, 0o640) },
		"readable by others":    func(p string) error { return os.Chmod(p, 0o604) },
		"writable by the group": func(p string) error { return os.Chmod(p, 0o620) },
		"writable by others":    func(p string) error { return os.Chmod(p, 0o602) },
		"short":                 func(p string) error { return os.WriteFile(p, []byte("abc"), 0o600) },
		"empty":                 func(p string) error { return os.WriteFile(p, nil, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), api.PersonTokenFile)
		first, err := api.EnsurePersonToken(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if _, err := api.ReadPersonToken(path); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("%s: read gave %v", name, err)
		}
		second, err := api.EnsurePersonToken(path)
		if err != nil || second == first {
			t.Errorf("%s: %v, same token: %v", name, err, second == first)
		}
		if _, err := api.ReadPersonToken(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
