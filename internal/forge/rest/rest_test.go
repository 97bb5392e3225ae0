package rest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

const token = "a-token-that-nobody-may-see"

func options(base string) rest.Options {
	return rest.Options{BaseURL: base, Token: forge.NewSecret(token)}
}

func TestAddresses(t *testing.T) {
	for _, base := range []string{
		"", "forge.test", "ftp://forge.test", "https://", "http://forge.test", "http://10.0.0.1", "https://user:pw@forge.test", "https://forge.test?x=1", "::",
	} {
		if _, err := rest.New(options(base), "Bearer"); err == nil || strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: %v", base, err)
		}
	}
	for _, base := range []string{"https://forge.test", "https://forge.test/git/", "http://127.0.0.1:80", "http://localhost", "http://[::1]:3000"} {
		c, err := rest.New(options(base), "Bearer")
		if err != nil || !strings.HasSuffix(c.Base.String(), "/") {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := rest.New(rest.Options{BaseURL: "https://forge.test"}, "Bearer"); !errors.Is(err, forge.ErrNoToken) {
		t.Errorf("without a token: %v", err)
	}
}

func ask(t *testing.T, c *rest.Client, method, address string) (status int, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func TestTheTokenStaysAtHome(t *testing.T) {
	var given []string
	record := func(w http.ResponseWriter, r *http.Request) {
		given = append(given, r.Host+" "+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNoContent)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(record))
	t.Cleanup(elsewhere.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/", record)
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	mux.Handle("/away", http.RedirectHandler(elsewhere.URL, http.StatusFound))
	home := httptest.NewServer(mux)
	t.Cleanup(home.Close)
	c, err := rest.New(options(home.URL), "Bearer")
	if err != nil {
		t.Fatal(err)
	}
	if status, err := ask(t, c, http.MethodGet, home.URL+"/old"); err != nil || status != http.StatusNoContent {
		t.Errorf("a repository that was renamed: %d, %v", status, err)
	}
	for _, address := range []string{home.URL + "/away", elsewhere.URL} {
		if _, err := ask(t, c, http.MethodGet, address); err == nil {
			t.Errorf("%s was asked", address)
		}
	}
	if want := strings.TrimPrefix(home.URL, "http://") + " Bearer " + token; len(given) != 1 || given[0] != want {
		t.Errorf("given %v, want %s", given, want)
	}
}

// TestAWriteIsNotTurnedIntoARead checks that a client does not do what it was
// not asked to: it would follow the usual redirects of a POST with a GET.
func TestAWriteIsNotTurnedIntoARead(t *testing.T) {
	var methods []string
	mux := http.NewServeMux()
	mux.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	mux.HandleFunc("/new", func(_ http.ResponseWriter, r *http.Request) { methods = append(methods, r.Method) })
	home := httptest.NewServer(mux)
	t.Cleanup(home.Close)
	c, err := rest.New(options(home.URL), "Bearer")
	if err != nil {
		t.Fatal(err)
	}
	if status, err := ask(t, c, http.MethodPost, home.URL+"/old"); err != nil || len(methods) != 0 || status != http.StatusMovedPermanently {
		t.Errorf("%d, %v; then %v", status, err, methods)
	}
}

func TestAnAnswerIsBounded(t *testing.T) {
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range rest.MaxAnswer>>20 + 1 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	t.Cleanup(home.Close)
	c, err := rest.New(options(home.URL), "Bearer")
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, home.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // the answer is cut short
	if n, err := io.Copy(io.Discard, resp.Body); err == nil || n > rest.MaxAnswer {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestRepositories(t *testing.T) {
	for _, remote := range []string{
		"https://forge.test/acme/rocket", "https://forge.test/acme/rocket.git", "https://forge.test/acme/rocket/", "https://me:s3cret@FORGE.test:8443/acme/rocket.git",
		"git@forge.test:acme/rocket.git", "forge.test:acme/rocket", "ssh://git@forge.test:2222/acme/rocket.git", "https://forge.test/under/a/path/acme/rocket.git",
	} {
		if r, err := rest.At(remote, "forge.test"); err != nil || r.String() != "acme/rocket" {
			t.Errorf("%s: %v, %v", remote, r, err)
		}
	}
	for _, remote := range []string{
		"", "/srv/acme/rocket.git", "../acme/rocket", "https://other.test/acme/rocket", "git@other.test:acme/rocket", "https://forge.test/rocket",
		"https://forge.test/acme/..", "https://me:s3cret@other.test/a/b", "https://forge.test/acme/ro cket", "git@forge.test:acme/a%2Fb",
	} {
		r, err := rest.At(remote, "forge.test")
		if !errors.Is(err, rest.ErrRepository) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, %v", remote, r, err)
		}
	}
	for _, name := range []string{"", "acme", "acme/", "/rocket", "acme/rocket/x", "acme/.git", "-a/b", "a/b#c"} {
		if r, err := rest.Named(name); err == nil {
			t.Errorf("%q: %v", name, r)
		}
	}
}

func TestPreviews(t *testing.T) {
	const link = "https://x.example.test/1"
	for name, want := range map[string]bool{"deploy/preview": true, "netlify/site/deploy-Preview": true, "build": false} {
		if rest.IsPreview(name, link) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
	for _, address := range []string{"", "javascript:alert(1)", "//x", "file:///etc/passwd", "https://user:pw@x", "https://x/" + strings.Repeat("x", 3000)} {
		if rest.IsPreview("preview", address) {
			t.Errorf("%s is offered", address)
		}
	}
}
