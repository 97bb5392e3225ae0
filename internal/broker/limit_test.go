package broker_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const refusal = "the run has cost $0.99 of its $1.00: `stellwerk resume r1 --max-cost USD` raises it"

// limited gives the broker an account in folder, with a grant that no want raises.
func limited(t *testing.T, folder string, usd float64, tokens int64) (*ledger.Ledger, func(*broker.Options)) {
	t.Helper()
	l, err := ledger.Open(folder, ledger.Grant{Seq: math.MaxInt64, Amount: ledger.Amount{USD: usd, Tokens: tokens}, Refused: refusal})
	if err != nil {
		t.Fatal(err)
	}
	l.Poll = time.Millisecond
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, func(o *broker.Options) { o.Ledger = l }
}

// A prompt of 60 bytes is 20 tokens of input; opus-5-5 costs 4 and 20 dollars for a million.
func TestMaxTokensIsClampedToWhatIsLeft(t *testing.T) {
	const thinks = `,"thinking":{"type":"enabled","budget_tokens":20000}`
	for _, c := range []struct {
		name, ask string
		output    float64 // dollars left for it
		want      string  // of the body, with the prompt's other bytes as they were
	}{
		{"enough", message("claude-opus-5-5", 1000, ""), 0.02, message("claude-opus-5-5", 1000, "")},
		{"less", message("claude-opus-5-5", 1000, ""), 0.012, message("claude-opus-5-5", 600, "")},
		{"odd spacing", `{ "max_tokens" : 1000 ,` + "\n" + `"model":"claude-opus-5-5", "x":{"max_tokens":7}}`, 0.012,
			`{ "max_tokens" : 600 ,` + "\n" + `"model":"claude-opus-5-5", "x":{"max_tokens":7}}`},
		{"an escaped key", `{"max\u005ftokens":1000,"model":"claude-opus-5-5"}`, 0.012, `{"max\u005ftokens":600,"model":"claude-opus-5-5"}`},
		{"thinking after", message("claude-opus-5-5", 32000, thinks), 0.1,
			message("claude-opus-5-5", 5000, `,"thinking":{"type":"enabled","budget_tokens":4744}`)},
		{"thinking before", `{"thinking":{"budget_tokens":20000},"max_tokens":32000,"model":"claude-opus-5-5"}`, 0.1,
			`{"thinking":{"budget_tokens":4744},"max_tokens":5000,"model":"claude-opus-5-5"}`},
		{"thinking that fits", message("claude-opus-5-5", 32000, `,"thinking":{"type":"enabled","budget_tokens":4000}`), 0.1,
			message("claude-opus-5-5", 5000, `,"thinking":{"type":"enabled","budget_tokens":4000}`)},
		{"thinking at its least", message("claude-opus-5-5", 32000, thinks), 0.0256,
			message("claude-opus-5-5", 1280, `,"thinking":{"type":"enabled","budget_tokens":1024}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			prompt := float64((len(c.ask)+2)/3) * 4e-6
			_, account := limited(t, t.TempDir(), prompt+c.output, 1e9)
			w := serve(t, says(200, "application/json", plainAnswer), account)
			got, x := w.ask(c.ask)
			if got.Status != 200 {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			if body := w.seen()[0].Body; body != c.want {
				t.Errorf("the provider saw\n%s\nnot\n%s", body, c.want)
			}
			if math.Abs(x.Reserved.USD-prompt-c.output) > 1e-8 {
				t.Errorf("on record is %+v", x)
			}
		})
	}
}

func TestTokensAreLimitedToo(t *testing.T) {
	ask := message("claude-opus-5-5", 1000, "")
	_, account := limited(t, t.TempDir(), 100, int64(len(ask)+2)/3+400)
	w := serve(t, says(200, "application/json", plainAnswer), account)
	w.ask(ask)
	if body := w.seen()[0].Body; body != message("claude-opus-5-5", 400, "") {
		t.Errorf("the provider saw %s", body)
	}
}

func TestARefusalIsFinalAndSaysWhatToDo(t *testing.T) {
	l, account := limited(t, t.TempDir(), 0.001, 1e9)
	w := serve(t, says(200, "application/json", plainAnswer), account)
	got, x := w.ask(message("claude-opus-5-5", 1000, ""))
	f := got.failure(t)
	if got.Status != 402 || f.Error.Type != "billing_error" || got.Header.Get("X-Should-Retry") != "false" || len(w.seen()) != 0 {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	for _, part := range []string{refusal, "this attempt has spent $0.00 and 0 tokens", "A person can raise the limit"} {
		if !strings.Contains(f.Error.Message, part) {
			t.Errorf("%q is not in %q", part, f.Error.Message)
		}
	}
	if x.Status != 402 || x.Cause != f.Error.Message || l.Statement().Settled.USD != 0 {
		t.Errorf("on record is %+v", x)
	}
}

func TestThinkingNeedsMoreThanAWord(t *testing.T) {
	ask := message("claude-opus-5-5", 32000, `,"thinking":{"type":"enabled","budget_tokens":20000}`)
	_, account := limited(t, t.TempDir(), float64((len(ask)+2)/3)*4e-6+0.02, 1e9) // a thousand tokens of output
	w := serve(t, says(200, "application/json", plainAnswer), account)
	if got, _ := w.ask(ask); got.Status != 402 || len(w.seen()) != 0 {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

func TestBodiesThatTheProviderMightReadDifferently(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer))
	for _, body := range []string{
		`{"model":"m","max_tokens":1,"max_tokens":9}`, `{"model":"m","max_tokens":1,"max\u005ftokens":9}`, `{"model":"m","max_tokens":1} {}`,
		`{"model":"m","MAX_TOKENS":1}`, `{"model":"m","max_tokens":"5"}`, `{"model":"m","max_tokens":-5}`, `{"model":"m","max_tokens":1e3}`,
		`{"model":"m","max_tokens":99999999999999999999}`, `[]`, `{"model":"m","max_tokens":1`, ``, `{"model":3,"max_tokens":1}`,
		`{"model":"m","max_tokens":9,"thinking":{"budget_tokens":1,"budget_tokens":2}}`, `{"model":"m","max_tokens":9,"stream":"yes"}`,
	} {
		got, x := w.ask(body)
		if got.Status != 400 || got.failure(t).Error.Type != "invalid_request_error" || x.Cause == "" {
			t.Errorf("%s: %d %s", body, got.Status, got.Body)
		}
	}
	if saw := w.seen(); len(saw) != 0 {
		t.Errorf("the provider saw %v", saw)
	}
}

// drip is a provider that goes on as long as it is asked to, an event at a time, whatever max_tokens says.
func drip(t *testing.T, next <-chan string, gone chan<- error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case text := <-next:
				if _, err := io.WriteString(w, text); err != nil {
					t.Errorf("the provider writes: %v", err)
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Errorf("the provider flushes: %v", err)
				}
			case <-r.Context().Done():
				gone <- r.Context().Err()
				return
			}
		}
	}
}

func TestAStreamIsCutWhereTheReservationEnds(t *testing.T) {
	ask := message("claude-opus-5-5", 32000, `,"stream":true`)
	prompt := float64((len(ask)+2)/3) * 4e-6
	folder := t.TempDir()
	l, account := limited(t, folder, prompt+0.02, 1e9) // a thousand tokens of output
	next, gone := make(chan string, 1), make(chan error, 1)
	w := serve(t, drip(t, next, gone), account)
	next <- started(fmt.Sprintf(`{"input_tokens":%d,"output_tokens":1}`, (len(ask)+2)/3))
	answer, err := w.client.Do(w.request(http.MethodPost, "/v1/messages", ask))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	read := bufio.NewReader(answer.Body)
	expect(t, read, "message_start")
	for range 10 { // a hundred tokens each, which come at once
		next <- delta(strings.Repeat("x", 300))
		expect(t, read, "content_block_delta")
	}
	next <- delta("one more")
	var f failure
	if err := json.Unmarshal([]byte(expect(t, read, "error")), &f); err != nil || f.Error.Type != "permission_error" ||
		!strings.Contains(f.Error.Message, refusal) {
		t.Errorf("the stream ends with %+v, %v", f, err)
	}
	if rest, err := io.ReadAll(read); err != nil || len(rest) > 0 {
		t.Errorf("after the end comes %q, %v", rest, err)
	}
	x := w.next()
	if !x.Cut || x.Cause == "" || x.Usage.Output != 1000 {
		t.Errorf("on record is %+v", x)
	}
	select {
	case <-gone:
	case <-waittest.Over():
		t.Fatal("the provider goes on")
	}
	if s := l.Statement(); len(s.Flights) != 0 || s.Settled.Tokens != int64((len(ask)+2)/3)+1000 || s.Overspent != (ledger.Amount{}) {
		t.Errorf("the statement is %+v", s)
	}
}

// expect reads one event and returns its data.
func expect(t *testing.T, r *bufio.Reader, name string) string {
	t.Helper()
	first, err := r.ReadString('\n')
	if err != nil || first != "event: "+name+"\n" {
		t.Fatalf("the stream has %q, %v, not the event %s", first, err, name)
	}
	data, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(data, "data: ")
}

// An answer that is longer than a third of its bytes suggests is not cut as long as there is money.
func TestAStreamGoesOnWhileThereIsMoney(t *testing.T) {
	answer := started(`{"input_tokens":20,"output_tokens":1}`)
	for range 40 {
		answer += delta(strings.Repeat("word ", 60))
	}
	answer += finished(`{"output_tokens":1000}`)
	l, account := limited(t, t.TempDir(), 1, 1e9)
	w := serve(t, says(200, "text/event-stream", answer), account)
	got, x := w.ask(message("claude-opus-5-5", 1000, `,"stream":true`))
	if got.Body != answer || x.Cut || x.Usage.Output != 1000 || l.Statement().Overspent.Tokens != 0 {
		t.Errorf("on record is %+v, the agent got %d of %d bytes", x, len(got.Body), len(answer))
	}
}

// One huge event is cut before it is whole.
func TestAnEventLargerThanTheReservationIsNotPassedOn(t *testing.T) {
	_, account := limited(t, t.TempDir(), 0.02, 1e9)
	w := serve(t, says(200, "text/event-stream", started(`{"input_tokens":20,"output_tokens":1}`)+delta(strings.Repeat("x", 200<<10))), account)
	got, x := w.ask(message("claude-opus-5-5", 32000, `,"stream":true`))
	if !x.Cut || strings.Contains(got.Body, "xxx") || !strings.Contains(got.Body, "event: error") || got.Err != nil {
		t.Errorf("on record is %+v; the agent got %d bytes", x, len(got.Body))
	}
}

func TestAHugeEventPassesWhole(t *testing.T) {
	answer := started(`{"input_tokens":20,"output_tokens":1}`) + delta(strings.Repeat("x", 8<<20)) + finished(`{"output_tokens":9}`)
	w := serve(t, says(200, "text/event-stream", answer))
	if got, x := w.ask(message("claude-opus-5-5", 32000, `,"stream":true`)); got.Body != answer || x.Usage.Output != 9 {
		t.Errorf("on record is %+v; the agent got %d of %d bytes", x, len(got.Body), len(answer))
	}
}

func TestAnAgentThatClosesEarlyIsCharged(t *testing.T) {
	l, account := limited(t, t.TempDir(), 1, 1e9)
	next, gone := make(chan string, 1), make(chan error, 1)
	w := serve(t, drip(t, next, gone), account)
	ctx, cancel := context.WithCancel(t.Context())
	next <- started(`{"input_tokens":500,"output_tokens":1}`)
	answer, err := w.client.Do(w.request(http.MethodPost, "/v1/messages", message("claude-opus-5-5", 1000, `,"stream":true`)).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	read := bufio.NewReader(answer.Body)
	expect(t, read, "message_start")
	next <- delta(strings.Repeat("x", 90))
	expect(t, read, "content_block_delta")
	cancel()
	select {
	case <-gone:
	case <-waittest.Over():
		t.Fatal("the provider goes on")
	}
	x := w.next()
	if x.Usage != (ledger.Usage{Input: 500, Output: 30}) || !strings.Contains(x.Cause, "the agent closed") {
		t.Errorf("on record is %+v", x)
	}
	if s := l.Statement(); s.Settled.Tokens != 530 || len(s.Flights) != 0 {
		t.Errorf("the statement is %+v", s)
	}
}

// TestAnAgentThatClosesBeforeTheAnswer is charged the prompt of a stream, which ends with it, and all of an answer in one
// piece, which the provider may go on writing.
func TestAnAgentThatClosesBeforeTheAnswer(t *testing.T) {
	for more, output := range map[string]int64{`,"stream":true`: 0, "": 1000} {
		folder := t.TempDir()
		l, account := limited(t, folder, 1, 1e9)
		ask := message("claude-opus-5-5", 1000, more)
		want := ledger.Usage{Input: int64(len(ask)+2) / 3, Output: output}
		arrived, gone := make(chan struct{}), make(chan struct{})
		w := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
			close(gone)
		}, account)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			answer, err := w.client.Do(w.request(http.MethodPost, "/v1/messages", ask).WithContext(ctx))
			if err == nil {
				err = answer.Body.Close()
			}
			done <- err
		}()
		<-arrived
		if s, err := ledger.Read(folder); err != nil || s.Total().Tokens != want.Tokens() { // should the supervisor die now
			t.Errorf("%q: under way it counts for %v, %v", more, s.Total(), err)
		}
		cancel()
		<-gone
		if err := <-done; err == nil {
			t.Errorf("%q: the agent got an answer", more)
		}
		if x := w.next(); x.Usage != want || l.Statement().Settled.Tokens != want.Tokens() {
			t.Errorf("%q: on record is %+v", more, x)
		}
	}
}

func TestTwentyRequestsWithMoneyForThree(t *testing.T) {
	ask := message("claude-opus-5-5", 1000, `,"stream":true`)
	prompt := (len(ask) + 2) / 3
	each := float64(prompt)*4e-6 + 0.02
	folder := t.TempDir()
	l, account := limited(t, folder, 3*each, 1e9)
	refused := make(chan struct{})
	w := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		<-refused // those that are answered stay in flight until all others are refused
		says(200, "text/event-stream", started(fmt.Sprintf(`{"input_tokens":%d,"output_tokens":1}`, prompt))+finished(`{"output_tokens":1000}`))(rw, r)
	}, account)
	var group sync.WaitGroup
	statuses := make(chan int, 20)
	for range 20 {
		group.Go(func() { statuses <- w.do(w.request(http.MethodPost, "/v1/messages", ask)).Status })
	}
	count := map[int]int{}
	for range 17 {
		count[<-statuses]++
	}
	close(refused)
	group.Wait()
	for range 3 {
		count[<-statuses]++
	}
	if count[402] != 17 || count[200] != 3 {
		t.Errorf("the statuses are %v", count)
	}
	s, err := ledger.Read(folder)
	if err != nil || math.Abs(s.Settled.USD-3*each) > 1e-8 || s.Overspent != (ledger.Amount{}) || len(s.Flights) != 0 {
		t.Errorf("the statement is %+v, %v; the ledger's %+v", s, err, l.Statement())
	}
}
