package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/textproto"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a server on a unix socket, as an attempt's sandbox sees it.
type world struct {
	t       testing.TB
	socket  string
	records chan Connection
	done    chan error
	cancel  context.CancelFunc
}

// start serves until the test ends. Names resolve to 127.0.0.1 and may be there,
// unless the options say otherwise.
func start(t testing.TB, o Options) *world {
	t.Helper()
	w := &world{t: t, socket: filepath.Join(t.TempDir(), "s"), records: make(chan Connection, 10_000), done: make(chan error, 1)}
	o.Record = func(c Connection) { w.records <- c }
	if o.Resolve == nil {
		o.Resolve = always("127.0.0.1")
	}
	l, err := net.Listen("unix", w.socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	s := New(o)
	go func() { w.done <- s.Serve(ctx, l) }()
	t.Cleanup(w.stop)
	return w
}

// stop ends the server and waits until it is gone.
func (w *world) stop() {
	w.cancel()
	select {
	case err := <-w.done:
		if err != nil {
			w.t.Errorf("Serve: %v", err)
		}
		w.done <- nil
	case <-waittest.Over():
		w.t.Fatal("Serve did not return")
	}
}

func (w *world) dial() *net.UnixConn {
	w.t.Helper()
	conn, err := net.Dial("unix", w.socket)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(waittest.Deadline())
	return conn.(*net.UnixConn)
}

// connect asks for a tunnel and returns it with the answer's status line.
func (w *world) connect(target string) (*net.UnixConn, *bufio.Reader, string) {
	w.t.Helper()
	conn := w.dial()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	r := bufio.NewReader(conn)
	head := textproto.NewReader(r)
	line, err := head.ReadLine()
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := head.ReadMIMEHeader(); err != nil {
		w.t.Fatal(err)
	}
	return conn, r, strings.TrimPrefix(line, "HTTP/1.1 ")
}

// record waits for the next record.
func (w *world) record() Connection {
	w.t.Helper()
	select {
	case c := <-w.records:
		if c.Start.IsZero() || c.End.Before(c.Start) {
			w.t.Errorf("the record's times are %v and %v", c.Start, c.End)
		}
		return c
	case <-waittest.Over():
		w.t.Fatal("no record came")
		return Connection{}
	}
}

// none checks that every record was asked for. The server must be stopped.
func (w *world) none() {
	w.t.Helper()
	w.stop()
	select {
	case c := <-w.records:
		w.t.Errorf("one record too many: %+v", c)
	default:
	}
}

// browser is an HTTP client that knows nothing but the proxy.
func (w *world) browser(scheme string, servers ...*httptest.Server) *http.Client {
	transport := &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: scheme, Host: "proxy.invalid:1"}),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", w.socket)
		},
		TLSClientConfig:   &tls.Config{RootCAs: roots(servers...)},
		ForceAttemptHTTP2: true,
	}
	w.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: waittest.Limit}
}

func roots(servers ...*httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AddCert(s.Certificate())
	}
	return pool
}

// get returns what a page says.
func get(c *http.Client, link string) (status int, body string, err error) {
	response, err := c.Get(link)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// always is a resolver with one answer.
func always(addresses ...string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		if strings.HasPrefix(host, "missing.") {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return addrs(addresses...), nil
	}
}

func addrs(texts ...string) []netip.Addr {
	found := make([]netip.Addr, len(texts))
	for i, text := range texts {
		found[i] = netip.MustParseAddr(text)
	}
	return found
}

func rules(t testing.TB, texts ...string) []Rule {
	t.Helper()
	list := make([]Rule, len(texts))
	for i, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = r
	}
	return list
}

// checked is what the list says about a host and a port.
func checked(p Policy, host string, port int) error {
	_, err := p.check(host, port)
	return err
}

func grants(t testing.TB, texts ...string) []Grant {
	t.Helper()
	list := make([]Grant, len(texts))
	for i, text := range texts {
		g, err := ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = g
	}
	return list
}

// local is a policy for hosts below example.com, on every port, on this machine.
func local(t testing.TB) Policy {
	return Policy{Allow: rules(t, "*.example.com:*"), Private: grants(t, "*.example.com=127.0.0.1")}
}

// page is a web server that says where a request came to.
func page(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func hello(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s", r.Host, r.URL.Path) }

// at is host:port with the port of a server.
func at(host string, addr net.Addr) string {
	return net.JoinHostPort(host, strconv.Itoa(addr.(*net.TCPAddr).Port))
}

// peer is a TCP server whose connections a function serves.
func peer(t testing.TB, serve func(*net.TCPConn)) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				go func() {
					defer func() { _ = conn.Close() }()
					serve(conn.(*net.TCPConn))
				}()
			}
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-gone })
	return l.Addr()
}

func echo(c *net.TCPConn) { _, _ = io.Copy(c, c); _ = c.CloseWrite() }
