package broker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// key is the credential that nothing inside may ever see.
const key = "sk-ant-api03-the-real-key-that-stays-outside"

// call is a request as the provider saw it.
type call struct {
	Method, Path, Query string
	Header              http.Header
	Body                string
}

// world is a broker between a client and a provider that is a real server.
type world struct {
	t       *testing.T
	options broker.Options
	token   string
	url     string // what an agent gets
	client  *http.Client
	log     *bytes.Buffer

	mu        sync.Mutex
	calls     []call
	exchanges []broker.Exchange
	recorded  chan broker.Exchange
}

// serve starts a broker in front of provider.
func serve(t *testing.T, provider http.HandlerFunc, change ...func(*broker.Options)) *world {
	t.Helper()
	w := &world{t: t, log: &bytes.Buffer{}, recorded: make(chan broker.Exchange, 100)}
	upstream := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("the provider reads a request: %v", err)
		}
		w.mu.Lock()
		w.calls = append(w.calls, call{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
		w.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		provider(rw, r)
	}))
	t.Cleanup(upstream.Close)
	address, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.token = newToken(t, broker.APIKey)
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	w.options = broker.Options{
		Provider: row(t), Upstream: address, Token: w.token, Prices: prices(t, ""), Transport: transport, Ledger: unlimited{},
		Source: broker.Value(broker.Credential{Kind: broker.APIKey, Value: key}),
		Log:    slog.New(slog.NewTextHandler(&locked{to: w.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Record: func(x broker.Exchange) {
			w.mu.Lock()
			w.exchanges = append(w.exchanges, x)
			w.mu.Unlock()
			w.recorded <- x
		},
	}
	for _, c := range change {
		c(&w.options)
	}
	handler, err := broker.New(w.options)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	w.url = server.URL + w.options.Provider.Path()
	w.client = server.Client()
	return w
}

// locked keeps what is logged by many at once.
type locked struct {
	mu sync.Mutex
	to *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

func row(t testing.TB) broker.Provider {
	t.Helper()
	p, ok := broker.Find("anthropic")
	if !ok {
		t.Fatal("there is no provider anthropic")
	}
	return p
}

func prices(t testing.TB, path string) broker.Prices {
	t.Helper()
	p, err := broker.ReadPrices(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newToken(t testing.TB, kind broker.Kind) string {
	t.Helper()
	token, err := broker.NewToken(kind)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// request is a request of the agent with the attempt's token.
func (w *world) request(method, path, body string) *http.Request {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", w.token)
	return r
}

// reply is an answer that was read to its end.
type reply struct {
	Status int
	Header http.Header
	Body   string
	Err    error // why the body ended early
}

func (w *world) do(r *http.Request) reply {
	w.t.Helper()
	answer, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if closeErr := answer.Body.Close(); closeErr != nil {
		w.t.Fatal(closeErr)
	}
	return reply{answer.StatusCode, answer.Header, string(body), err}
}

// ask posts a message request and waits until it is on record.
func (w *world) ask(body string) (reply, broker.Exchange) {
	w.t.Helper()
	got := w.do(w.request(http.MethodPost, "/v1/messages?beta=true", body))
	return got, w.next()
}

// next is the next exchange on record.
func (w *world) next() broker.Exchange {
	w.t.Helper()
	select {
	case x := <-w.recorded:
		return x
	case <-waittest.Over():
		w.t.Fatal("no exchange is recorded")
		return broker.Exchange{}
	}
}

func (w *world) seen() []call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]call(nil), w.calls...)
}

// failure is the provider's format of an error.
type failure struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

func (r reply) failure(t *testing.T) failure {
	t.Helper()
	var f failure
	if err := json.Unmarshal([]byte(r.Body), &f); err != nil {
		t.Fatalf("the answer %q is no error of the provider's format: %v", r.Body, err)
	}
	return f
}

// message is a request for a message.
func message(model string, maxTokens int, extra string) string {
	return fmt.Sprintf(`{"model":%q,"max_tokens":%d,"messages":[{"role":"user","content":"hi"}]%s}`, model, maxTokens, extra)
}

// says answers every request with the same.
func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // a client that is gone is part of some tests
	}
}

// event is one event of a stream.
func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func delta(text string) string {
	return event("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text))
}

func started(usage string) string {
	return event("message_start", `{"type":"message_start","message":{"id":"m","usage":`+usage+`}}`)
}

func finished(usage string) string {
	return event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+usage+`}`) +
		event("message_stop", `{"type":"message_stop"}`)
}
