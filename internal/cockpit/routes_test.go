package cockpit_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// addresses are those that the cockpit serves, as its source has them: what can be
// looked at, and what only takes a word.
func addresses(t *testing.T) (looks, words []string) {
	t.Helper()
	source, err := os.ReadFile("cockpit.go")
	if err != nil {
		t.Fatal(err)
	}
	real := strings.NewReplacer("{$}", "", "{run}", "r1", "{task}", "build.r1", "{attempt}", "build.r1.a1", "{digest}", digest,
		"{project}", "shop", "{playbook}", "feature", "{question}", "q-1", "{token}", "t1")
	for _, m := range regexp.MustCompile(`(?:c\.(page|form|word)\(mux, |mux\.HandleFunc\()"((?:GET |POST )?)([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		switch path := real.Replace(m[3]); {
		case path == "/live": // a stream, which has no end
		case m[1] == "word" || m[2] == "POST ":
			words = append(words, path)
		default:
			looks = append(looks, path)
		}
	}
	return looks, words
}

// TestLookingTellsTheEngineNothing asks for every page, with everything that a word
// would need in its address: nothing is carried out, and no page fails.
func TestLookingTellsTheEngineNothing(t *testing.T) {
	looks, words := addresses(t)
	if len(looks) < 30 || len(words) < 20 {
		t.Fatalf("only %d addresses to look at and %d words are known", len(looks), len(words))
	}
	svc := hostileTask(t)
	svc.ProjectAnswer.Name = "shop"
	svc.Documents["diff"] = smallDiff
	h := serve(t, svc, api.RoleAdmin)
	const said = "?text=x&subject=%7B%7D&confirm=hash&goal=x&repository=%2Fsrv&name=x&role=admin&epic=e1&commit=a&tip=b&to=build&key=k&line=1&yes=on"
	for _, path := range looks {
		for _, query := range []string{"", said} {
			if code, body := get(t, h, path+query); code >= http.StatusInternalServerError {
				t.Errorf("GET %s: %d: %.200s", path+query, code, body)
			}
		}
	}
	for _, path := range words {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, path+said, nil))
			if w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, w.Code)
			}
		}
	}
	for _, call := range svc.Calls() {
		if call.Verb != "diff" && call.Verb != "show plan" { // which are looks that tests want to know of
			t.Errorf("%s was carried out: %+v", call.Verb, call.Req)
		}
	}
}
