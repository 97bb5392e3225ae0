package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// recorder is a connection that takes its time.
type recorder struct{ *httptest.ResponseRecorder }

// SetReadDeadline is what a [http.ResponseController] asks for.
func (recorder) SetReadDeadline(time.Time) error { return nil }

// FuzzTools holds that a call of an attempt's tool is heard as that attempt's, or answered with a problem that says what
// is wrong.
func FuzzTools(f *testing.F) {
	for _, seed := range [][2]string{
		{"message", `{"text":"hello"}`}, {"message", `{"text":"x","Text":"y"}`}, {"question", `{"text":"Why?","default":"so"}`},
		{"delegate", `{"prompt":"Do it.","after":["t1"],"checks":["true"]}`}, {"plan", `{"files":{"plan.md":"x"},"message":"m"}`}, {"plan", `{"files":{"../x":null}}`},
		{"message", `{"text":"\ud800"}`}, {"delegate", `[]`}, {"nothing", "null"},
	} {
		f.Add(seed[0], seed[1])
	}
	tokens := attemptTokens(f, sqlitetest.New(f))
	token := tokens.Issue(attemptRun, attemptID)
	f.Fuzz(func(t *testing.T, tool, body string) {
		if strings.ContainsFunc(tool, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return // routes are the router's
		}
		svc := &apitest.Service{}
		req := httptest.NewRequest(http.MethodPost, "/v1/runs/"+attemptRun+"/tools/"+tool, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		answer := recorder{httptest.NewRecorder()}
		api.ToolHandler(svc, tokens, "1").ServeHTTP(answer, req)
		if answer.Code == http.StatusOK {
			if calls := svc.Calls(); len(calls) != 1 || calls[0].Caller.Actor != (core.Actor{Kind: core.ActorAgent, ID: attemptID}) {
				t.Fatalf("%s %q is heard as %+v", tool, body, calls)
			}
			return
		}
		var p api.Problem
		if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil || p.Detail == "" || answer.Code >= 500 {
			t.Fatalf("%s %q is answered with %d %q: %v", tool, body, answer.Code, answer.Body, err)
		}
		if len(svc.Calls()) > 0 {
			t.Fatalf("%s %q is refused, and heard", tool, body)
		}
	})
}
