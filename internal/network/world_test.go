package network_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(tests{m}) }

// tests end the server of databases before anybody looks what is left.
type tests struct{ *testing.M }

// Run implements goleak.TestingM.
func (m tests) Run() int {
	defer pgtest.Stop()
	return m.M.Run()
}

// world is an engine on the network, with a scripted service behind it.
type world struct {
	t      *testing.T
	svc    *apitest.Service
	db     io.Closer // what access is kept in
	engine string    // its name among those of the database
	access *access.Store
	url    string // where it really listens
	http   *http.Client
	down   atomic.Bool            // the engine cannot work
	used   atomic.Pointer[string] // the code by which somebody signed in last
}

func serve(t *testing.T, c network.Config) *world {
	t.Helper()
	return serveAs(t, c, "engine", sqlitetest.New(t))
}

// serveAs is an engine of a name on a database.
func serveAs(t *testing.T, c network.Config, engine string, db store.Store) *world {
	t.Helper()
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	w := &world{
		t: t, svc: &apitest.Service{Scenes: apitest.Scenes{Moves: make(chan api.Moved)}}, db: db, engine: engine,
		access: access.Open(db, "root", time.Now),
	}
	w.svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "brisk-otter", Status: core.StatusActive}})
	l, err := network.Listen(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	w.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- network.Serve(ctx, l, w.site()) }()
	transport := &http.Transport{}
	w.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return w
}

func (w *world) site() network.Site {
	guarded := api.Guard(w.svc)
	return network.Site{
		Access: w.access, Engine: w.engine, API: api.AdmittedHandler(guarded, "1"), Document: func() *huma.OpenAPI { return api.Describe("1") }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Cockpit: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			c := api.CallerFrom(r.Context())
			if r.Method != http.MethodGet {
				if _, err := guarded.Approve(r.Context(), "r1", api.Approve{}); err != nil {
					http.Error(rw, err.Error(), http.StatusForbidden)
					return
				}
			}
			fmt.Fprintf(rw, "cockpit %s %s %s", r.URL.Path, c.Actor.ID, c.Role)
		}),
		SignedIn: func(code string) { w.used.Store(&code) },
		Metrics:  http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "figures") }),
		Ready: func(context.Context) error {
			if w.down.Load() {
				return errors.New("the secret name of the database is gone")
			}
			return nil
		},
	}
}

// token makes one for a role.
func (w *world) token(role api.Role) string {
	w.t.Helper()
	_, secret, err := w.access.Add(w.t.Context(), fmt.Sprintf("%s %d", role, len(w.tokens())), role, "root")
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

func (w *world) tokens() []api.Token {
	w.t.Helper()
	list, err := w.access.List(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func (w *world) code() string {
	w.t.Helper()
	code, _, err := w.access.Code(w.t.Context(), api.Caller{Actor: core.Person("root")})
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

// answer is a response that was read whole.
type answer struct {
	*http.Response
	text string
}

// ask sends a request; headers come in pairs, and Host is the request's.
func (w *world) ask(method, path, body string, headers ...string) answer {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		w.t.Fatal(err)
	}
	return answer{resp, string(text)}
}

// signIn takes a code.
func (w *world) signIn(code string, headers ...string) answer {
	w.t.Helper()
	return w.ask(http.MethodPost, "/sign-in", url.Values{"code": {code}}.Encode(),
		append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

// cookie signs in as the owner and returns the cookie's header.
func (w *world) cookie() string {
	w.t.Helper()
	a := w.signIn(w.code())
	if a.StatusCode != http.StatusSeeOther || len(a.Cookies()) != 1 {
		w.t.Fatalf("signed in: %d %s", a.StatusCode, a.text)
	}
	c := a.Cookies()[0]
	return c.Name + "=" + c.Value
}

func bearer(token string) string { return "Bearer " + token }

const isJSON = "application/json"

// certificate makes one of its own for a name, and the pool that knows it.
func certificate(t *testing.T, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, pool
}
