package forgetest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Token is the token that a server of the suite accepts, unless Setup's maker
// was given another.
const Token = "a-token-that-nobody-may-see-0123456789"

// Server is a forge's server with an empty repository.
type Server struct {
	http.Handler
	Other           Other
	Project, Remote string
	Token           string
	// Connect makes a forge that reaches the server at a base address.
	Connect func(t *testing.T, base string, token forge.Secret, timeout time.Duration) forge.Forge
}

// RunHTTP runs the suite against a server, and then the bad days of the line to
// it.
func RunHTTP(t *testing.T, start func(t *testing.T) Server) {
	t.Helper()
	Run(t, func(t *testing.T) Setup { return newDay(t, start(t)).Setup })
	tests := []struct {
		name string
		test func(*testing.T, *day)
	}{
		{"fault/answer lost after creating", testLostAnswer},
		{"fault/killed after creating", testKilledAfterCreate},
		{"fault/told apart", testToldApart},
		{"fault/garbage", testGarbage},
		{"fault/slow", testSlow},
		{"fault/down", testDown},
		{"fault/sent elsewhere", testSentElsewhere},
		{"fault/token echoed", testEcho},
		{"fault/token revoked", testRevoked},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.test(t, newDay(t, start(t))) })
	}
}

// day is a setup whose line can break.
type day struct {
	Setup
	server Server
	line   *Line
}

func newDay(t *testing.T, s Server) *day {
	t.Helper()
	d := &day{Setup: Setup{Other: s.Other, Project: s.Project, Remote: s.Remote}, server: s, line: NewLine(t, s.Handler)}
	d.Forge = d.fresh(t)
	return d
}

// fresh is a forge that knows nothing of what came over the line before.
func (d *day) fresh(t *testing.T) forge.Forge {
	t.Helper()
	return d.server.Connect(t, d.line.URL, forge.NewSecret(d.server.Token), waittest.Limit)
}

func testLostAnswer(t *testing.T, d *day) {
	faults := map[string]Fault{
		"feature/500":     After(Answer(http.StatusInternalServerError, `{"message":"oops"}`)),
		"feature/502":     After(Answer(http.StatusBadGateway, "<html>bad gateway</html>")),
		"feature/cut":     After(Cut),
		"feature/garbage": After(Answer(http.StatusCreated, "{")),
		"feature/empty":   After(Answer(http.StatusCreated, "{}")),
	}
	made := 0
	for head, fault := range faults {
		made++
		commit := d.Other.Push(t, head)
		d.line.Break(OnCreate(fault))
		number := mustAsk(t, d.Setup, d.Request(head, commit))
		d.line.Break(nil)
		if again := mustAsk(t, d.Setup, d.Request(head, commit)); again != number {
			t.Errorf("%s: number %d, was %d", head, again, number)
		}
		if n := d.Other.Count(t); n != made {
			t.Fatalf("%s: %d pull requests, want %d", head, n, made)
		}
	}
}

// testKilledAfterCreate loses the answer and every one after it, as an engine
// that is killed does; the next call finds what was made.
func testKilledAfterCreate(t *testing.T, d *day) {
	commit := d.Other.Push(t, "feature/x")
	d.line.Break(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost {
			next.ServeHTTP(httptest.NewRecorder(), r)
			d.line.Break(Cut)
			Cut(w, r, next)
		}
		next.ServeHTTP(w, r)
	})
	if _, _, err := d.Forge.Open(t.Context(), d.Request("feature/x", commit)); !errors.Is(err, forge.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	d.line.Break(nil)
	mustAsk(t, d.Setup, d.Request("feature/x", commit))
	if n := d.Other.Count(t); n != 1 {
		t.Errorf("%d pull requests, want 1", n)
	}
}

