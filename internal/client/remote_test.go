package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestATokenDoesNotTravelInTheClear(t *testing.T) {
	for address, fine := range map[string]bool{
		"https://engine.example": true, "https://engine.example:8443/": true, "http://localhost:7341": true,
		"http://127.0.0.1": true, "http://[::1]:7341": true,
		"http://engine.example": false, "http://10.0.0.1": false, "http://localhost.evil.example": false, "http://0.0.0.0": false,
		"engine.example": false, "ftp://engine.example": false, "https://": false, "https://ada:pw@engine.example": false,
		"https://engine.example/path": false, "https://engine.example?token=x": false, "https://engine.example#x": false, "": false,
	} {
		c, err := client.NewRemote(address, "t")
		switch {
		case err == nil:
			if !fine {
				t.Errorf("%s was taken", address)
			}
			_ = c.Close()
		case fine || core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) == "":
			t.Errorf("%s: %v", address, err)
		}
	}
}

// elsewhere is a server that no request of a test may reach in vain: it answers
// with handle.
func elsewhere(t *testing.T, handle http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c, err := client.NewRemote(server.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestNoRedirectIsFollowed(t *testing.T) {
	asked := make(chan struct{}, 1)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{} }))
	defer other.Close()
	c := elsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	if _, err := c.Info(t.Context()); err == nil {
		t.Error("the redirect is an answer")
	}
	if len(asked) > 0 {
		t.Error("the token went somewhere else")
	}
}

func TestAnUnknownCertificateIsRefused(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") }))
	defer server.Close()
	c, err := client.NewRemote(server.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Info(t.Context()); core.CodeOf(err) != core.CodeUnavailable {
		t.Error(err)
	}
}

func TestFoldersStayHere(t *testing.T) {
	c := elsewhere(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s arrived", r.Method, r.URL) })
	for name, call := range map[string]func(context.Context) error{
		"runs":     func(ctx context.Context) error { _, err := c.Runs(ctx, api.RunQuery{Dir: "/d"}); return err },
		"projects": func(ctx context.Context) error { _, err := c.Projects(ctx, api.ProjectQuery{Dir: "/d"}); return err },
		"start":    func(ctx context.Context) error { _, err := c.StartRun(ctx, api.StartRun{Dir: "/d"}); return err },
		"trust":    func(ctx context.Context) error { _, err := c.Trust(ctx, api.Trust{Dir: "/d"}); return err },
		"speak":    func(ctx context.Context) error { _, err := c.Speak(ctx, api.Speak{Project: "./d"}); return err },
		"messages": func(ctx context.Context) error { _, err := c.Messages(ctx, api.MessageQuery{Dir: "/d"}); return err },
		"swap": func(ctx context.Context) error {
			_, err := c.Swap(ctx, "r", api.Swap{Playbook: "./p.yaml"})
			return err
		},
	} {
		if err := call(t.Context()); core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	named := elsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("dir") {
			t.Errorf("%s names a folder", r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	})
	if _, err := named.Messages(t.Context(), api.MessageQuery{Project: "shop", Dir: "/d"}); err != nil {
		t.Error(err)
	}
	if _, err := named.Limits(t.Context(), api.LimitsQuery{Dir: "/d"}); err != nil {
		t.Error(err)
	}
}
