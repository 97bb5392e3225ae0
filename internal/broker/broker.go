// Package broker stands between an agent and its model's provider. The agent knows a loopback address and a token that is
// good for one attempt; the broker swaps the token for the credential, forwards the few requests that its provider has,
// reads from the answers what they cost, and ends an answer before it overdraws the attempt's account. It runs in the
// attempt's supervisor, outside the sandbox. It must not store or log the credential or what is said, and it has no limits
// of its own: the ledger has them.
package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// requestLimit bounds a request's body; providers take less.
const requestLimit = 64 << 20

// requestAtOnce bounds the buffer that a request gets in advance for the length in its header.
const requestAtOnce = 256 << 10

// Options say what a broker is made of.
type Options struct {
	Provider  Provider
	Upstream  *url.URL // of a gateway, its path included; nil for the provider's own
	Source    Source
	Token     string // what the agent presents
	Ledger    Ledger
	Prices    Prices
	Transport http.RoundTripper // nil: one that is like http.DefaultTransport
	Record    func(Exchange)    // called once for every request, when it is over
	Log       *slog.Logger
	// Closed refuses requests that have the provider connect to hosts which they name.
	Closed bool
}

// New makes the handler for one attempt. It serves below the provider's [Provider.Path].
func New(o Options) (http.Handler, error) {
	if o.Provider.dialect == nil {
		return nil, errors.New("the broker needs a provider of the table")
	}
	if o.Upstream == nil {
		own, err := url.Parse(o.Provider.Upstream)
		if err != nil {
			return nil, fmt.Errorf("the address of the provider %s: %w", o.Provider.Name, err)
		}
		o.Upstream = own
	}
	switch {
	case o.Upstream.Scheme != "http" && o.Upstream.Scheme != "https", o.Upstream.Host == "":
		return nil, errors.New("the provider's address must be a URL that begins with https:// or http://")
	case o.Upstream.User != nil, o.Upstream.RawQuery != "", o.Upstream.Fragment != "":
		return nil, errors.New("the provider's address must not contain a user, a query or a fragment; give the credential by itself")
	case o.Source == nil, o.Ledger == nil, o.Record == nil, o.Log == nil:
		return nil, errors.New("the broker needs a source for the credential, a ledger, a record and a log")
	case len(o.Token) < 32:
		return nil, errors.New("the attempt's token is too short to be secret; make it with NewToken")
	case len(o.Prices.models) == 0:
		return nil, errors.New("the broker needs a price list; read it with ReadPrices")
	}
	b := &broker{Options: o, guard: newGuard(o.Token), vault: vault{source: o.Source}}
	if b.Transport == nil {
		b.Transport = newTransport()
	}
	return b, nil
}

// newTransport is for few connections that answer slowly: a model may think for minutes before it answers.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: 32,
		ReadBufferSize:      pieceSize,
		DisableCompression:  true,
	}
}

type broker struct {
	Options
	guard guard
	vault vault
	room  room
}

func (b *broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{broker: b, w: w, r: r}
	x.record = Exchange{Start: time.Now(), Method: shorten(r.Method), Path: shorten(r.URL.Path)}
	defer func() {
		x.record.End = time.Now()
		b.Record(x.record)
	}()
	x.serve()
}

// exchange is one request under way.
type exchange struct {
	*broker
	w      http.ResponseWriter
	r      *http.Request
	record Exchange
}

func (x *exchange) serve() {
	if !x.guard.admits(x.r.Header) {
		x.refuse(http.StatusUnauthorized, "the token does not belong to this attempt")
		return
	}
	path, below := strings.CutPrefix(x.r.URL.EscapedPath(), x.Provider.Path())
	if path == "" {
		path = "/"
	}
	route, known := x.Provider.find(x.r.Method, path)
	if !below || !known {
		x.refuse(http.StatusForbidden, fmt.Sprintf("Stellwerk forwards only the requests that %s needs, and %s %s is not one",
			x.Provider.Name, x.record.Method, x.record.Path))
		return
	}
	came := &share{room: &x.room, from: http.MaxBytesReader(x.w, x.r.Body, requestLimit)}
	defer came.leave()
	body, ok := x.body(came)
	if !ok || !x.staysInside(body) {
		return
	}
	if !route.metered {
		x.forward(path, body, nil)
		return
	}
	x.metered(path, body)
}