func testToldApart(t *testing.T, d *day) {
	number, commit := mustOpen(t, d.Setup, "feature/x")
	tests := []struct {
		name  string
		fault Fault
		kind  error
		after time.Duration
		retry bool
	}{
		{"500", Answer(500, `{"message":"oops"}`), forge.ErrUnavailable, 0, true},
		{"503", Answer(503, "", "Retry-After", "7"), forge.ErrUnavailable, 7 * time.Second, true},
		{"429", Answer(429, `{"message":"slow down"}`, "Retry-After", "30"), forge.ErrRateLimited, 30 * time.Second, true},
		{"429 without a time", Answer(429, ""), forge.ErrRateLimited, time.Minute, true},
		{"429 for ever", Answer(429, "", "Retry-After", "99999999"), forge.ErrRateLimited, 2 * time.Hour, true},
		{"401", Answer(401, `{"message":"Bad credentials"}`), forge.ErrToken, 0, false},
		{"403", Answer(403, `{"message":"not yours"}`), forge.ErrForbidden, 0, false},
		{"404", Answer(404, `{"message":"Not Found"}`), forge.ErrNotFound, 0, false},
		{"400", Answer(400, `{"message":"what?"}`), forge.ErrRefused, 0, false},
	}
	for _, test := range tests {
		// Some clients keep to a limit by themselves once they were told.
		d.line.Break(test.fault)
		_, lookErr := d.fresh(t).Look(t.Context(), d.Ref(number, ""))
		_, _, openErr := d.fresh(t).Open(t.Context(), d.Request("feature/x", commit))
		d.line.Break(nil)
		if !errors.Is(lookErr, test.kind) {
			t.Errorf("%s: look: %v", test.name, lookErr)
		}
		// A forge that knows nothing of two branches is asked to open, and says so.
		if !errors.Is(openErr, test.kind) {
			t.Errorf("%s: open: %v", test.name, openErr)
		}
		after, retry := forge.Retry(lookErr)
		if retry != test.retry || (after-test.after).Abs() > 2*time.Second {
			t.Errorf("%s: try again %t in %v, want %t in %v", test.name, retry, after, test.retry, test.after)
		}
	}
}

func testGarbage(t *testing.T, d *day) {
	number, _ := mustOpen(t, d.Setup, "feature/x")
	for name, body := range map[string]string{
		"a page":  "<!doctype html><title>Sign in</title>",
		"a flood": `{"title":"` + strings.Repeat("x", 20<<20) + `"}`,
		"nothing": "",
		"another": `{"number":99,"state":"closed","merged":true,"head":{"sha":"x"}}`,
	} {
		d.line.Break(Answer(http.StatusOK, body))
		if seen, err := d.Forge.Look(t.Context(), d.Ref(number, "")); !errors.Is(err, forge.ErrUnavailable) {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
	}
}

func testSlow(t *testing.T, d *day) {
	number, _ := mustOpen(t, d.Setup, "feature/x")
	d.line.Break(Hang)
	before := time.Now()
	hasty := d.server.Connect(t, d.line.URL, forge.NewSecret(d.server.Token), 200*time.Millisecond)
	if _, err := hasty.Look(t.Context(), d.Ref(number, "")); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(before); took > 20*time.Second {
		t.Errorf("waited %v", took)
	}
}

func testDown(t *testing.T, d *day) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	down := d.server.Connect(t, gone.URL, forge.NewSecret(d.server.Token), waittest.Limit)
	if _, err := down.Look(t.Context(), d.Ref(1, "")); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("look: %v", err)
	}
	if _, _, err := down.Open(t.Context(), d.Request("feature/x", "")); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
}

func testSentElsewhere(t *testing.T, d *day) {
	number, commit := mustOpen(t, d.Setup, "feature/x")
	heard := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		heard++
		w.WriteHeader(http.StatusOK)
	}))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 307, 308} {
		d.line.Break(func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		})
		if _, err := d.Forge.Look(t.Context(), d.Ref(number, "")); !errors.Is(err, forge.ErrRefused) {
			t.Errorf("%d: look: %v", status, err)
		}
		if _, _, err := d.Forge.Open(t.Context(), d.Request("feature/x", commit)); !errors.Is(err, forge.ErrRefused) {
			t.Errorf("%d: open: %v", status, err)
		}
	}
	if heard != 0 {
		t.Errorf("the other host was asked %d times", heard)
	}
}

func testEcho(t *testing.T, d *day) {
	d.line.Break(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		header := r.Header.Get("Authorization")
		if !strings.Contains(header, d.server.Token) {
			t.Errorf("the forge was not given the token: %q", header)
		}
		if strings.Contains(r.URL.String(), d.server.Token) {
			t.Error("the token is in the address")
		}
		Answer(http.StatusBadRequest, `{"message":"what is `+header+`?"}`)(w, r, next)
	})
	_, err := d.Forge.Look(t.Context(), d.Ref(1, ""))
	if err == nil || strings.Contains(err.Error(), d.server.Token) {
		t.Errorf("got %v", err)
	}
}

func testRevoked(t *testing.T, d *day) {
	number, commit := mustOpen(t, d.Setup, "feature/x")
	revoked := d.server.Connect(t, d.line.URL, forge.NewSecret("a-token-that-was-revoked-98765432100"), waittest.Limit)
	if _, err := revoked.Look(t.Context(), d.Ref(number, "")); !errors.Is(err, forge.ErrToken) {
		t.Errorf("look: %v", err)
	}
	if _, _, err := revoked.Open(t.Context(), d.Request("feature/x", commit)); !errors.Is(err, forge.ErrToken) {
		t.Errorf("open: %v", err)
	}
}
