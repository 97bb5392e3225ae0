package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestASecretThatCannotBeKeptIsNone: what lies at its path stays, and nobody goes on with a secret that no file holds.
func TestASecretThatCannotBeKeptIsNone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file/inside", "missing/inside", "folder"} {
		path := filepath.Join(folder, name)
		if token, err := api.EnsurePersonToken(path); err == nil || token != "" {
			t.Errorf("%s: the token %q, %v", name, token, err)
		}
		if token, err := api.ReadPersonToken(path); err == nil || token != "" {
			t.Errorf("%s: read %q, %v", name, token, err)
		}
	}
	db := sqlitetest.New(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if tokens, err := api.OpenAttemptTokens(t.Context(), db); err == nil || tokens != nil {
		t.Errorf("keys %v, %v", tokens, err)
	}
	if info, err := os.Stat(filepath.Join(folder, "folder")); err != nil || !info.IsDir() {
		t.Errorf("the folder is gone: %v", err)
	}
}

// TestATokenOfTheWrongShapeIsReplaced, though its length is right.
func TestATokenOfTheWrongShapeIsReplaced(t *testing.T) {
	t.Parallel()
	for _, held := range []string{strings.Repeat("x", 64), strings.Repeat("0", 62), strings.Repeat("0", 66), strings.Repeat("0", 63) + "g"} {
		path := filepath.Join(t.TempDir(), api.PersonTokenFile)
		if err := os.WriteFile(path, []byte(held), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := api.ReadPersonToken(path); core.CodeOf(err) != core.CodeForbidden || token != "" || wording.Hint(err) == "" {
			t.Errorf("%s was read as %q, %v", held, token, err)
		}
		if token, err := api.EnsurePersonToken(path); err != nil || token == held || len(token) != 64 {
			t.Errorf("%s became %q, %v", held, token, err)
		}
	}
}

// TestNoAttemptWithoutAName: a seal is no proof where there is nothing that it seals.
func TestNoAttemptWithoutAName(t *testing.T) {
	t.Parallel()
	tokens := attemptTokens(t, sqlitetest.New(t))
	for _, of := range [][2]string{{"", "a"}, {"r", ""}, {"", ""}} {
		if caller, ok := tokens.Authenticate(tokens.Issue(of[0], of[1])); ok {
			t.Errorf("%q is taken for %+v", of, caller)
		}
	}
	seal := strings.TrimPrefix(tokens.Issue("r", ""), "r..")
	if caller, ok := tokens.Authenticate("r." + seal); ok {
		t.Errorf("a token of two parts is taken for %+v", caller)
	}
}

// TestWhoStopsWaitingIsToldSo: an engine that ends or a call that took too long is no fault of what was asked.
func TestWhoStopsWaitingIsToldSo(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.Canceled, context.DeadlineExceeded} {
		for _, told := range []error{err, fmt.Errorf("ask the store: %w", err)} {
			if got := api.StatusOf(told); got != http.StatusServiceUnavailable {
				t.Errorf("%v: %d", told, got)
			}
		}
	}
	for status, code := range map[int]core.Code{
		400: core.CodeInvalid, 401: core.CodeForbidden, 403: core.CodeForbidden, 404: core.CodeNotFound, 405: core.CodeInvalid, 406: core.CodeUnsupported,
		413: core.CodeInvalid, 415: core.CodeUnsupported, 422: core.CodeInvalid, 499: core.CodeInvalid, 500: core.CodeInternal, 502: core.CodeInternal,
	} {
		w := httptest.NewRecorder()
		p := api.NewProblem(status, "it is so", "do this")
		p.Write(w)
		if p.Code != code || w.Code != status || !strings.Contains(w.Body.String(), `"hint":"do this"`) || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%d: %+v, sent as %d %q", status, p, w.Code, w.Body)
		}
	}
}

// TestDocumentsAreServedWhole: with their head, also where there is nothing in them; and a failure before the first byte is one.
func TestDocumentsAreServedWhole(t *testing.T) {
	t.Parallel()
	head := http.Header{"Content-Type": {"text/x-diff"}, "X-Own": {"a", "b"}}
	for _, parts := range [][]string{nil, {"all"}, {"first ", "second ", "third"}} {
		w := httptest.NewRecorder()
		err := api.ServeDocument(w, head, func(out io.Writer) error {
			for _, part := range parts {
				if _, err := io.WriteString(out, part); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || w.Code != http.StatusOK || w.Body.String() != strings.Join(parts, "") || w.Header().Get("Content-Type") != "text/x-diff" || len(w.Header()["X-Own"]) != 2 {
			t.Errorf("%q: %v, %d %v %q", parts, err, w.Code, w.Header(), w.Body)
		}
	}
	w := httptest.NewRecorder()
	lost := errors.New("lost")
	if err := api.ServeDocument(w, head, func(io.Writer) error { return lost }); !errors.Is(err, lost) || len(w.Header()) > 0 || w.Flushed {
		t.Errorf("%v, with the head %v", err, w.Header())
	}
}

// TestABodyWithoutALimitOfTimeIsNotRead: a connection that knows no deadline could hold a request for ever.
func TestABodyWithoutALimitOfTimeIsNotRead(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder() // it has none
	reached := false
	api.Bounded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }), func(w http.ResponseWriter, p *api.Problem) { p.Write(w) }).
		ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}")))
	if reached || w.Code != http.StatusInternalServerError {
		t.Errorf("reached: %v, %d %s", reached, w.Code, w.Body)
	}
}

// TestStreamsAreNotKept by what stands between engine and client, and end in the problem that ended them.
func TestStreamsAreNotKept(t *testing.T) {
	svc := &broken{Service: history("r1", 2)}
	c, _ := engine(t, svc)
	for _, path := range []string{"/v1/runs/r1/follow", "/v1/watch"} {
		resp, body := ask(t, c, http.MethodGet, path, "")
		if resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s: %v", path, resp.Header)
		}
		if !strings.Contains(body, "event: problem\ndata: {") || !strings.Contains(body, `"code":"unavailable"`) || strings.Contains(body, "event: end") {
			t.Errorf("%s: %s", path, body)
		}
	}
	for _, last := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		resp, body := ask(t, c, http.MethodGet, "/v1/runs/r1/follow", "", "Last-Event-ID", last)
		if p := problem(t, resp, body); p.Code != core.CodeInvalid {
			t.Errorf("Last-Event-ID %s: %d %s", last, resp.StatusCode, body)
		}
	}
	resp, body := ask(t, c, http.MethodGet, "/v1/info", "", "Authorization", "Bearer x")
	if p := problem(t, resp, body); !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Bearer ") || p.Hint == "" {
		t.Errorf("somebody unknown: %v %s", resp.Header, body)
	}
	resp, body = ask(t, c, http.MethodGet, "/v1/info", "", api.SessionHeader, "no session")
	if p := problem(t, resp, body); resp.StatusCode != http.StatusBadRequest || p.Code != core.CodeInvalid {
		t.Errorf("a session that is none: %d %s", resp.StatusCode, body)
	}
}

// broken is a service whose streams fail.
type broken struct{ *apitest.Service }

func (broken) Follow(context.Context, string, int64, func(core.Event) error) error {
	return core.Errorf(core.CodeUnavailable, "the store is gone")
}

func (broken) Watch(context.Context, string, func(api.Moved) error) error {
	return core.Errorf(core.CodeUnavailable, "the store is gone")
}
