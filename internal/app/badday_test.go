package app_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// visitor is a browser that has signed in.
type visitor struct {
	t       *testing.T
	ctx     context.Context
	address string
	cookie  *http.Cookie
	http    *http.Client
}

func visit(ctx context.Context, t *testing.T, owner api.Service, address string) *visitor {
	t.Helper()
	code, err := owner.SignIn(ctx, api.SignIn{})
	if err != nil {
		t.Fatal(err)
	}
	in := knock(ctx, t, http.MethodPost, address+"/sign-in", url.Values{"code": {code.Code}}.Encode(), "Origin", address)
	if len(in.cookies) != 1 {
		t.Fatalf("signed in: %d", in.StatusCode)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &visitor{t, ctx, address, in.cookies[0], &http.Client{Transport: transport}}
}

func (v *visitor) ask(path string) *http.Request {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.ctx, http.MethodGet, v.address+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.AddCookie(v.cookie)
	return req
}

func (v *visitor) get(path string) (status int, text string) {
	v.t.Helper()
	resp, err := v.http.Do(v.ask(path))
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestDatabaseGoneWhileServing: pages say what is wrong and what to do, nothing is
// written to a file that nobody will find again, and all goes on once it is back.
func TestDatabaseGoneWhileServing(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	opts := app.Options{State: stateFolder(t), Version: "test"}
	owner, address, stop := listening(ctx, t, opts)
	repo := repository(t, map[string]string{"README.md": "x\n"})
	if _, err := owner.AddProject(ctx, api.AddProject{Repository: repo, Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	v := visit(ctx, t, owner, address)
	pages := []string{"/", "/inbox", "/runs", "/projects/shop", "/costs", "/settings"}
	all := func(when string, want int, says string) {
		t.Helper()
		for _, page := range pages {
			if status, text := v.get(page); status != want || !strings.Contains(text, says) {
				t.Errorf("%s, %s: %d, %.300s", when, page, status, text)
			}
		}
	}
	all("before", http.StatusOK, "</html>")
	database := filepath.Join(opts.State, "stellwerk.db")
	if err := os.Rename(database, database+".away"); err != nil {
		t.Fatal(err)
	}
	all("gone", http.StatusServiceUnavailable, "was taken away while the engine runs")
	if status, _ := v.get("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("ready without a database: %d", status)
	}
	if status, _ := v.get("/healthz"); status != http.StatusOK {
		t.Errorf("the process answers: %d", status)
	}
	if _, err := owner.PauseProject(ctx, "shop", api.PauseProject{Reason: "x"}); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a word without a database: %v", err)
	}
	if err := os.WriteFile(database, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all("replaced", http.StatusServiceUnavailable, "was replaced while the engine runs")
	if err := os.Rename(database+".away", database); err != nil {
		t.Fatal(err)
	}
	all("back", http.StatusOK, "</html>")
	if status, _ := v.get("/readyz"); status != http.StatusOK {
		t.Errorf("ready again: %d", status)
	}
	if _, err := owner.PauseProject(ctx, "shop", api.PauseProject{Reason: "x"}); err != nil {
		t.Errorf("a word afterwards: %v", err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// TestAStalledPageHoldsNobodyUp: of 200 open pages one does not read. The others
// hear of everything at once, and the engine ends when it is told to.
func TestAStalledPageHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	owner, address, stop := listening(ctx, t, app.Options{State: stateFolder(t), Version: "test"})
	repo := repository(t, map[string]string{"README.md": "x\n"})
	if _, err := owner.AddProject(ctx, api.AddProject{Repository: repo, Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	v := visit(ctx, t, owner, address)
	stalled, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stalled.Close() }()
	// It asks again and again on one connection for all there is, and reads nothing of it.
	for range 300 {
		if err := v.ask("/assets/cockpit.css").Write(stalled); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.ask("/live").Write(stalled); err != nil {
		t.Fatal(err)
	}
	at, err := owner.Position(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var streams []*bufio.Scanner
	for range 199 {
		resp, err := v.http.Do(v.ask("/live?since=" + at))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		streams = append(streams, bufio.NewScanner(resp.Body))
	}
	for i := range 10 {
		if i%2 == 0 {
			_, err = owner.PauseProject(ctx, "shop", api.PauseProject{Reason: "x"})
		} else {
			_, err = owner.ResumeProject(ctx, "shop", api.ResumeProject{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if at, err = owner.Position(ctx); err != nil {
			t.Fatal(err)
		}
		for n, s := range streams {
			hears(t, n, s, at)
		}
	}
	if status, _ := v.get("/"); status != http.StatusOK {
		t.Errorf("another page: %d", status)
	}
	began := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > waittest.Limit {
		t.Errorf("the engine took %s to end", took)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// hears reads a stream up to a position, or one after it.
func hears(t *testing.T, n int, s *bufio.Scanner, at string) {
	t.Helper()
	for s.Scan() {
		if id, ok := strings.CutPrefix(s.Text(), "id: "); ok && counted(t, id) >= counted(t, at) {
			return
		}
	}
	t.Fatalf("page %d did not hear of %s: %v", n, at, s.Err())
}

func counted(t *testing.T, position string) int {
	t.Helper()
	n, err := strconv.Atoi(position[strings.LastIndexByte(position, '.')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
