package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// sender posts spans to a receiver, by OTLP over HTTP.
type sender struct {
	to       Export
	client   *http.Client
	resource []attribute
	version  string
}

func newSender(to Export, version string) *sender {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: 30 * time.Second,
		TLSHandshakeTimeout: 5 * time.Second, ForceAttemptHTTP2: true,
	}
	own := map[string]string{"service.name": to.Service, "service.version": version}
	maps.Copy(own, to.Resource)
	own["service.name"] = to.Service
	var resource []attribute
	for _, key := range slices.Sorted(maps.Keys(own)) {
		resource = append(resource, attribute{key, own[key]})
	}
	return &sender{
		to: to, resource: resource, version: version,
		client: &http.Client{
			Transport: transport, Timeout: to.Timeout,
			// The headers may hold a credential: they go nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// result is what a receiver says to a batch.
type result struct {
	rejected int           // spans of a batch that was taken
	again    bool          // a batch that was not taken may be sent again
	after    time.Duration // and not before
}

// maxAnswer bounds how much of an answer is read.
const maxAnswer = 64 << 10

func (s *sender) post(ctx context.Context, batch []span) (result, error) {
	body, err := s.encode(batch)
	if err != nil {
		return result{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.URL, bytes.NewReader(body))
	if err != nil {
		return result{}, errors.New("the address of the receiver is not an http address")
	}
	for name, value := range s.to.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "stellwerk/"+s.version)
	if s.to.Gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := s.client.Do(request)
	if err != nil {
		return result{again: true}, fmt.Errorf("send traces: %w", withoutAddress(err))
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return result{again: true}, fmt.Errorf("read the receiver's answer: %w", err)
	}
	return judge(response, answer)
}

// withoutAddress is the error of a request without the address, which may hold a key.
func withoutAddress(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// judge says what an answer means, by the specification of OTLP.
func judge(response *http.Response, answer []byte) (result, error) {
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		return result{rejected: rejected(answer)}, nil
	case code == http.StatusTooManyRequests, code == http.StatusBadGateway,
		code == http.StatusServiceUnavailable, code == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // or 0
		return result{again: true, after: time.Duration(seconds) * time.Second}, fmt.Errorf("the receiver says %s", response.Status)
	default:
		return result{}, fmt.Errorf("the receiver says %s", response.Status)
	}
}

func (s *sender) encode(batch []span) ([]byte, error) {
	raw := encodeRequest(s.resource, "stellwerk", s.version, batch)
	if !s.to.Gzip {
		return raw, nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(raw)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}
