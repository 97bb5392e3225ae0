package broker_test

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// BenchmarkStream reads streamed answers of a provider on loopback, directly and through the broker with an account:
// the time until the first event after a prompt of 100 KB, and a whole answer of 4 MiB in events as large as a model's.
func BenchmarkStream(b *testing.B) {
	first := started(`{"input_tokens":100,"output_tokens":1}`)
	var text strings.Builder
	text.WriteString(first)
	for text.Len() < 4<<20 {
		text.WriteString(delta(strings.Repeat("word ", 40)))
	}
	text.WriteString(finished(`{"output_tokens":1000}`))
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			b.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		answer := text.String()
		if r.URL.Query().Get("short") != "" {
			answer = first
		}
		_, _ = io.WriteString(w, answer) // who stops reading is not measured
	}))
	defer provider.Close()
	through := brokerFor(b, provider.URL)
	for name, base := range map[string]string{"direct": provider.URL, "broker": through} {
		b.Run("first-event/"+name, func(b *testing.B) { read(b, base+"/v1/messages?short=1", len(first)) })
		b.Run("throughput/"+name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			read(b, base+"/v1/messages", text.Len())
		})
	}
}

// brokerFor serves a broker with an account that is never used up.
func brokerFor(b *testing.B, provider string) string {
	b.Helper()
	upstream, err := url.Parse(provider)
	if err != nil {
		b.Fatal(err)
	}
	account, err := ledger.Open(b.TempDir(), ledger.Grant{Amount: ledger.Amount{USD: 1e6, Tokens: 1e12}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := account.Close(); err != nil {
			b.Error(err)
		}
	})
	handler, err := broker.New(broker.Options{
		Provider: row(b), Upstream: upstream, Token: benchToken, Prices: prices(b, ""), Ledger: account,
		Record: func(broker.Exchange) {}, Log: slog.New(slog.DiscardHandler),
		Source: broker.Value(broker.Credential{Kind: broker.APIKey, Value: key}),
	})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	return server.URL + "/anthropic"
}

const benchToken = "sk-ant-api03-a-token-that-is-long-enough-to-be-one"

func read(b *testing.B, address string, size int) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	body := message("claude-opus-5-5", 32000, `,"stream":true,"system":"`+strings.Repeat("word ", 20<<10)+`"`)
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("X-Api-Key", benchToken)
		answer, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, bufio.NewReaderSize(answer.Body, 64<<10))
		if err != nil || n != int64(size) {
			b.Fatalf("%d of %d bytes, %v", n, size, err)
		}
		if err := answer.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
