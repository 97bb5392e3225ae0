// Package egress is the one way out of an attempt's closed network. It serves
// CONNECT, plain HTTP and SOCKS5 on a socket that leads into the sandbox, checks
// every host and every address against a policy, and records each connection. It
// must not read what it carries beyond the name in a TLS ClientHello, must not
// resolve a name twice, and must not know who started the attempt.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"
)

const (
	defaultMaxConns = 256
	defaultIdle     = 10 * time.Minute
	defaultHeader   = 30 * time.Second
)

// Options is what a Server is made of. Only Policy is needed.
type Options struct {
	Policy Policy

	// Upstream is a company's proxy for every host that NoProxy does not name; it
	// may carry user and password. Its scheme is http or https. That proxy then
	// resolves names: the list still holds, but only the proxy can check where a name
	// leads.
	Upstream *url.URL
	NoProxy  string
	// UpstreamTLS is for an https proxy; nil trusts the system's authorities.
	UpstreamTLS *tls.Config

	// Resolve is called once for each connection; nil is the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	// Origin answers requests that are meant for the proxy itself (GET /path). Nil
	// answers 404.
	Origin http.Handler

	// Record is called exactly once for each connection that was asked for, when it
	// ends. Calls may come at the same time.
	Record func(Connection)

	// Advice is the second sentence of every refusal: what the agent should do
	// instead, and how a person allows the host. Each %s in it becomes host:port.
	Advice string

	MaxConns int           // at once; 256 if zero
	Header   time.Duration // for a request's header or SOCKS handshake; 30 seconds if zero
	Idle     time.Duration // a connection without traffic is cut after it; 10 minutes if zero
}

// Connection is one connection, or one request of plain HTTP, that the agent asked
// for.
type Connection struct {
	Start, End time.Time
	Protocol   string // connect, http, socks5; "" if it was cut before it said
	Host       string // canonical; a bounded line of ASCII if it could not be read
	Port       int
	Address    string // that was dialled, "" if none was; the upstream proxy's name if it was used
	Allowed    bool
	Cause      string // of a refusal or failure; "" if both sides ended it
	// Bytes to and from the host, those of the proxy's own answers not included.
	Sent, Received int64
}

// Server is the way out of one attempt's network.
type Server struct {
	o         Options
	slots     chan struct{}
	proxied   func(*url.URL) (*url.URL, error)
	transport *http.Transport
}

// New makes a server; it does nothing until Serve.
func New(o Options) *Server {
	o.MaxConns = cmp.Or(o.MaxConns, defaultMaxConns)
	o.Header = cmp.Or(o.Header, defaultHeader)
	o.Idle = cmp.Or(o.Idle, defaultIdle)
	if o.Resolve == nil {
		o.Resolve = resolve
	}
	if o.Record == nil {
		o.Record = func(Connection) {}
	}
	s := &Server{o: o, slots: make(chan struct{}, o.MaxConns), transport: plainTransport(o.Upstream)}
	if o.Upstream != nil {
		c := httpproxy.Config{HTTPSProxy: "http://upstream.invalid", NoProxy: o.NoProxy}
		s.proxied = c.ProxyFunc()
	}
	return s
}

// attempt is a connection that was asked for and has not ended.
type attempt struct {
	Connection
	record func(Connection)
}

func (s *Server) begin(protocol, host string, port int) *attempt {
	return &attempt{record: s.o.Record, Connection: Connection{Start: time.Now(), Protocol: protocol, Host: shown(host), Port: port}}
}

// refuse notes a refusal and returns it for the client.
func (a *attempt) refuse(cause string) *Refused {
	a.Allowed, a.Cause = false, cause
	return &Refused{a.Host, a.Port, cause}
}

func (a *attempt) end() {
	a.End = time.Now()
	a.record(a.Connection)
}
