package egress

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

const (
	answerBytes  = 1 << 20 // of a response's header
	continueTime = time.Second
)

// answer serves one HTTP request.
func (d *serving) answer(w http.ResponseWriter, r *http.Request, c *client) {
	switch {
	case r.Method == http.MethodConnect:
		d.connect(w, r, c)
	case r.URL.Scheme != "" || r.URL.Host != "":
		d.plain(w, r, c)
	case d.o.Origin != nil:
		d.o.Origin.ServeHTTP(w, r)
	default:
		http.Error(w, "This is a proxy and has no pages of its own: set it as HTTP_PROXY and HTTPS_PROXY.", http.StatusNotFound)
	}
}

// connect opens a tunnel.
func (d *serving) connect(w http.ResponseWriter, r *http.Request, c *client) {
	host, port, err := splitEndpoint(r.RequestURI)
	a := d.begin("connect", host, port)
	defer a.end()
	if err != nil {
		d.refuse(w, a.refuse(err.Error()))
		return
	}
	far, err := d.reach(r.Context(), a, host, port, tunnelled)
	if err != nil {
		d.refuse(w, err)
		return
	}
	defer func() { _ = far.Close() }() // the tunnel has noted how it ended
	early, err := hijack(w)
	if err != nil {
		a.Cause = err.Error()
		return
	}
	if _, err := io.WriteString(c.Conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		a.Cause = cause(err)
		return
	}
	d.carry(a, c.Conn, far, early)
}

// hijack takes a connection from the HTTP server and returns what the server read
// beyond the request.
func hijack(w http.ResponseWriter) ([]byte, error) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{}) // fails only with the connection
	return buffered.Peek(buffered.Reader.Buffered())
}

// plain forwards one request of plain HTTP on a connection of its own, so that its
// bytes are known and its address is checked.
func (d *serving) plain(w http.ResponseWriter, r *http.Request, c *client) {
	host, port, err := plainEndpoint(r.URL)
	a := d.begin("http", host, port)
	defer a.end()
	if err != nil {
		d.refuse(w, a.refuse(err.Error()))
		return
	}
	far, err := d.reach(r.Context(), a, host, port, forwarded)
	if err != nil {
		d.refuse(w, err)
		return
	}
	d.forward(w, r, c, a, far)
}

// forward sends a request on an open connection, closes that, and notes its bytes.
func (d *serving) forward(w http.ResponseWriter, r *http.Request, c *client, a *attempt, far *far) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	host := far.Conn
	watch := newWatch(d.o.Idle, func() { cancel(); _ = c.Close(); _ = host.Close() })
	defer watch.stop()
	wire := &meter{Conn: host, moved: watch.touch}
	far.Conn = wire
	body, passedOn := &answerBody{a: a}, false
	defer func() {
		a.Sent, a.Received = wire.settle()
		a.Cause = cmp.Or(watch.cause(), a.Cause, wire.cause())
		if a.Cause == "" && !passedOn {
			a.Cause = contextCause(r.Context())
		}
	}()
	// A host may answer before it has read everything.
	if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
		a.Cause = err.Error()
		return
	}
	p := httputil.ReverseProxy{
		Transport:     d.transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // the record has the cause
		Rewrite:       func(p *httputil.ProxyRequest) { direct(p, a.Host, a.Port) },
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode != http.StatusSwitchingProtocols {
				body.ReadCloser, r.Body = r.Body, body
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			a.Cause = cause(err)
			http.Error(w, endpoint(a.Host, a.Port)+" gave no answer: "+a.Cause, http.StatusBadGateway)
		},
	}
	p.ServeHTTP(w, r.WithContext(context.WithValue(ctx, openKey{}, far)))
	passedOn = body.ended // and it did not panic: a client that hangs up from here on has its answer
}

// plainEndpoint is where an absolute-form request wants to go. It refuses the port
// of TLS, on which nothing else may pass.
func plainEndpoint(u *url.URL) (string, int, error) {
	host, port, err := cutPort(u.Host)
	switch {
	case err != nil:
		return u.Host, 0, err
	case !strings.EqualFold(u.Scheme, "http"):
		return host, max(port, 0), errors.New("the proxy forwards plain http only; use CONNECT for anything else")
	case port == portHTTPS:
		return host, port, errors.New("port 443 is for TLS; use CONNECT")
	case port < 0:
		port = portHTTP
	}
	return host, port, nil
}

// direct names the canonical host in the request, and leaves the query as it is.
func direct(p *httputil.ProxyRequest, host string, port int) {
	p.Out.URL.Scheme = "http"
	p.Out.URL.Host = endpoint(host, port)
	if port == portHTTP {
		p.Out.URL.Host = strings.TrimSuffix(p.Out.URL.Host, ":80")
	}
	p.Out.Host = p.Out.URL.Host
	p.Out.URL.RawQuery = p.In.URL.RawQuery
}

// answerBody notes how an answer ended or broke off.
type answerBody struct {
	io.ReadCloser
	a     *attempt
	ended bool
}

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		b.ended = true
	default:
		b.a.Cause = cause(err)
	}
	return n, err
}

// contextCause says why a request ended before its answer did.
func contextCause(ctx context.Context) string {
	if ctx.Err() == nil {
		return ""
	}
	return cause(ctx.Err())
}

// openKey is where a request's context has the connection that was opened for it.
type openKey struct{}

// plainTransport sends each request on the connection that its context carries: it
// dials nothing itself.
func plainTransport(upstream *url.URL) *http.Transport {
	return &http.Transport{
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: answerBytes,
		ExpectContinueTimeout:  continueTime,
		Proxy: func(r *http.Request) (*url.URL, error) {
			if open, ok := r.Context().Value(openKey{}).(*far); !ok || !open.upstream {
				return nil, nil
			}
			// The connection to an https proxy has its TLS already.
			return &url.URL{Scheme: "http", Host: upstream.Host, User: upstream.User}, nil
		},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			open, ok := ctx.Value(openKey{}).(*far)
			if !ok {
				return nil, errors.New("no connection was opened for this request")
			}
			return open.Conn, nil
		},
	}
}
