// Package rest is what forges over HTTP share: a client that sends the token to
// nobody else, answers of bounded size, failures by kind, lists read page by
// page, and a pull request that is opened once. It must not know any forge's API.
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

// errAstray says that a request would have gone to another server.
var errAstray = errors.New("the forge redirects to another address, and Stellwerk does not send the token there")

// Options says which forge is meant, and how it is reached.
type Options struct {
	BaseURL    string       // without TLS only on this machine: others could read the token on its way
	Token      forge.Secret // given in the header Authorization, to BaseURL's host alone
	Repository string       // owner/name, if the remote does not tell
	Timeout    time.Duration
}

// Client speaks to one forge.
type Client struct {
	HTTP *http.Client
	Base *url.URL // ends with a slash
	Host string   // of remotes
	// Explain, if it is not nil, adds to a failure what the library of the forge knows of its cause.
	Explain func(failure *forge.Error, cause error)

	token   forge.Secret
	named   *Repository
	opening chan struct{} // held by the one that opens a pull request
}

// New makes a client. It asks nothing yet. Scheme is that of the header Authorization: Bearer, token.
func New(o Options, scheme string) (*Client, error) {
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http":
		return nil, errors.New("the address of the forge must be a URL with https:// and a host")
	case base.User != nil:
		return nil, fmt.Errorf("the address of the forge %s contains credentials: put the token into the environment or a file", base.Redacted())
	case base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("the address of the forge %s must not have a query or a fragment", base)
	case base.Scheme == "http" && !loopback(base.Hostname()):
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
	c := &Client{Base: base, Host: base.Hostname(), token: o.Token, opening: make(chan struct{}, 1)}
	if o.Repository != "" {
		named, err := Named(o.Repository)
		if err != nil {
			return nil, err
		}
		c.named = &named
	}
	c.HTTP = &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: redirect,
		Transport:     &transport{client: c, scheme: scheme, inner: inner},
	}
	return c, nil
}

// Repository is the one that the options name, or else the one that the remote's address does.
func (c *Client) Repository(remote string) (Repository, error) {
	if c.named != nil {
		return *c.named, nil
	}
	return At(remote, c.Host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// redirect follows a repository that was renamed, but never turns a request
// that writes into one that reads. The transport refuses any other server.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects || req.Method != via[0].Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// transport adds the token to requests to the forge, and sends no other.
type transport struct {
	client *Client
	scheme string
	inner  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if base := t.client.Base; req.URL.Scheme != base.Scheme || req.URL.Host != base.Host {
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
