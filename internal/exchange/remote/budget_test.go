package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// asking is an agent that asks its model until it is refused.
const asking = `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	code=$(curl -s -o "$SHARED/answer" -w '%{http_code}' -H "x-api-key: $ANTHROPIC_API_KEY" -H 'content-type: application/json' "$ANTHROPIC_BASE_URL/v1/messages" \
		-d '{"model":"claude-sonnet-5","max_tokens":1000,"messages":[{"role":"user","content":"go on"}]}')
	echo $code >> "$SHARED/codes"
	[ $code = 200 ] || exit 1
done`

// outputPrice is what a token of the model's answers costs.
const outputPrice = 10.0 / 1e6

// greedy is a model that answers with as many tokens as it may. It counts them.
func greedy(t *testing.T) (url string, told *atomic.Int64) {
	t.Helper()
	told = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Most int64 `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.Header.Get("X-Api-Key") != "sk-ant-api03-none" {
			t.Errorf("the model is asked with %v, %q", err, r.Header)
		}
		told.Add(asked.Most)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-5","content":[],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":%d}}`, asked.Most)
	}))
	t.Cleanup(server.Close)
	return server.URL, told
}

// TestABudgetIsHeldByABrokerElsewhere: it asks its engine for more, gets it once, and lets no request through for which there is
// nothing left.
func TestABudgetIsHeldByABrokerElsewhere(t *testing.T) {
	const first, more = 0.015, 0.035
	url, told := greedy(t)
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, asking, func(s *shim.Spec) {
		s.Model = &shim.Model{Provider: "anthropic", Upstream: url, Kind: broker.APIKey, Secret: "KEY"}
	})
	engine := station.Engine()
	grant := func(g ledger.Grant) {
		t.Helper()
		g.UnlimitedTokens = true
		if err := engine.Grant(t.Context(), exchangetest.First, g); err != nil {
			t.Fatal(err)
		}
	}
	grant(ledger.Grant{Amount: ledger.Amount{USD: first}})
	s := engine.Spawner()
	if err := s.Start(t.Context(), spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=s3cret-value", "KEY=sk-ant-api03-none", shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Wait(ctx, exchangetest.First)
		ended <- err
	}()
	answered, refused := int64(0), ""
	for {
		over := false
		var want ledger.Want
		shimtest.Await(t, "another want, or the end", func() bool {
			over = len(ended) > 0
			folder, err := engine.Receive(t.Context(), exchangetest.First)
			if err == nil {
				want, err = ledger.ReadWant(folder)
			}
			return over || err == nil && want.Seq > answered
		})
		if over {
			break
		}
		grant(ledger.Grant{Seq: want.Seq, Amount: ledger.Amount{USD: more}, Refused: refused})
		answered, refused = want.Seq, "the budget of the run is used up"
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	exit, err := station.Exit(t)
	if err != nil || exit.Outcome.Class != agent.ClassBudget || exit.ExitCode != 1 {
		t.Errorf("it ended with %d as %+v, %v", exit.ExitCode, exit.Outcome, err)
	}
	if spent := float64(told.Load()) * outputPrice; spent <= first || spent > more {
		t.Errorf("it spent %v of %v, and %v at first", spent, more, first)
	}
	codes, err := os.ReadFile(filepath.Join(station.Shared, "codes"))
	if err != nil || !strings.HasPrefix(string(codes), "200\n200\n") || !strings.HasSuffix(string(codes), fmt.Sprintf("200\n%d\n", broker.StatusSpent)) {
		t.Errorf("its requests ended with %q, %v", codes, err)
	}
	answer, err := os.ReadFile(filepath.Join(station.Shared, "answer"))
	if err != nil || !strings.Contains(string(answer), "the budget of the run is used up") {
		t.Errorf("it was told %q, %v", answer, err)
	}
}
