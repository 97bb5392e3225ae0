package network_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestOtherMachinesComeByTLS(t *testing.T) {
	cert, key, _ := certificate(t, "engine.example")
	for name, c := range map[string]struct {
		config network.Config
		url    string // "" where it is refused
	}{
		"loopback":             {network.Config{Listen: "127.0.0.1:0"}, "http://127.0.0.1:"},
		"this machine":         {network.Config{Listen: ":0"}, "http://127.0.0.1:"},
		"by name":              {network.Config{Listen: "localhost:0"}, "http://127.0.0.1:"},
		"by a name of its own": {network.Config{Listen: "Stellwerk.localhost:0"}, "http://stellwerk.localhost:"},
		"by what is no name":   {network.Config{Listen: "a/b.localhost:0"}, ""},
		"everywhere":           {network.Config{Listen: "0.0.0.0:0"}, ""},
		"everywhere, IPv6":     {network.Config{Listen: "[::]:0"}, ""},
		"with TLS":             {network.Config{Listen: "0.0.0.0:0", Cert: cert, Key: key}, "https://engine.example:"},
		"half of TLS":          {network.Config{Listen: "127.0.0.1:0", Cert: cert}, ""},
		"wrong key":            {network.Config{Listen: "127.0.0.1:0", Cert: cert, Key: cert}, ""},
		"proxy":                {network.Config{Listen: "0.0.0.0:0", BehindProxy: true, Hosts: []string{"S.example"}}, "https://s.example"},
		"nameless proxy":       {network.Config{Listen: "127.0.0.1:0", BehindProxy: true}, ""},
		"proxy and TLS":        {network.Config{Listen: "127.0.0.1:0", BehindProxy: true, Hosts: []string{"s.example"}, Cert: cert, Key: key}, ""},
		"host with a scheme":   {network.Config{Listen: "127.0.0.1:0", Hosts: []string{"https://s.example"}}, ""},
		"any host":             {network.Config{Listen: "127.0.0.1:0", Hosts: []string{"*"}}, ""},
		"no port":              {network.Config{Listen: "127.0.0.1:http"}, ""},
		"too many colons":      {network.Config{Listen: "1:2:3"}, ""},
	} {
		l, err := network.Listen(t.Context(), c.config)
		if err != nil {
			if c.url != "" || core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) == "" {
				t.Errorf("%s: %v (%s)", name, err, wording.Hint(err))
			}
			continue
		}
		if c.url == "" || !strings.HasPrefix(l.URL(), c.url) {
			t.Errorf("%s: listens at %s", name, l.URL())
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestATakenPort(t *testing.T) {
	l, err := network.Listen(t.Context(), network.Config{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := network.Listen(t.Context(), network.Config{Listen: l.Addr().String()}); !errors.Is(err, network.ErrTaken) || wording.Hint(err) == "" {
		t.Error(err)
	}
}

func TestAPortThatNobodyNamed(t *testing.T) {
	taken, err := network.Listen(t.Context(), network.Config{Listen: "127.0.0.1:0", AnyPort: true})
	if err != nil || taken.Missed() != "" {
		t.Fatal(taken.Missed(), err)
	}
	defer func() { _ = taken.Close() }()
	l, err := network.Listen(t.Context(), network.Config{Listen: taken.Addr().String(), AnyPort: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if l.Missed() != taken.Addr().String() || l.URL() == taken.URL() || l.URL() != "http://"+l.Addr().String() {
		t.Errorf("%s was taken, and it listens at %s and says %s", l.Missed(), l.Addr(), l.URL())
	}
}

func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t, "engine.example")
	w := serve(t, network.Config{Cert: cert, Key: key})
	address := strings.TrimPrefix(w.url, "http://")
	w.url = "https://engine.example"
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		},
	}
	defer transport.CloseIdleConnections()
	w.http.Transport = transport
	a := w.ask(http.MethodGet, "/v1/runs", "", "Authorization", bearer(w.token(api.RoleViewer)))
	if a.StatusCode != http.StatusOK || a.ProtoMajor != 2 {
		t.Errorf("%d by HTTP/%d: %s", a.StatusCode, a.ProtoMajor, a.text)
	}
	in := w.signIn(w.code())
	if c := in.Cookies(); len(c) != 1 || !c[0].Secure || !strings.HasPrefix(c[0].Name, "__Host-") {
		t.Errorf("the cookie is %v", in.Cookies())
	}
}

// TestARenewedCertificate is shown to the next who connects, and half of one to
// nobody.
func TestARenewedCertificate(t *testing.T) {
	cert, key, _ := certificate(t, "engine.example")
	w := serve(t, network.Config{Cert: cert, Key: key})
	shown := func() []byte {
		t.Helper()
		c, err := tls.Dial("tcp", strings.TrimPrefix(w.url, "http://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		return c.ConnectionState().PeerCertificates[0].Raw
	}
	first := shown()
	renewed, renewedKey, _ := certificate(t, "engine.example")
	later := time.Now().Add(time.Hour)
	for i, move := range [][2]string{{renewed, cert}, {renewedKey, key}} {
		if err := errors.Join(os.Rename(move[0], move[1]), os.Chtimes(move[1], later, later)); err != nil {
			t.Fatal(err)
		}
		if i == 0 && !bytes.Equal(shown(), first) {
			t.Error("a certificate without its key is shown")
		}
	}
	if bytes.Equal(shown(), first) {
		t.Error("the old certificate is shown")
	}
}

func TestHealth(t *testing.T) {
	w := serve(t, network.Config{})
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n", "/metrics": "figures"} {
		if a := w.ask(http.MethodGet, path, ""); a.StatusCode != http.StatusOK || a.text != want {
			t.Errorf("%s: %d %q", path, a.StatusCode, a.text)
		}
	}
	w.down.Store(true)
	if a := w.ask(http.MethodGet, "/readyz", ""); a.StatusCode != http.StatusServiceUnavailable || strings.Contains(a.text, "secret") {
		t.Errorf("not ready: %d %q", a.StatusCode, a.text)
	}
	if a := w.ask(http.MethodGet, "/healthz", ""); a.StatusCode != http.StatusOK {
		t.Errorf("not healthy: %d", a.StatusCode)
	}
	proxied := serve(t, network.Config{BehindProxy: true, Hosts: []string{"s.example"}})
	if a := proxied.ask(http.MethodGet, "/metrics", "", "Host", "s.example"); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("metrics through a proxy: %d", a.StatusCode)
	}
	if a := proxied.ask(http.MethodGet, "/metrics", "", "Host", "s.example", "Authorization", bearer(proxied.token(api.RoleViewer))); a.text != "figures" {
		t.Errorf("metrics through a proxy with a token: %d", a.StatusCode)
	}
}

func TestDocs(t *testing.T) {
	w := serve(t, network.Config{})
	cookie := w.cookie()
	a := w.ask(http.MethodGet, "/docs", "", "Cookie", cookie)
	for _, want := range []string{"POST /v1/runs/{run}/approve", "Last-Event-ID", `href="#Problem"`, `id="Problem"`} {
		if !strings.Contains(a.text, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, never := range []string{"<script", "<style", "style=", "onclick", "src=", "@import"} {
		if strings.Contains(a.text, never) {
			t.Errorf("%q is on the page", never)
		}
	}
	doc := w.ask(http.MethodGet, "/openapi.json", "", "Authorization", bearer(w.token(api.RoleViewer)))
	if doc.StatusCode != http.StatusOK || !strings.Contains(doc.text, `"openapi":"3.1`) {
		t.Errorf("the document: %d %.80s", doc.StatusCode, doc.text)
	}
	for _, path := range []string{"/docs", "/openapi.json"} {
		if a := w.ask(http.MethodGet, path, ""); a.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s for a stranger: %d", path, a.StatusCode)
		}
	}
}
