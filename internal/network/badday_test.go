package network_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestForgedHosts: a page whose own name resolves to this machine gets nothing,
// on no route, with no credential.
func TestForgedHosts(t *testing.T) {
	w := serve(t, network.Config{Hosts: []string{"Cockpit.example"}})
	cookie, token := w.cookie(), w.token(api.RoleAdmin)
	for _, path := range []string{"/", "/v1/runs", "/sign-in", "/sign-in.js", "/assets/x.css", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/nothing"} {
		for _, host := range []string{"evil.example", "evil.example:7341", "127.0.0.1.evil.example", "127.0.0.2", "localhost.evil", "[::2]", "cockpit.example.evil", "evil.localhost", "stellwerk.localhost.evil", "evil.stellwerk.localhost"} {
			a := w.ask(http.MethodGet, path, "", "Host", host, "Cookie", cookie, "Authorization", bearer(token))
			if a.StatusCode != http.StatusMisdirectedRequest {
				t.Errorf("%s as %s: %d", path, host, a.StatusCode)
			}
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:80", "stellwerk.localhost:7341", "127.0.0.1:9", "cockpit.example", "cockpit.example.:443"} {
		if a := w.ask(http.MethodGet, "/v1/runs", "", "Host", host, "Authorization", bearer(token)); a.StatusCode != http.StatusOK {
			t.Errorf("as %s: %d", host, a.StatusCode)
		}
	}
}

// TestOtherSites: what a page of another site has a browser send changes nothing,
// though the browser were to send the cookie.
func TestOtherSites(t *testing.T) {
	w := serve(t, network.Config{})
	cookie, token := w.cookie(), w.token(api.RoleAdmin)
	for name, headers := range map[string][]string{
		"origin":           {"Origin", "https://evil.example"},
		"opaque origin":    {"Origin", "null"},
		"cross-site":       {"Sec-Fetch-Site", "cross-site"},
		"same site":        {"Sec-Fetch-Site", "same-site"},
		"forged and told":  {"Origin", w.url, "Sec-Fetch-Site", "cross-site"},
		"another port":     {"Origin", "http://127.0.0.1:1"},
		"only the scheme":  {"Origin", "http://"},
		"host as a prefix": {"Origin", w.url + ".evil.example"},
	} {
		for _, path := range []string{"/approve", "/v1/runs/r1/approve", "/sign-in", "/sign-out"} {
			a := w.ask(http.MethodPost, path, "{}", append([]string{"Cookie", cookie, "Authorization", bearer(token), "Content-Type", isJSON}, headers...)...)
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("%s to %s: %d", name, path, a.StatusCode)
			}
		}
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("it came to %v", calls)
	}
	a := w.ask(http.MethodPost, "/approve", "", "Cookie", cookie, "Origin", w.url, "Sec-Fetch-Site", "same-origin")
	if a.StatusCode != http.StatusOK || len(w.svc.Calls()) != 1 {
		t.Errorf("the engine's own page: %d %s", a.StatusCode, a.text)
	}
	if got := a.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("others may read it: %s", got)
	}
}

func TestHeadersOnEveryAnswer(t *testing.T) {
	w := serve(t, network.Config{})
	for _, path := range []string{"/", "/v1/runs", "/sign-in", "/sign-in.js", "/healthz", "/nothing"} {
		h := w.ask(http.MethodGet, path, "").Header
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
	}
}

func TestGuessing(t *testing.T) {
	w := serve(t, network.Config{})
	right := w.code()
	statuses := map[int]int{}
	for i := range 20 {
		statuses[w.signIn(fmt.Sprintf("%016d", i)).StatusCode]++
	}
	if statuses[http.StatusForbidden] != 10 || statuses[http.StatusTooManyRequests] != 10 {
		t.Errorf("guessed codes: %v", statuses)
	}
	if a := w.signIn("WRONG"); a.Header.Get("Retry-After") == "" || len(a.Cookies()) != 0 {
		t.Errorf("another: %v", a.Header)
	}
	if a := w.signIn(right); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the person beside an agent that guesses: %d", a.StatusCode)
	}
	token := w.token(api.RoleViewer)
	clear(statuses)
	for i := range 40 {
		statuses[w.ask(http.MethodGet, "/v1/runs", "", "Authorization", bearer(fmt.Sprintf("stw_%064d", i))).StatusCode]++
	}
	if statuses[http.StatusUnauthorized] != 30 || statuses[http.StatusTooManyRequests] != 10 {
		t.Errorf("guessed tokens: %v", statuses)
	}
	if a := w.ask(http.MethodGet, "/v1/runs", "", "Authorization", bearer(token)); a.StatusCode != http.StatusOK {
		t.Errorf("a right token beside a guesser: %d", a.StatusCode)
	}
}

