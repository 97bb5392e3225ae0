package broker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// forward sends a request to the provider and its answer to the agent. It settles the account in every case.
func (x *exchange) forward(path string, body []byte, a *account) {
	var sent atomic.Bool
	answer, err := x.send(path, body, &sent)
	if err != nil {
		x.unanswered(err, a, sent.Load())
		return
	}
	defer func() {
		if err := answer.Body.Close(); err != nil {
			x.Log.Debug("closing the provider's answer", "err", err)
		}
	}()
	x.record.Status = answer.StatusCode
	switch {
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		x.settleNothing(a)
		x.refuse(http.StatusBadGateway, "the provider's address redirects, and Stellwerk follows no redirects; "+
			"a person must set the address that it redirects to")
	case encoded(answer.Header):
		x.settleEstimate(a)
		x.refuse(http.StatusBadGateway, "the provider compressed its answer without being asked, so Stellwerk cannot read what it costs")
	case a == nil || answer.StatusCode >= 400:
		x.settleNothing(a)
		x.start(answer)
		x.copy(answer.Body)
	default:
		x.start(answer)
		x.relay(answer.Body, a, eventStream(answer.Header))
	}
}

// send asks the provider, and once more if it refused the credential and the source has a new one.
func (x *exchange) send(path string, body []byte, sent *atomic.Bool) (*http.Response, error) {
	ctx := httptrace.WithClientTrace(x.r.Context(), &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) { sent.Store(info.Err == nil) },
	})
	credential, err := x.vault.get(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := x.once(ctx, path, body, credential)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	other, renewed, err := x.vault.renew(ctx, credential)
	if err != nil {
		x.Log.Warn("the provider refused the credential, and there is no other", "err", err)
	}
	if !renewed {
		return answer, nil
	}
	if err := answer.Body.Close(); err != nil {
		x.Log.Debug("closing the provider's answer", "err", err)
	}
	return x.once(ctx, path, body, other)
}

func (x *exchange) once(ctx context.Context, path string, body []byte, c Credential) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, x.r.Method, x.address(path), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		request.Body = http.NoBody
	}
	request.Header = forwarded(x.r.Header)
	x.Provider.present(request.Header, c)
	return x.Transport.RoundTrip(request)
}

// address is the URL of one of the provider's paths, below the path of a gateway.
func (x *exchange) address(path string) string {
	address := x.Upstream.Scheme + "://" + x.Upstream.Host + strings.TrimSuffix(x.Upstream.EscapedPath(), "/") + path
	if x.r.URL.RawQuery != "" {
		address += "?" + x.r.URL.RawQuery
	}
	return address
}

// unanswered ends a request without an answer. If the request was sent, the provider may be answering and charging it.
func (x *exchange) unanswered(err error, a *account, sent bool) {
	if sent {
		x.settleEstimate(a)
	} else {
		x.settleNothing(a)
	}
	if x.r.Context().Err() != nil {
		x.record.Cause = "the agent did not wait for the answer"
		return
	}
	x.Log.Warn("the provider cannot be reached", "err", x.vault.scrubber().text(err.Error()))
	x.refuse(http.StatusBadGateway, "the provider cannot be reached: "+x.vault.scrubber().text(err.Error()))
}

func (x *exchange) settleNothing(a *account) {
	if a != nil {
		x.settle(a, ledger.Spent{})
	}
}

func (x *exchange) settleEstimate(a *account) {
	if a != nil {
		x.settle(a, a.unheard())
	}
}

func encoded(h http.Header) bool {
	e := h.Get("Content-Encoding")
	return e != "" && !strings.EqualFold(e, "identity")
}

func eventStream(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}

// start begins the answer to the agent. The headers go out with the first piece of the body.
func (x *exchange) start(answer *http.Response) {
	returned(x.w.Header(), answer.Header, x.vault.scrubber())
	x.w.WriteHeader(answer.StatusCode)
}

// abort ends the connection without marking the answer as complete, as the provider's broke off.
func abort() { panic(http.ErrAbortHandler) }

// broken says why an answer stopped early.
func (x *exchange) broken(err error) {
	x.record.Cause = "the provider's answer broke off"
	if x.r.Context().Err() != nil || errors.Is(err, errAgentGone) {
		x.record.Cause = "the agent closed the connection before the answer was complete"
	}
}

// errAgentGone means that the broker could not write to the agent.
var errAgentGone = errors.New("the agent is gone")

// ended reports that a body was read to its end.
func ended(err error) bool { return errors.Is(err, io.EOF) }
