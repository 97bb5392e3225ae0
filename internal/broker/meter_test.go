package broker_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/scriptedmodel"
)

// Every way in which a provider answers, and what is charged for it. The model costs 4, 20, 0.20, 5 and 8 dollars for a
// million tokens of input, output, cache read, cache write and cache write for an hour.
func TestAnswersAreMetered(t *testing.T) {
	const model = "claude-opus-5-5"
	usual := `{"input_tokens":1000,"cache_read_input_tokens":2000,"cache_creation_input_tokens":300,"output_tokens":1}`
	ask := message(model, 5000, `,"stream":true`)
	prompt := int64(len(ask)+2) / 3
	for _, c := range []struct {
		name, ask, kind, answer string
		want                    ledger.Usage
		usd                     float64
		broken                  bool
	}{
		{
			name: "stream", kind: "text/event-stream",
			answer: started(usual) + delta("hello") + finished(`{"output_tokens":40}`),
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 40}, usd: 0.004 + 0.0004 + 0.0015 + 0.0008,
		},
		{
			name: "stream whose output is said more than once", kind: "text/event-stream; charset=utf-8",
			answer: started(usual) + delta("hello") +
				event("message_delta", `{"type":"message_delta","usage":{"output_tokens":10}}`) + finished(`{"output_tokens":25}`),
			want: ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 25}, usd: 0.0059 + 0.0005,
		},
		{
			name: "stream whose tools ran at the provider", kind: "text/event-stream",
			answer: started(usual) + finished(`{"input_tokens":9000,"cache_read_input_tokens":2000,"cache_creation_input_tokens":300,`+
				`"output_tokens":100,"server_tool_use":{"web_search_requests":3}}`),
			want: ledger.Usage{Input: 9000, CacheRead: 2000, CacheWrite: 300, Output: 100, Searches: 3}, usd: 0.036 + 0.0004 + 0.0015 + 0.002 + 0.03,
		},
		{
			name: "stream with a cache of an hour", kind: "text/event-stream",
			answer: started(`{"input_tokens":1,"cache_creation_input_tokens":1000,"cache_creation":{"ephemeral_5m_input_tokens":400,`+
				`"ephemeral_1h_input_tokens":600},"output_tokens":1}`) + finished(`{"output_tokens":0}`),
			want: ledger.Usage{Input: 1, CacheWrite: 400, CacheWrite1h: 600, Output: 1}, usd: 0.000004 + 0.002 + 0.0048 + 0.00002,
		},
		{
			name: "stream with other line ends and comments", kind: "text/event-stream",
			answer: strings.ReplaceAll(": hi\n\n"+started(usual)+finished(`{"output_tokens":40}`), "\n", "\r\n"),
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 40}, usd: 0.0059 + 0.0008,
		},
		{
			name: "stream that says nothing of usage", kind: "text/event-stream",
			answer: event("message_start", `{"type":"message_start","message":{}}`) + delta(strings.Repeat("x", 301)),
			want:   ledger.Usage{Input: prompt, Output: 101}, usd: float64(prompt)*4e-6 + 0.00202,
		},
		{
			name: "stream that ends before the last word", kind: "text/event-stream",
			answer: started(usual) + delta(strings.Repeat("x", 300)),
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 100}, usd: 0.0059 + 0.002,
		},
		{
			name: "stream that breaks off", kind: "text/event-stream", broken: true,
			answer: started(usual) + delta(strings.Repeat("x", 300)),
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 100}, usd: 0.0059 + 0.002,
		},
		{
			name: "stream that breaks off while it thinks unseen", kind: "text/event-stream", broken: true,
			answer: started(usual) + event("content_block_start", `{"type":"content_block_start","content_block":{"type":"thinking"}}`),
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 5000}, usd: 0.0059 + 0.1,
		},
		{
			name: "stream of every kind of delta", kind: "text/event-stream",
			answer: started(`{"input_tokens":0,"output_tokens":0}`) +
				event("content_block_start", `{"type":"content_block_start","content_block":{"type":"thinking"}}`) +
				event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"`+strings.Repeat("t", 30)+`"}}`) +
				event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"not counted"}}`) +
				event("content_block_stop", `{"type":"content_block_stop"}`) +
				event("content_block_start", `{"type":"content_block_start","content_block":{"type":"thinking"}}`) +
				event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"`+strings.Repeat("s", 60)+`"}}`) +
				event("content_block_stop", `{"type":"content_block_stop"}`) +
				event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"`+strings.Repeat("j", 90)+`"}}`),
			want: ledger.Usage{Output: 60}, usd: 0.0012,
		},
		{
			name: "stream that breaks off while it thinks unseen and says how much", kind: "text/event-stream", broken: true,
			answer: started(usual) + event("content_block_start", `{"type":"content_block_start","content_block":{"type":"thinking"}}`) +
				event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"","estimated_tokens":70}}`) +
				event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"","estimated_tokens":30}}`),
			want: ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 100}, usd: 0.0059 + 0.002,
		},
		{
			name: "stream with an advisor and a compaction", kind: "text/event-stream",
			answer: started(usual) + finished(`{"output_tokens":40,"iterations":[{"type":"message","input_tokens":1000,"output_tokens":40},`+
				`{"type":"compaction","input_tokens":500,"output_tokens":100},`+
				`{"type":"advisor_message","model":"claude-fable-5-1","input_tokens":200,"output_tokens":10}]}`),
			want: ledger.Usage{Input: 1700, CacheRead: 2000, CacheWrite: 300, Output: 150}, usd: 0.0059 + 0.0008 + 0.002 + 0.002 + 0.002 + 0.0005,
		},
		{
			name: "plain", ask: message(model, 5000, ""), kind: "application/json",
			answer: `{"type":"message","content":[{"type":"text","text":"hi"}],"usage":` + usual + `}`,
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 1}, usd: 0.0059 + 0.00002,
		},
		{
			name: "plain that breaks off", ask: message(model, 5000, ""), kind: "application/json", broken: true,
			answer: `{"type":"message","content":[{"type":"te`,
			want:   ledger.Usage{Input: int64(len(message(model, 5000, ""))+2) / 3, Output: 14},
			usd:    float64((len(message(model, 5000, ""))+2)/3)*4e-6 + 0.00028,
		},
		{
			name: "unknown model, at the dearest price", ask: message("mystery-9", 5000, `,"stream":true`), kind: "text/event-stream",
			answer: started(usual) + finished(`{"output_tokens":40}`),
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 40}, usd: 0.015 + 0.003 + 0.005625 + 0.003,
		},
		{
			name: "fast mode at a fixed place", ask: message(model, 5000, `,"speed":"fast","inference_geo":"us"`), kind: "application/json",
			answer: `{"usage":` + usual + `}`,
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 1}, usd: (0.0059 + 0.00002) * 2.2,
		},
		{
			name: "fast mode spelled another way", ask: message(model, 5000, `,"sp\u0065ed":"f\u0061st"`), kind: "application/json",
			answer: `{"usage":` + usual + `}`,
			want:   ledger.Usage{Input: 1000, CacheRead: 2000, CacheWrite: 300, Output: 1}, usd: (0.0059 + 0.00002) * 2,
		},
		{
			name: "long prompt", ask: message("claude-haiku-5-5", 5000, ""), kind: "application/json",
			answer: `{"usage":{"input_tokens":1,"cache_read_input_tokens":100000,"output_tokens":0}}`,
			want:   ledger.Usage{Input: 1, CacheRead: 100000}, usd: 0.0000005 + 0.005,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(t, func(rw http.ResponseWriter, r *http.Request) {
				says(200, c.kind, c.answer)(rw, r)
				if c.broken {
					_ = http.NewResponseController(rw).Flush() // the test sees whether it came
					panic(http.ErrAbortHandler)
				}
			})
			if c.ask == "" {
				c.ask = ask
			}
			got, x := w.ask(c.ask)
			if got.Status != 200 || got.Body != c.answer || (got.Err != nil) != c.broken {
				t.Errorf("the agent got %d, %v and\n%s", got.Status, got.Err, got.Body)
			}
			if x.Usage != c.want || math.Abs(x.USD-c.usd) > 1e-12 || (x.Cause != "") != c.broken {
				t.Errorf("on record is %+v\nnot %+v and $%.6f", x, c.want, c.usd)
			}
		})
	}
}

