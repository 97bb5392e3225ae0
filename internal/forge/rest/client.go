// Package rest is what the forges that are asked over HTTP have in common: a
// client that gives the token to nobody else, answers of bounded size, failures
// told apart, and a pull request that is opened once. It must not know any
// forge's API.
package rest

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

const (
	// DefaultTimeout bounds one request with its answer.
	DefaultTimeout = 30 * time.Second
	// MaxAnswer bounds one answer.
	MaxAnswer = 16 << 20

	maxRedirects = 5
)

// errAstray says that a request would have left the forge.
var errAstray = errors.New("the forge redirects to another address, and Stellwerk does not send the token there")

// Options says how a forge is reached.
type Options struct {
	Base    string       // address of the API
	Token   forge.Secret // given in the header Authorization, to Base's host alone
	Scheme  string       // of that header: Bearer, token
	Timeout time.Duration
	// Plain allows addresses without TLS beyond this machine, where others can
	// read the token on its way.
	Plain bool
}

// Client speaks to one forge.
type Client struct {
	HTTP *http.Client
	Base *url.URL // ends with a slash

	token   forge.Secret
	opening chan struct{} // held by who opens a pull request
}

// New makes a client. It asks nothing yet.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.Base)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http":
		return nil, errors.New("the address of the forge must be a URL with https:// and a host")
	case base.User != nil:
		return nil, fmt.Errorf("the address of the forge %s contains credentials: put the token into the environment or a file", base.Redacted())
	case base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("the address of the forge %s must not have a query or a fragment", base)
	case base.Scheme == "http" && !o.Plain && !loopback(base.Hostname()):
		return nil, fmt.Errorf("the address of the forge %s has no TLS, so others could read the token; use https", base)
	case o.Token.Reveal() == "":
		return nil, forge.ErrNoToken
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	inner := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        10 * time.Second,
		MaxIdleConnsPerHost:    2,
		MaxResponseHeaderBytes: 256 << 10,
	}
	c := &Client{Base: base, token: o.Token, opening: make(chan struct{}, 1)}
	c.HTTP = &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: redirect,
		Transport:     &transport{client: c, scheme: o.Scheme, inner: inner},
	}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// redirect follows a repository that was renamed, but never turns a request
// that writes into one that reads. The transport leads nowhere else.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects || req.Method != via[0].Method {
		return http.ErrUseLastResponse
	}
	return nil
}

func (c *Client) home(u *url.URL) bool { return u.Scheme == c.Base.Scheme && u.Host == c.Base.Host }

// transport adds the token to requests to the forge, and sends no other.
type transport struct {
	client *Client
	scheme string
	inner  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.client.home(req.URL) {
		return nil, fmt.Errorf("%w: %s", errAstray, req.URL.Host)
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", t.scheme+" "+t.client.token.Reveal())
	resp, err := t.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, MaxAnswer)
	return resp, nil
}