// TestThisMachineByIPv6: it is this machine, and not the network that begins as
// its address does.
func TestThisMachineByIPv6(t *testing.T) {
	if l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "[::1]:0"); err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	} else if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w := serve(t, network.Config{Listen: "[::1]:0"})
	for range 11 {
		w.signIn("WRONG")
	}
	if a := w.signIn("WRONG"); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("who goes on guessing: %d", a.StatusCode)
	}
	if a := w.signIn(w.code()); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the person beside an agent that guesses: %d", a.StatusCode)
	}
	if a := w.ask(http.MethodGet, "/metrics", ""); a.text != "figures" {
		t.Errorf("metrics: %d", a.StatusCode)
	}
	proxied := serve(t, network.Config{BehindProxy: true, Hosts: []string{"s.example"}})
	for i := range 11 {
		proxied.signIn("WRONG", "Host", "s.example", "X-Forwarded-For", fmt.Sprintf("2001:db8::%d", i))
	}
	if a := proxied.signIn(proxied.code(), "Host", "s.example", "X-Forwarded-For", "2001:db8::ffff"); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("who guesses with many addresses of one network: %d", a.StatusCode)
	}
	if a := proxied.signIn(proxied.code(), "Host", "s.example", "X-Forwarded-For", "2001:db8:0:1::1"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a neighbour: %d", a.StatusCode)
	}
}

// TestAProxySaysWhoGuesses: one guesser behind it does not lock the others out,
// and cannot choose to be another.
func TestAProxySaysWhoGuesses(t *testing.T) {
	w := serve(t, network.Config{BehindProxy: true, Hosts: []string{"s.example"}})
	for i := range 11 {
		w.signIn("WRONG", "Host", "s.example", "X-Forwarded-For", fmt.Sprintf("10.0.0.%d, 192.0.2.1", i))
	}
	if a := w.signIn(w.code(), "Host", "s.example", "X-Forwarded-For", "10.9.9.9, 192.0.2.1"); a.StatusCode != http.StatusTooManyRequests || len(a.Cookies()) != 0 {
		t.Errorf("the guesser: %d", a.StatusCode)
	}
	if a := w.signIn(w.code(), "Host", "s.example", "X-Forwarded-For", "192.0.2.2"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("somebody else: %d", a.StatusCode)
	}
	direct := serve(t, network.Config{})
	for i := range 11 {
		direct.signIn("WRONG", "X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i))
	}
	if a := direct.signIn("WRONG", "X-Forwarded-For", "10.9.9.9"); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a guesser who says there is a proxy: %d", a.StatusCode)
	}
}

