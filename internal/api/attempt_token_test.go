package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

const attemptRun, attemptID = "0198c1d2-aaaa", "manager.r2.a1"

func attemptTokens(t testing.TB, docs store.Documents) *api.AttemptTokens {
	t.Helper()
	tokens, err := api.OpenAttemptTokens(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func TestAttemptTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	db := sqlitetest.Open(t, path)
	token := attemptTokens(t, db).Issue(attemptRun, attemptID)
	again := attemptTokens(t, sqlitetest.Open(t, path)) // another engine, or one that was started anew
	caller, ok := again.Authenticate(token)
	if want := (core.Actor{Kind: core.ActorAgent, ID: attemptID}); !ok || caller.Actor != want || caller.Run != attemptRun {
		t.Errorf("known: %v, as %+v", ok, caller)
	}
	key, err := db.Document(t.Context(), "key", "tools")
	if err != nil || len(key.Data) != 64 || strings.Contains(token, string(key.Data)) {
		t.Errorf("the token shows the key (%v)", err)
	}
	seal := token[strings.LastIndexByte(token, '.')+1:]
	other := attemptTokens(t, sqlitetest.New(t))
	for name, forged := range map[string]string{
		"nothing": "", "no parts": "stwk_x", "no seal": attemptRun + "." + attemptID + ".", "no attempt": attemptRun + "." + seal,
		"another run": "0198c1d2-bbbb." + attemptID + "." + seal, "another attempt": attemptRun + ".manager.r3.a1." + seal,
		"a shifted border": "0198c1d2-aaaa.manager.r2" + ".a1x." + seal, "cut short": token[:len(token)-1], "of another key": other.Issue(attemptRun, attemptID),
	} {
		if caller, ok := again.Authenticate(forged); ok {
			t.Errorf("%s: known as %+v", name, caller)
		}
	}
}

// TestTheFirstEngineMakesTheKey: of several that start at once, one does, and all
// know each other's attempts.
func TestTheFirstEngineMakesTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	made := make(chan string, 8)
	for range cap(made) {
		db := sqlitetest.Open(t, path)
		go func() {
			tokens, err := api.OpenAttemptTokens(t.Context(), db)
			if err != nil {
				made <- err.Error()
				return
			}
			made <- tokens.Issue(attemptRun, attemptID)
		}()
	}
	want := attemptTokens(t, sqlitetest.Open(t, path)).Issue(attemptRun, attemptID)
	for range cap(made) {
		if got := <-made; got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// TestAKeyThatOthersCouldReadIsNotTakenOver: it is no key any more.
func TestAKeyThatOthersCouldReadIsNotTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool.key")
	if err := os.WriteFile(path, []byte(strings.Repeat("ab", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := sqlitetest.New(t)
	docs, err := api.OldToolKey(path)
	if err == nil {
		_, err = db.PutDocuments(t.Context(), docs)
	}
	if key, readErr := db.Document(t.Context(), "key", "tools"); err != nil || readErr != nil || string(key.Data) != strings.Repeat("ab", 32) {
		t.Errorf("the key is %q, %v, %v", key.Data, err, readErr)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if docs, err := api.OldToolKey(path); err != nil || len(docs) != 0 {
		t.Errorf("%+v, %v", docs, err)
	}
}

// toolCall asks a handler of tools in the name of who holds token.
func toolCall(t *testing.T, h http.Handler, token, method, path, body string, head ...string) (int, api.Problem) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var p api.Problem
	if resp.StatusCode != http.StatusOK {
		if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
			t.Fatalf("%s %s: %d, %v", method, path, resp.StatusCode, err)
		}
	}
	return resp.StatusCode, p
}

func TestToolHandler(t *testing.T) {
	svc := &apitest.Service{}
	tokens := attemptTokens(t, sqlitetest.New(t))
	h := api.ToolHandler(svc, tokens, "1")
	own, words := "/v1/runs/"+attemptRun+"/tools/message", `{"text":"hello"}`
	token := tokens.Issue(attemptRun, attemptID)
	if code, p := toolCall(t, h, token, http.MethodPost, own, words); code != http.StatusOK {
		t.Errorf("its own tool: %d %+v", code, p)
	}
	calls := svc.Calls()
	if len(calls) != 1 || calls[0].Caller.Actor != (core.Actor{Kind: core.ActorAgent, ID: attemptID}) {
		t.Fatalf("the engine heard %+v", calls)
	}
	// A session's name makes nothing else of an attempt.
	if code, p := toolCall(t, h, token, http.MethodPost, own, words, api.SessionHeader, "0b0e8a3c-5d3f-4b7a-9c1d-2e4f6a8b0c1d"); code != http.StatusOK {
		t.Errorf("with a session's name: %d %+v", code, p)
	}
	if calls := svc.Calls(); len(calls) != 2 || calls[1].Caller.Actor.Kind != core.ActorAgent {
		t.Errorf("the engine heard %+v", calls)
	}
	for name, c := range map[string]struct {
		token, method, path, body string
		status                    int
	}{
		"another run":          {token, http.MethodPost, "/v1/runs/0198c1d2-bbbb/tools/message", words, http.StatusForbidden},
		"another run's plan":   {token, http.MethodGet, "/v1/runs/0198c1d2-bbbb/tools/plan", "", http.StatusForbidden},
		"another run's detail": {token, http.MethodGet, "/v1/runs/0198c1d2-bbbb/tools/detail?name=d1", "", http.StatusForbidden},
		"another run's index":  {token, http.MethodGet, "/v1/runs/0198c1d2-bbbb/tools/details", "", http.StatusForbidden},
		"no detail":            {token, http.MethodGet, "/v1/runs/" + attemptRun + "/tools/detail", "", http.StatusUnprocessableEntity},
		"an approval":          {token, http.MethodPost, "/v1/runs/" + attemptRun + "/approve", `{}`, http.StatusNotFound},
		"the list of runs":     {token, http.MethodGet, "/v1/runs", "", http.StatusNotFound},
		"the engine":           {token, http.MethodGet, "/v1/info", "", http.StatusNotFound},
		"a forged token":       {token + "A", http.MethodPost, own, words, http.StatusUnauthorized},
		"no token":             {"", http.MethodPost, own, words, http.StatusUnauthorized},
		"an unknown field":     {token, http.MethodPost, own, `{"text":"x","as":"green"}`, http.StatusUnprocessableEntity},
		"an unknown parameter": {token, http.MethodGet, "/v1/runs/" + attemptRun + "/tools/plan?run=x", "", http.StatusUnprocessableEntity},
	} {
		if code, p := toolCall(t, h, c.token, c.method, c.path, c.body); code != c.status {
			t.Errorf("%s: %d %+v, want %d", name, code, p, c.status)
		}
	}
	if calls := svc.Calls(); len(calls) != 2 {
		t.Errorf("the engine heard %+v", calls[2:])
	}
	// The person's own door does not know attempts.
	person := api.Handler(svc, api.NewPersonAuthenticator("0123", "ada"), "1")
	if code, _ := toolCall(t, person, token, http.MethodPost, own, words); code != http.StatusUnauthorized {
		t.Errorf("an attempt at the person's door: %d", code)
	}
}