// body reads the whole request, because its cost depends on all of it.
func (x *exchange) body(came io.Reader) ([]byte, bool) {
	if slices.ContainsFunc(x.r.Header.Values("Content-Encoding"), func(e string) bool { return e != "" && e != "identity" }) {
		x.refuse(http.StatusBadRequest, "the request is compressed; send it uncompressed, so that Stellwerk can tell what it may cost")
		return nil, false
	}
	var all bytes.Buffer
	all.Grow(int(min(max(x.r.ContentLength, 0), requestAtOnce)) + bytes.MinRead) // to avoid copies as it grows
	_, err := all.ReadFrom(came)
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errCrowded):
		x.refuse(http.StatusServiceUnavailable, "Stellwerk: "+err.Error()+"; try again when some of them are answered")
	case errors.As(err, &large):
		x.refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d MiB", requestLimit>>20))
	case err != nil:
		x.refuse(http.StatusBadRequest, "the request ended too early")
	}
	return all.Bytes(), err == nil
}

// staysInside refuses a request that would make the provider connect to hosts for an agent whose network is closed.
func (x *exchange) staysInside(body []byte) bool {
	if !x.Closed {
		return true
	}
	err := x.Provider.dialect.outward(body)
	if err != nil {
		x.refuse(http.StatusBadRequest, "the request asks the provider to connect to other hosts, but this attempt's network is closed: "+err.Error()+
			". Leave it out, and fetch what you need from hosts on the network list yourself")
	}
	return err == nil
}

// metered forwards a request within what the ledger sets aside for it.
func (x *exchange) metered(path string, body []byte) {
	request, err := x.Provider.dialect.request(body)
	if err != nil {
		x.refuse(http.StatusBadRequest, "Stellwerk cannot tell what the request may cost: "+err.Error())
		return
	}
	x.record.Model = shorten(request.model)
	if _, known := x.Prices.Of(request.model); !known {
		x.Log.Debug("the price list lacks this model; Stellwerk charges the highest price", "model", x.record.Model)
	}
	a, err := open(x.r.Context(), x.Ledger, x.Prices, request)
	if err != nil {
		x.exhausted(err)
		return
	}
	x.record.Reserved = a.held.Amount
	if a.output < request.output {
		body = request.clamp(a.output)
	}
	x.forward(path, body, a)
}

// StatusSpent refuses what the account does not cover. Clients retry 429 and all of 5xx, and take 403 for a wrong
// credential; they report this one to their user.
const StatusSpent = http.StatusPaymentRequired

// exhausted tells why nothing could be set aside.
func (x *exchange) exhausted(err error) {
	if !errors.Is(err, ledger.ErrExhausted) && x.r.Context().Err() == nil {
		x.Log.Error("cannot keep the attempt's account, so its request is refused", "err", err)
	}
	x.refuse(StatusSpent, overdrawn(err))
}

// overdrawn tells the agent, and readers of its transcript, about a limit.
func overdrawn(err error) string {
	if errors.Is(err, ledger.ErrExhausted) {
		return "Stellwerk: " + err.Error() + ". A person can raise the limit; repeating the request does not help."
	}
	return "Stellwerk cannot keep the account of this attempt, so it forwards nothing: " + err.Error()
}

// refuse answers in place of the provider.
func (x *exchange) refuse(status int, message string) {
	x.record.Status, x.record.Cause = status, message
	x.w.Header().Set("Content-Type", "application/json")
	if status < http.StatusInternalServerError {
		x.w.Header().Set("X-Should-Retry", "false")
	}
	x.w.WriteHeader(status)
	if _, err := x.w.Write(x.Provider.dialect.failure(status, message)); err != nil {
		x.Log.Debug("the agent did not wait for a refusal", "err", err)
	}
}

// settle charges a request. It takes no context, because it must happen even if the agent is gone.
func (x *exchange) settle(a *account, spent ledger.Spent) {
	x.record.Usage, x.record.USD, x.record.Reserved = spent.Usage, spent.USD, a.held.Amount
	if err := a.ledger.Settle(a.held, spent); err != nil {
		x.Log.Error("a request could not be charged to the attempt's account", "err", err)
	}
}