// TestALineThatAProxyAdds: some proxies add a line of their own below what they
// were sent, and the last one is theirs.
func TestALineThatAProxyAdds(t *testing.T) {
	w := serve(t, network.Config{BehindProxy: true, Hosts: []string{"s.example"}})
	for i := range 11 {
		w.signIn("WRONG", "Host", "s.example", "X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i), "X-Forwarded-For", "10.7.7.7, 192.0.2.1")
	}
	if a := w.signIn(w.code(), "Host", "s.example", "X-Forwarded-For", "10.9.9.9", "X-Forwarded-For", "192.0.2.1"); a.StatusCode != http.StatusTooManyRequests || len(a.Cookies()) != 0 {
		t.Errorf("the guesser: %d", a.StatusCode)
	}
	if a := w.signIn(w.code(), "Host", "s.example", "X-Forwarded-For", "192.0.2.1", "X-Forwarded-For", "192.0.2.2"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("somebody whom the guesser names: %d", a.StatusCode)
	}
}

// TestSlowLoris: connections that send next to nothing end, and others are served
// meanwhile.
func TestSlowLoris(t *testing.T) {
	t.Parallel()
	w := serve(t, network.Config{})
	token := w.token(api.RoleAdmin)
	address := strings.TrimPrefix(w.url, "http://")
	var slow []net.Conn
	for i, begin := range []string{
		"GET / HTTP/1.1\r\nHost: localhost\r\nX-",
		"",
		"POST /v1/runs/r1/approve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nAuthorization: Bearer " + token + "\r\n\r\n{",
		"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ncode=",
		"POST /v1/runs/r1/approve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"POST /runs/r1/approve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ns",
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
		"POST /v1/runs/r1/approve HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer " + token + "\r\n\r\n5\r\n{",
		"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n\r\n{",
		"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nContent-Length: 100\r\n\r\n{",
	} {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(i, err)
		}
		defer func() { _ = c.Close() }()
		if _, err := c.Write([]byte(begin)); err != nil {
			t.Fatal(i, err)
		}
		slow = append(slow, c)
	}
	if a := w.ask(http.MethodGet, "/v1/runs", "", "Authorization", bearer(token)); a.StatusCode != http.StatusOK {
		t.Errorf("beside them: %d", a.StatusCode)
	}
	ended := waittest.Deadline()
	for i, c := range slow {
		if err := c.SetReadDeadline(ended); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(c)
		for {
			if _, err := r.ReadString('\n'); err != nil {
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("connection %d is still open", i)
				}
				break
			}
		}
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("half a request came to %v", calls)
	}
}

func TestTooLarge(t *testing.T) {
	w := serve(t, network.Config{})
	token, cookie := w.token(api.RoleAdmin), w.cookie()
	large := `{"comment":"` + strings.Repeat("x", 1<<20) + `"}`
	if a := w.ask(http.MethodPost, "/v1/runs/r1/approve", large, "Authorization", bearer(token), "Content-Type", isJSON); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body for the API: %d", a.StatusCode)
	}
	if a := w.ask(http.MethodPost, "/approve", large, "Cookie", cookie, "Origin", w.url); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body for the cockpit: %d", a.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/v1/runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", bearer(token))
	req.Header.Set("X-Large", strings.Repeat("x", 128<<10))
	if resp, err := w.http.Do(req); err == nil { // or the connection ends while they are sent
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("headers: %d", resp.StatusCode)
		}
		_ = resp.Body.Close()
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("it came to %v", calls)
	}
}

func TestOnlyJSONIsWritten(t *testing.T) {
	w := serve(t, network.Config{})
	token := w.token(api.RoleAdmin)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", "application/json, text/plain"} {
		a := w.ask(http.MethodPost, "/v1/runs/r1/approve", "{}", "Authorization", bearer(token), "Content-Type", kind)
		if a.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %d", kind, a.StatusCode)
		}
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("it came to %v", calls)
	}
	if a := w.ask(http.MethodPost, "/v1/runs/r1/approve", "{}", "Authorization", bearer(token), "Content-Type", "application/json; charset=utf-8"); a.StatusCode != http.StatusOK {
		t.Errorf("JSON: %d %s", a.StatusCode, a.text)
	}
}