// The meter must not depend on where the network cuts an answer.
func TestAnswersInSmallPiecesAreMeteredAlike(t *testing.T) {
	answer := started(`{"input_tokens":1000,"output_tokens":1}`) + delta("hello") + finished(`{"output_tokens":40}`)
	for _, size := range []int{1, 2, 7, 64} {
		w := serve(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/event-stream")
			for rest := answer; rest != ""; {
				n := min(size, len(rest))
				if _, err := rw.Write([]byte(rest[:n])); err != nil {
					t.Error(err)
				}
				if err := http.NewResponseController(rw).Flush(); err != nil {
					t.Error(err)
				}
				rest = rest[n:]
			}
		})
		got, x := w.ask(message("claude-opus-5-5", 100, `,"stream":true`))
		if got.Body != answer || x.Usage != (ledger.Usage{Input: 1000, Output: 40}) {
			t.Errorf("in pieces of %d: %+v\n%s", size, x, got.Body)
		}
	}
}

func TestErrorsOfTheProviderCostNothing(t *testing.T) {
	body := `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	w := serve(t, says(529, "application/json", body))
	got, x := w.ask(message("claude-opus-5-5", 100, ""))
	if got.Status != 529 || got.Body != body || x.USD != 0 || x.Usage != (ledger.Usage{}) || x.Status != 529 {
		t.Errorf("got %d %s, on record %+v", got.Status, got.Body, x)
	}
}

func TestScriptedModelThroughTheBroker(t *testing.T) {
	scenario, err := scriptedmodel.Parse("s.yaml", []byte("conversations:\n  - turns:\n      - text: hello\n        usage: {input: 70, output: 9, cache_read: 5}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := serve(t, scriptedmodel.New(scenario).ServeHTTP)
	got, x := w.ask(message("claude-opus-5-5", 100, `,"stream":true`))
	if !strings.Contains(got.Body, "hello") || x.Usage != (ledger.Usage{Input: 70, Output: 9, CacheRead: 5}) {
		t.Errorf("got %d %s, on record %+v", got.Status, got.Body, x)
	}
}

func TestCompressedAnswersAreRefused(t *testing.T) {
	w := serve(t, func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Content-Encoding", "gzip") })
	got, x := w.ask(message("claude-opus-5-5", 100, ""))
	if got.Status != 502 || x.Usage.Input == 0 {
		t.Errorf("got %d %s, on record %+v", got.Status, got.Body, x)
	}
}
