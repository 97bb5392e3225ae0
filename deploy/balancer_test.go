package deploy

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/servertest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const host = "stellwerk.example.com" // in haproxy.cfg

// team is two engines on one database behind the balancer of haproxy.cfg.
type team struct {
	t        *testing.T
	ctx      context.Context
	database *pgtest.Server
	way      *way     // to the database
	engines  []string // where they listen
	end      []func() error
	token    string
	balancer string
	client   *http.Client
}

func newTeam(ctx context.Context, t *testing.T) *team {
	t.Helper()
	haproxy := tooltest.Need(t, tooltest.HAProxy)
	tm := &team{t: t, ctx: ctx, database: pgtest.New(t), client: &http.Client{}}
	address := tm.wayTo(tm.database.Address("postgres"))
	states := []string{t.TempDir(), t.TempDir()} // they go after the engines
	t.Cleanup(func() {
		for i := range tm.end {
			tm.leave(i)
		}
	})
	for _, state := range states {
		port, err := servertest.FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		svc, stop, err := app.Connect(ctx, app.Options{
			State: filepath.Join(state, "state"), Version: "test", Database: address,
			Network: &network.Config{Listen: port, BehindProxy: true, Hosts: []string{host}},
		})
		if err != nil {
			t.Fatal(err)
		}
		tm.engines, tm.end = append(tm.engines, port), append(tm.end, stop)
		if tm.token != "" {
			continue
		}
		token, err := svc.AddToken(ctx, api.AddToken{Name: "ada", Role: api.RoleViewer})
		if err != nil {
			t.Fatal(err)
		}
		tm.token = token.Secret
	}
	tm.balance(haproxy)
	return tm
}

// way passes everything on to a database, or nothing while it hangs.
type way struct {
	net.Listener
	hanging sync.Mutex
	work    sync.WaitGroup
}

// wayTo is the address of a database by a way that can hang.
func (tm *team) wayTo(address string) string {
	tm.t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		tm.t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(tm.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		tm.t.Fatal(err)
	}
	w, database := &way{Listener: l}, to.Host
	tm.way = w
	tm.t.Cleanup(func() {
		_ = l.Close() // nobody comes any more
		w.work.Wait()
	})
	w.work.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			w.work.Go(func() { w.join(from, database) })
		}
	})
	to.Host = l.Addr().String()
	return to.String()
}

// join connects two ends until one closes.
func (w *way) join(from net.Conn, address string) {
	to, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		_ = from.Close()
		return
	}
	carry := func(to, from net.Conn) {
		defer func() { _, _ = to.Close(), from.Close() }()
		data := make([]byte, 32<<10)
		for {
			n, err := from.Read(data)
			w.hanging.Lock()
			w.hanging.Unlock() //nolint:staticcheck // it waits while the way hangs
			if n > 0 {
				if _, err := to.Write(data[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	w.work.Go(func() { carry(to, from) })
	carry(from, to)
}

// leave ends an engine, once.
func (tm *team) leave(i int) {
	tm.t.Helper()
	stop := tm.end[i]
	tm.end[i] = func() error { return nil }
	if err := stop(); err != nil {
		tm.t.Error(err)
	}
}

// balance starts HAProxy by haproxy.cfg, with other addresses and another certificate.
func (tm *team) balance(haproxy string) {
	t := tm.t
	t.Helper()
	dir := t.TempDir()
	pair := certificate(t, filepath.Join(dir, "stellwerk.pem"))
	address, err := servertest.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	settings := string(text)
	for there, here := range map[string]string{
		"bind :443": "bind " + address, "/etc/haproxy/stellwerk.pem": filepath.Join(dir, "stellwerk.pem"),
		"10.0.0.11:7341": tm.engines[0], "10.0.0.12:7341": tm.engines[1],
	} {
		if strings.Count(settings, there) != 1 {
			t.Fatalf("haproxy.cfg does not have one %s", there)
		}
		settings = strings.Replace(settings, there, here, 1)
	}
	file := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(tm.ctx, haproxy, "-c", "-f", file).CombinedOutput(); err != nil || strings.Contains(string(out), "WARNING") {
		t.Fatalf("haproxy -c: %v\n%s", err, out)
	}
	process, err := servertest.Start(exec.Command(haproxy, "-db", "-f", file), syscall.SIGKILL, filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(process.Kill)
	roots := x509.NewCertPool()
	roots.AddCert(pair)
	tm.client.Transport = &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		},
	}
	t.Cleanup(tm.client.CloseIdleConnections)
	tm.balancer = "https://" + host
	if err := process.Await(func(context.Context) error { return tm.answers(tm.balancer+"/readyz", http.StatusOK) }); err != nil {
		t.Fatal(err)
	}
}

// certificate writes one for host, with its key.
func certificate(t *testing.T, file string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// ask sends a request with the token of a person.
func (tm *team) ask(url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(tm.ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tm.token)
	if strings.HasPrefix(url, "https://") {
		return tm.client.Do(req)
	}
	req.Host = host // as the balancer's own questions
	return http.DefaultClient.Do(req)
}

// answers is an error unless a request is answered with a status.
func (tm *team) answers(url string, want int) error {
	resp, err := tm.ask(url)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode != want {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil
}

// until waits for an answer.
func (tm *team) until(what, url string, want int) {
	tm.t.Helper()
	var err error
	if !waittest.Until(func() bool { err = tm.answers(url, want); return err == nil }) {
		tm.t.Fatalf("%s: %v", what, err)
	}
}

// beat is a stream through the balancer that has begun to flow.
func (tm *team) beat() {
	tm.t.Helper()
	resp, err := tm.ask(tm.balancer + "/v1/watch")
	if err != nil {
		tm.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // nobody reads on
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if lines.Text() == "event: beat" {
			return
		}
	}
	tm.t.Errorf("%s, and the stream ended: %v", resp.Status, lines.Err())
}

// TestATeamBehindItsBalancer: requests and streams pass, also when an engine ends. While the database is away every engine lives, says
// in time that it is not ready, and is ready again when the database is back.
func TestATeamBehindItsBalancer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	tm := newTeam(ctx, t)
	tm.beat()

	away := func() {
		t.Helper()
		for _, engine := range tm.engines {
			if err := tm.answers("http://"+engine+"/readyz", http.StatusServiceUnavailable); err != nil {
				t.Error(err)
			}
			if err := tm.answers("http://"+engine+"/healthz", http.StatusOK); err != nil {
				t.Error(err)
			}
		}
	}
	tm.way.hanging.Lock()
	away()
	tm.way.hanging.Unlock()
	for _, engine := range tm.engines {
		tm.until("ready again, after the database hung", "http://"+engine+"/readyz", http.StatusOK)
	}

	tm.database.Kill()
	away()
	tm.until("the balancer has nobody to lead to", tm.balancer+"/readyz", http.StatusServiceUnavailable)
	if err := tm.database.Begin(); err != nil {
		t.Fatal(err)
	}
	for _, engine := range tm.engines {
		tm.until("ready again", "http://"+engine+"/readyz", http.StatusOK)
	}
	tm.until("the balancer leads somewhere again", tm.balancer+"/v1/runs", http.StatusOK)

	tm.leave(0)
	tm.until("the other engine answers", tm.balancer+"/v1/runs", http.StatusOK)
	for range 20 { // and never the one that has left
		if err := tm.answers(tm.balancer+"/v1/runs", http.StatusOK); err != nil {
			t.Error(err)
		}
	}
	tm.beat()
}
