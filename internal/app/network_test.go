package app_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/doorway"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// listening starts an engine that others reach, and returns it as its owner sees
// it, and its URL.
func listening(ctx context.Context, t *testing.T, opts app.Options) (svc api.Service, address string, stop func() error) {
	t.Helper()
	if opts.Network == nil {
		opts.Network = &network.Config{Listen: "127.0.0.1:0"}
	}
	svc, stop, err := app.Connect(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(opts.State, "network.url"))
	if err != nil {
		t.Fatal(err)
	}
	return svc, strings.TrimSpace(string(said)), stop
}

// knock is the status of a request, with a header.
func knock(ctx context.Context, t *testing.T, method, target, body, header, value string) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "code=") {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set(header, value)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Cookies()}
}

// answered is what of an answer is looked at.
type answered struct {
	StatusCode int
	cookies    []*http.Cookie
}

// TestAnEngineThatOthersReach: who was let in by one engine is known to the next,
// and an attempt is let in by none.
func TestAnEngineThatOthersReach(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	opts := app.Options{State: stateFolder(t), Version: "test"}
	owner, address, stop := listening(ctx, t, opts)
	token, err := owner.AddToken(ctx, api.AddToken{Name: "ada", Role: api.RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	code, err := owner.SignIn(ctx, api.SignIn{})
	if err != nil || !strings.HasPrefix(code.URL, address+"/sign-in#") {
		t.Fatal(code, err)
	}
	page, err := doorway.Open(opts.State, access.CodeName(code.Code), code.URL)
	if err != nil {
		t.Fatal(err)
	}
	in := knock(ctx, t, http.MethodPost, address+"/sign-in", url.Values{"code": {code.Code}}.Encode(), "Origin", address)
	if in.StatusCode != http.StatusSeeOther || len(in.cookies) != 1 {
		t.Fatalf("signed in: %d", in.StatusCode)
	}
	if _, err := os.Stat(page); !os.IsNotExist(err) {
		t.Errorf("the page that led to a used code is still there: %v", err)
	}
	if page, err = doorway.Open(opts.State, "killed", code.URL); err == nil { // by an engine that was killed
		err = os.Chtimes(page, time.Time{}, time.Now().Add(-time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
	cookie := in.cookies[0]
	attempts, err := api.OpenAttemptTokens(t.Context(), sqlitetest.Open(t, filepath.Join(opts.State, "stellwerk.db")))
	if err != nil {
		t.Fatal(err)
	}
	person, err := api.ReadPersonToken(filepath.Join(opts.State, api.PersonTokenFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, stranger := range map[string]string{"an attempt": attempts.Issue("r", "a"), "the owner's token of the socket": person} {
		if resp := knock(ctx, t, http.MethodPost, address+"/v1/runs/r/approve", "{}", "Authorization", "Bearer "+stranger); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(opts.State, "network.url")); !os.IsNotExist(err) {
		t.Errorf("it still says where it listens: %v", err)
	}
	opts.Network = &network.Config{Listen: strings.TrimPrefix(address, "http://")} // where browsers look for it
	_, address, stop = listening(ctx, t, opts)
	if _, err := os.Stat(page); !os.IsNotExist(err) {
		t.Errorf("the page that led to an old code is still there: %v", err)
	}
	if resp := knock(ctx, t, http.MethodGet, address+"/v1/runs", "", "Authorization", "Bearer "+token.Secret); resp.StatusCode != http.StatusOK {
		t.Errorf("a token after a restart: %d", resp.StatusCode)
	}
	remote, hangUp, err := app.DialRemote(address, token.Secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remote.AddToken(ctx, api.AddToken{Name: "eve", Role: api.RoleAdmin}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a viewer lets somebody in: %v", err)
	}
	if resp := knock(ctx, t, http.MethodGet, address+"/docs", "", "Cookie", cookie.Name+"="+cookie.Value); resp.StatusCode != http.StatusOK {
		t.Errorf("a session after a restart: %d", resp.StatusCode)
	}
	if resp := knock(ctx, t, http.MethodGet, address+"/readyz", "", "Accept", "text/plain"); resp.StatusCode != http.StatusOK {
		t.Errorf("ready: %d", resp.StatusCode)
	}
	if err := errors.Join(hangUp(), stop()); err != nil {
		t.Fatal(err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// comeBack opens an engine again at the address where it was. Any other process of
// the machine may have been given that port meanwhile; then the engine has a new
// one to come back to.
func comeBack(ctx context.Context, t *testing.T, state, usual, was string) (leave func()) {
	t.Helper()
	seen := []string{was}
	for range 10 {
		at, leave := elsewhere(ctx, t, state, usual)
		if at == seen[len(seen)-1] {
			return leave
		}
		leave()
		seen = append(seen, at)
	}
	t.Fatalf("it was never twice at the same address: %q", seen)
	return nil
}

// TestATakenAddress: where nobody asked for that one, another port does as well, and
// any number of engines on a machine are reached.
func TestATakenAddress(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	usual := taken.Addr().String()
	first, second := t.TempDir(), t.TempDir()
	at, leave := elsewhere(ctx, t, first, usual)
	other, leaveOther := elsewhere(ctx, t, second, usual)
	if at == other {
		t.Errorf("both are at %s", at)
	}
	leaveOther()
	leave()
	for state, was := range map[string]string{first: at, second: other} {
		defer comeBack(ctx, t, state, usual, was)()
	}
	opts := app.Options{State: stateFolder(t), Version: "test", Network: &network.Config{Listen: usual}}
	if _, _, err := app.Connect(ctx, opts); !errors.Is(err, network.ErrTaken) {
		t.Errorf("asked for in so many words: %v", err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// elsewhere starts an engine whose usual address is taken, and returns where it is
// instead.
func elsewhere(ctx context.Context, t *testing.T, state, usual string) (address string, stop func()) {
	t.Helper()
	log := &bytes.Buffer{}
	svc, end, err := app.Connect(ctx, app.Options{State: state, Version: "test", Log: log, Network: &network.Config{Listen: usual, AnyPort: true}})
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(state, "network.url"))
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(string(said))
	code, err := svc.SignIn(ctx, api.SignIn{})
	if err != nil || address == "http://"+usual || !strings.HasPrefix(code.URL, address+"/sign-in#") {
		t.Errorf("at %s the link is %s, %v", address, code.URL, err)
	}
	if resp := knock(ctx, t, http.MethodGet, address+"/readyz", "", "Accept", "text/plain"); resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %d", address, resp.StatusCode)
	}
	return address, func() {
		t.Helper()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := end(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "taken="+usual) || !strings.Contains(log.String(), "url="+address) {
			t.Errorf("it was not said: %s", log)
		}
	}
}
