package client

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	remoteDialTimeout = 10 * time.Second
	remotePatience    = 3 * time.Minute
)

// NewRemote talks to the engine at a URL, on another machine, in the name of who
// holds token; see api.WithoutFolders for what it leaves out and refuses. It does
// not connect yet. It refuses a URL to which the token would travel in the clear,
// and follows no redirect: the token is for that engine and for nobody else.
func NewRemote(address, token string) (*Client, error) {
	base, err := remoteBase(address)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: remoteDialTimeout}).DialContext,
		TLSHandshakeTimeout: remoteDialTimeout, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
	}
	return connected(&Client{
		base: base, where: base, hint: "check the address of --server, and that the engine there listens: stellwerk serve --listen …",
		token: token, patience: remotePatience, remote: true,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}), nil
}

func remoteBase(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", core.Errorf(core.CodeInvalid, "%.200q is not the address of an engine", address).
			WithHint("write it as https://HOST or https://HOST:PORT")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return "", core.Errorf(core.CodeInvalid, "an engine's address has a scheme, a host and a port, and no more").
			WithHint("write it as %s://%s; the token goes into STELLWERK_TOKEN or --token-file", u.Scheme, u.Host)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", core.Errorf(core.CodeInvalid, "http would send your token to %s unencrypted", u.Host).
			WithHint("use https://%s", u.Host)
	}
	return u.Scheme + "://" + u.Host, nil
}
