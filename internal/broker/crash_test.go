package broker_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// The variables by which the test program becomes a supervisor that can be killed.
const (
	supervises = "BROKER_TEST_FOLDER"
	upstreamAt = "BROKER_TEST_UPSTREAM"
	tokenIs    = "BROKER_TEST_TOKEN"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(supervises); folder != "" {
		supervise(folder)
	}
	goleak.VerifyTestMain(m)
}

// supervise serves a broker, prints its address and goes on until it is killed.
func supervise(folder string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	upstream, err := url.Parse(os.Getenv(upstreamAt))
	fail(err)
	list, err := broker.ReadPrices("", "")
	fail(err)
	account, err := ledger.Open(folder, ledger.Grant{Amount: ledger.Amount{USD: 10, Tokens: 1e6}})
	fail(err)
	provider, _ := broker.Find("anthropic")
	handler, err := broker.New(broker.Options{
		Provider: provider, Upstream: upstream, Token: os.Getenv(tokenIs), Prices: list, Ledger: account,
		Record: func(broker.Exchange) {}, Log: slog.New(slog.DiscardHandler),
		Source: broker.Value(broker.Credential{Kind: broker.APIKey, Value: key}),
	})
	fail(err)
	fmt.Println(httptest.NewServer(handler).URL + provider.Path())
	select {}
}

func TestAKilledSupervisorsAccountIsSettled(t *testing.T) {
	next, gone := make(chan string, 1), make(chan error, 1)
	provider := httptest.NewServer(drip(t, next, gone))
	defer provider.Close()
	folder, token := t.TempDir(), newToken(t, broker.APIKey)
	supervisor := exec.CommandContext(t.Context(), os.Args[0])
	supervisor.Env = append(os.Environ(), supervises+"="+folder, upstreamAt+"="+provider.URL, tokenIs+"="+token)
	supervisor.Stderr = os.Stderr
	out, err := supervisor.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the supervisor says %q, %v", address, err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	w := &world{t: t, url: strings.TrimSpace(address), token: token}
	ask := message("claude-opus-5-5", 32000, `,"stream":true`)
	next <- started(`{"input_tokens":7000,"output_tokens":1}`)
	answer, err := client.Do(w.request(http.MethodPost, "/v1/messages", ask))
	if err != nil {
		t.Fatal(err)
	}
	read := bufio.NewReader(answer.Body)
	expect(t, read, "message_start")
	const seen = 2000
	for range seen / 100 {
		next <- delta(strings.Repeat("x", 300))
		expect(t, read, "content_block_delta")
	}
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := supervisor.Wait(); err == nil {
		t.Error("the supervisor ended well")
	}
	<-gone
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	s, err := ledger.Read(folder)
	if err != nil || len(s.Flights) != 1 {
		t.Fatalf("the statement is %+v, %v", s, err)
	}
	got := s.Closed()["claude-opus-5-5"]
	if got.Usage.Input != 7000 || got.Usage.Output < seen || got.Usage.Output > seen+64 {
		t.Errorf("charged are %+v", got)
	}
	if want := 7000*4e-6 + float64(got.Usage.Output)*20e-6; math.Abs(got.USD-want) > 1e-8 {
		t.Errorf("charged are $%f, not $%f", got.USD, want)
	}
}