// TestTraversalInIDs: odd names are passed on as names, or refused. That they reach
// no file of a real engine is held in package app.
func TestTraversalInIDs(t *testing.T) {
	w := serve(t, network.Config{})
	token := w.token(api.RoleAdmin)
	for _, id := range []string{"..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "r1%00", "..%5c..", "r1/../../sign-in", "%252e%252e"} {
		for _, path := range []string{"/v1/runs/" + id, "/v1/runs/" + id + "/diff", "/v1/runs/r1/artifacts/" + id, "/v1/projects/" + id + "x", "/assets/" + id} {
			a := w.ask(http.MethodGet, path, "", "Authorization", bearer(token))
			if a.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s: %d %.80s", path, a.StatusCode, a.text)
			}
			if strings.HasPrefix(path, "/v1/runs/"+id) && a.StatusCode == http.StatusOK {
				t.Errorf("%s found a run", path)
			}
		}
	}
	for _, next := range []string{"//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/%2f/evil.example", "evil"} {
		a := w.ask(http.MethodPost, "/sign-in", url.Values{"code": {w.code()}, "next": {next}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		if to := a.Header.Get("Location"); to != "/" {
			t.Errorf("%q leads to %q", next, to)
		}
	}
}

// TestGetChangesNothing asks every endpoint that can be read, with everything a
// word would need.
func TestGetChangesNothing(t *testing.T) {
	w := serve(t, network.Config{})
	token, cookie := w.token(api.RoleAdmin), w.cookie()
	asked := 0
	for path, item := range api.Describe("1").Paths {
		path = strings.NewReplacer("{run}", "r1", "{attempt}", "a", "{name}", "n", "{project}", "p", "{question}", "q", "{session}", "s", "{token}", "t", "{seq}", "1", "{digest}", "d").Replace(path)
		if item.Get == nil || strings.HasSuffix(path, "/follow") || path == "/v1/watch" { // a stream has no end here
			if item.Get == nil {
				a := w.ask(http.MethodGet, path, "{}", "Authorization", bearer(token), "Content-Type", isJSON)
				if a.StatusCode != http.StatusMethodNotAllowed && a.StatusCode != http.StatusNotFound {
					t.Errorf("GET %s: %d", path, a.StatusCode)
				}
			}
			continue
		}
		asked++
		w.ask(http.MethodGet, path, "", "Authorization", bearer(token))
	}
	for _, path := range []string{"/sign-in?code=" + w.code(), "/sign-out"} {
		w.ask(http.MethodGet, path, "", "Cookie", cookie)
	}
	readings := []string{"diff", "replay", "detail", "details", "show plan", "run-at", "prompt", "document", "position", "watch", "export-history"}
	for _, call := range w.svc.Calls() {
		if !slices.Contains(readings, call.Verb) {
			t.Errorf("%s was carried out", call.Verb)
		}
	}
	if asked < 15 {
		t.Errorf("only %d endpoints were asked", asked)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", cookie); a.StatusCode != http.StatusOK {
		t.Errorf("signed out by looking: %d", a.StatusCode)
	}
}

func TestWhoMayNot(t *testing.T) {
	w := serve(t, network.Config{})
	attempts, err := api.OpenAttemptTokens(t.Context(), sqlitetest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	viewer := w.token(api.RoleViewer)
	for name, c := range map[string]struct {
		token  string
		status int
		more   []string
	}{
		"a viewer":              {viewer, http.StatusForbidden, nil},
		"a viewer in a session": {viewer, http.StatusForbidden, []string{api.SessionHeader, "5f0c1d2e-session"}},
		"an attempt":            {attempts.Issue("r1", "build.r1.a1"), http.StatusUnauthorized, nil},
		"a stranger":            {"", http.StatusUnauthorized, nil},
		"a cookie":              {"", http.StatusUnauthorized, []string{"Cookie", w.cookie()}},
		"an approver":           {w.token(api.RoleApprover), http.StatusOK, nil},
	} {
		before := len(w.svc.Calls())
		headers := append([]string{"Content-Type", isJSON}, c.more...)
		if c.token != "" {
			headers = append(headers, "Authorization", bearer(c.token))
		}
		a := w.ask(http.MethodPost, "/v1/runs/r1/approve", "{}", headers...)
		if a.StatusCode != c.status || len(w.svc.Calls()) > before && c.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.text)
		}
	}
	if a := w.ask(http.MethodGet, "/v1/runs?token="+viewer, ""); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token in the URL: %d", a.StatusCode)
	}
}

// TestAStreamEndsWithItsToken: whoever is shut out hears nothing more.
func TestAStreamEndsWithItsToken(t *testing.T) {
	w := serve(t, network.Config{})
	token := w.token(api.RoleViewer)
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/v1/runs/r1/follow", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", bearer(token))
	resp, err := w.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := w.access.Revoke(t.Context(), w.tokens()[0].ID, "root"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err == nil || ctx.Err() != nil {
		t.Errorf("the stream goes on: %v", err)
	}
	w.svc.Happen("r1", time.Now(), core.Person("ada"), core.RunCancelled{}, nil)
}
