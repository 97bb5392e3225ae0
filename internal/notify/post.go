package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialTimeout   = 5 * time.Second
	answerTimeout = 10 * time.Second
	answerRead    = 4 << 10
	answerHeader  = 16 << 10
)

// poster sends to one target. It uses no proxy and follows no redirect: both would
// lead elsewhere than the person said.
type poster struct {
	target target
	client *http.Client
}

func newPoster(t target) poster {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: t.control}
	return poster{t, &http.Client{
		Timeout: answerTimeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: answerHeader,
			TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: answerTimeout,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// post sends a body. Errors name only the host of the address: the rest may hold a
// credential.
func (p poster) post(ctx context.Context, body []byte, header http.Header) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target.url.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make a request to %s: %w", p.target.url.Hostname(), ErrPermanent)
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "stellwerk")
	resp, err := p.client.Do(req)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("send to %s: %w", p.target.url.Hostname(), err)
	}
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, answerRead)) // only to say what went wrong
	if err := resp.Body.Close(); err != nil {
		return fmt.Errorf("send to %s: %w", p.target.url.Hostname(), err)
	}
	return judge(p.target.url.Hostname(), resp.StatusCode, string(answer))
}

// judge says what an answer means.
func judge(host string, status int, answer string) error {
	if status >= 200 && status < 300 {
		return nil
	}
	err := fmt.Errorf("%s answered %d %s: %.120q", host, status, http.StatusText(status), line(answer, maxTitle))
	switch {
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		return err
	case status >= 300 && status < 400:
		return fmt.Errorf("%w; Stellwerk follows no redirects, so name the final address: %w", err, ErrPermanent)
	}
	return fmt.Errorf("%w: %w", err, ErrPermanent)
}
