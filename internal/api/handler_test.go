package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef"

// engine serves svc on a real unix socket and returns a client of it and a
// function that shuts the server down and waits for it.
func engine(t *testing.T, svc api.Service) (*http.Client, func()) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	h := api.Handler(svc, api.NewPersonAuthenticator(token, "ada"), "1.2.3")
	go func() { done <- api.Serve(ctx, l, h) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		transport.CloseIdleConnections()
	}
	t.Cleanup(stop)
	return &http.Client{Transport: transport}, stop
}

// response is an answer that was read whole.
type response struct {
	StatusCode int
	Header     http.Header
}

func ask(t *testing.T, c *http.Client, method, path, body string, head ...string) (response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://engine"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header}, string(data)
}

func problem(t *testing.T, resp response, body string) api.Problem {
	t.Helper()
	if ct := resp.Header.Get("Content-Type"); ct != "application/problem+json" {
		t.Errorf("content type %q, body %s", ct, body)
	}
	var p api.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if p.Status != resp.StatusCode || p.Title == "" || p.Detail == "" {
		t.Errorf("incomplete problem %+v for status %d", p, resp.StatusCode)
	}
	return p
}

func TestOnlyTheRightTokenIsLetIn(t *testing.T) {
	svc := &apitest.Service{}
	c, _ := engine(t, svc)
	for _, auth := range []string{"", "Bearer", "Bearer ", "Bearer x", "Bearer " + token + "0", "Basic " + token, token} {
		for _, path := range []string{"/v1/info", "/openapi.json", "/nowhere"} {
			resp, body := ask(t, c, http.MethodGet, path, "", "Authorization", auth)
			if p := problem(t, resp, body); resp.StatusCode != http.StatusUnauthorized || p.Code != core.CodeForbidden {
				t.Errorf("%s with %q: %d %s", path, auth, resp.StatusCode, body)
			}
		}
	}
	if resp, body := ask(t, c, http.MethodGet, "/v1/info", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("the right token: %d %s", resp.StatusCode, body)
	}
}

func TestCallerIsThePerson(t *testing.T) {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "brisk-otter"}})
	c, _ := engine(t, svc)
	if resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/retry", "{}"); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	if got := svc.Calls()[0].Caller.Actor; got != core.Person("ada") {
		t.Errorf("caller is %+v", got)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1"}})
	c, _ := engine(t, svc)
	big := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/feedback", big)
	if p := problem(t, resp, body); resp.StatusCode != http.StatusRequestEntityTooLarge || p.Code != core.CodeInvalid {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	almost := `{"text":"` + strings.Repeat("x", 1<<20-20) + `"}`
	if resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/feedback", almost); resp.StatusCode != http.StatusOK {
		t.Errorf("just below the limit: %d %.200s", resp.StatusCode, body)
	}
	if n := len(svc.Calls()); n != 1 {
		t.Errorf("%d calls reached the service", n)
	}
}

func TestRequestsAreReadStrictly(t *testing.T) {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1"}})
	c, _ := engine(t, svc)
	for name, body := range map[string]string{
		"duplicate key":   `{"text":"a","text":"b"}`,
		"case-folded key": `{"Text":"a"}`,
		"trailing data":   `{"text":"a"} {}`,
		"unknown field":   `{"text":"a","approve":true}`,
		"wrong type":      `{"text":1}`,
		"missing field":   `{}`,
		"no JSON":         `text`,
		"empty":           ``,
	} {
		resp, got := ask(t, c, http.MethodPost, "/v1/runs/r1/feedback", body)
		if p := problem(t, resp, got); resp.StatusCode/100 != 4 || p.Code != core.CodeInvalid {
			t.Errorf("%s: %d %s", name, resp.StatusCode, got)
		}
	}
	if resp, got := ask(t, c, http.MethodGet, "/v1/runs?opne=true", ""); resp.StatusCode/100 != 4 {
		t.Errorf("misspelt query: %d %s", resp.StatusCode, got)
	}
	if calls := svc.Calls(); len(calls) != 0 {
		t.Errorf("the service was asked: %+v", calls)
	}
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	statuses := map[core.Code]int{
		core.CodeInvalid: 422, core.CodeNotFound: 404, core.CodeConflict: 409, core.CodeForked: 409,
		core.CodeForbidden: 403, core.CodeUnlawful: 403, core.CodeUntrusted: 428,
		core.CodeUnavailable: 503, core.CodeUnsupported: 501, core.CodeInternal: 500,
	}
	for code, want := range statuses {
		svc := &apitest.Service{On: func(apitest.Call) error {
			return fmt.Errorf("retry r1: %w", core.Errorf(code, "it happened").WithHint("do that"))
		}}
		c, _ := engine(t, svc)
		resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/retry", "{}")
		p := problem(t, resp, body)
		if resp.StatusCode != want || p.Code != code || p.Hint != "do that" || p.Detail != "retry r1: it happened" {
			t.Errorf("%s: %d %+v", code, resp.StatusCode, p)
		}
	}
}

func TestUnknownEndpoints(t *testing.T) {
	c, _ := engine(t, &apitest.Service{})
	for _, path := range []string{"/", "/v1", "/v1/run", "/docs", "/schemas/Run.json"} {
		resp, body := ask(t, c, http.MethodGet, path, "")
		if p := problem(t, resp, body); resp.StatusCode != http.StatusNotFound || p.Code != core.CodeNotFound {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}

func TestOpenAPI(t *testing.T) {
	c, _ := engine(t, &apitest.Service{})
	resp, body := ask(t, c, http.MethodGet, "/openapi.json", "")
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	var doc struct {
		OpenAPI string `json:"openapi"`
		Info    struct{ Version string }
		Paths   map[string]map[string]struct {
			Responses map[string]any
		}
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") || doc.Info.Version != "1.2.3" {
		t.Errorf("openapi %q, version %q", doc.OpenAPI, doc.Info.Version)
	}
	operations := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			operations++
			if op.Responses["default"] == nil || op.Responses["200"] == nil {
				t.Errorf("%s %s: responses %v", method, path, op.Responses)
			}
		}
	}
	if operations < 62 {
		t.Errorf("%d operations", operations)
	}
}

func TestShutdownLetsRequestsFinish(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	svc := &apitest.Service{On: func(apitest.Call) error {
		close(entered)
		<-leave
		return nil
	}}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1"}})
	c, stop := engine(t, svc)
	answered := make(chan int, 1)
	go func() {
		req, err := http.NewRequest(http.MethodPost, "http://engine/v1/runs/r1/retry", strings.NewReader("{}"))
		if err != nil {
			answered <- 0
			return
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := c.Do(req)
		if err != nil {
			answered <- 0
			return
		}
		defer func() { _ = resp.Body.Close() }()
		answered <- resp.StatusCode
	}()
	<-entered
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	close(leave)
	if status := <-answered; status != http.StatusOK {
		t.Errorf("a request under way during shutdown got %d", status)
	}
	<-stopped
}
