package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// nearby is what elsewhere is, at a socket.
func nearby(t *testing.T, handle http.HandlerFunc) *client.Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handle)
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	c := client.New(socket, token)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// asked is a request as it arrived.
type asked struct {
	URI, Body string
	Header    map[string]string
}

func noted(t *testing.T, into *asked) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*into = asked{URI: r.Method + " " + r.RequestURI, Body: string(body), Header: map[string]string{}}
		for name := range r.Header {
			if name != "User-Agent" && name != "Content-Length" {
				into.Header[name] = r.Header.Get(name)
			}
		}
		_, _ = io.WriteString(w, "{}")
	}
}

// TestWhatIsAsked: a request says what it was told and nothing that it was not.
func TestWhatIsAsked(t *testing.T) {
	var got asked
	c := nearby(t, noted(t, &got))
	bearer := map[string]string{"Authorization": "Bearer " + token}
	typed := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
	for want, call := range map[string]func(context.Context) error{
		"GET /v1/projects":  func(ctx context.Context) error { _, err := c.Projects(ctx, api.ProjectQuery{}); return err },
		"GET /v1/runs":      func(ctx context.Context) error { _, err := c.Runs(ctx, api.RunQuery{}); return err },
		"GET /v1/limits":    func(ctx context.Context) error { _, err := c.Limits(ctx, api.LimitsQuery{}); return err },
		"GET /v1/questions": func(ctx context.Context) error { _, err := c.Questions(ctx); return err },
		"GET /v1/conversation": func(ctx context.Context) error {
			_, err := c.Messages(ctx, api.MessageQuery{})
			return err
		},
		"GET /v1/conversations": func(ctx context.Context) error {
			_, err := c.Conversations(ctx, api.ConversationQuery{})
			return err
		},
		"GET /v1/runs/r/effects": func(ctx context.Context) error { _, err := c.Effects(ctx, "r", api.EffectQuery{}); return err },
		"GET /v1/runs/r/events":  func(ctx context.Context) error { _, err := c.Events(ctx, "r", 0, 0); return err },
		"GET /v1/runs/r/attempts/a/transcript": func(ctx context.Context) error {
			_, err := c.Transcript(ctx, "r", "a", api.TranscriptQuery{})
			return err
		},
		"GET /v1/runs?limit=1":           func(ctx context.Context) error { _, err := c.Runs(ctx, api.RunQuery{Limit: 1}); return err },
		"GET /v1/runs/r/events?limit=1":  func(ctx context.Context) error { _, err := c.Events(ctx, "r", 0, 1); return err },
		"GET /v1/runs/r/effects?limit=1": func(ctx context.Context) error { _, err := c.Effects(ctx, "r", api.EffectQuery{Limit: 1}); return err },
		"GET /v1/runs/r/effects?tool=say": func(ctx context.Context) error {
			_, err := c.Effects(ctx, "r", api.EffectQuery{Tool: "say"})
			return err
		},
		"GET /v1/conversation?last=true&limit=1": func(ctx context.Context) error {
			_, err := c.Messages(ctx, api.MessageQuery{Last: true, Limit: 1})
			return err
		},
		"GET /v1/runs/r/attempts/a/transcript?at=-1&limit=1": func(ctx context.Context) error {
			_, err := c.Transcript(ctx, "r", "a", api.TranscriptQuery{At: -1, Limit: 1})
			return err
		},
		"POST /v1/runs/r/pause": func(ctx context.Context) error { _, err := c.Pause(ctx, "r", api.Pause{Stop: true}); return err },
	} {
		got = asked{}
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		whole := asked{URI: want, Header: bearer}
		if strings.HasPrefix(want, "POST") {
			whole.Body, whole.Header = `{"stop":true}`, typed
		}
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Errorf("%s: %s", want, diff)
		}
	}
	if _, err := c.Info(api.WithCall(api.AsSession(t.Context(), session), "call-7")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"Authorization": "Bearer " + token, api.CallHeader: "call-7", api.SessionHeader: session}, got.Header); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsAskedElsewhere names no folder of this machine, and leaves what the caller holds as it is.
func TestWhatIsAskedElsewhere(t *testing.T) {
	var got asked
	c := elsewhere(t, noted(t, &got))
	start := api.StartRun{Project: "shop", Dir: "/d", Goal: "g"}
	bare := start
	bare.Dir = ""
	for want, c := range map[string]struct {
		body any
		call func(context.Context) error
	}{
		"POST /v1/conversation": {api.Speak{Project: "shop.v2", Text: "hi", Start: &bare}, func(ctx context.Context) error {
			_, err := c.Speak(ctx, api.Speak{Project: "shop.v2", Dir: "/d", Text: "hi", Start: &start})
			return err
		}},
		"POST /v1/runs": {bare, func(ctx context.Context) error { _, err := c.StartRun(ctx, start); return err }},
		"POST /v1/trust": {api.Trust{Project: "shop", Confirm: "h"}, func(ctx context.Context) error {
			_, err := c.Trust(ctx, api.Trust{Project: "shop", Dir: "/d", Confirm: "h"})
			return err
		}},
		"POST /v1/runs/r/swap": {api.Swap{Playbook: "feature"}, func(ctx context.Context) error {
			_, err := c.Swap(ctx, "r", api.Swap{Playbook: "feature", Dir: "/d"})
			return err
		}},
	} {
		if err := c.call(t.Context()); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		body, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		if got.URI != want || got.Body != string(body) || got.Header["Authorization"] != "Bearer "+token {
			t.Errorf("%s %s, want %s %s", got.URI, got.Body, want, body)
		}
	}
	if _, err := c.Speak(t.Context(), api.Speak{Project: "shop", Dir: "/d"}); err != nil || start.Dir != "/d" {
		t.Errorf("without a start: %v; the caller's names %q", err, start.Dir)
	}
}

// TestWhatIsNoProjectElsewhere: a path is none, and the name of one may have a dot in it.
func TestWhatIsNoProjectElsewhere(t *testing.T) {
	c := elsewhere(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked for") })
	for _, project := range []string{"", ".", ".shop", "a/b", "/d"} {
		_, err := c.StartRun(t.Context(), api.StartRun{Project: project})
		if core.CodeOf(err) != core.CodeInvalid || !strings.HasPrefix(err.Error(), "the engine at http://127.0.0.1:") || !strings.HasSuffix(err.Error(), " does not know the folders of this machine: name the project") {
			t.Errorf("%q: %v", project, err)
		}
	}
	for address, hint := range map[string]string{
		"https://engine.example:port": "write it as https://HOST or https://HOST:PORT",
		"https://ada@engine.example":  "write it as https://engine.example; the token goes into STELLWERK_TOKEN or --token-file",
		"http://engine.example":       "use https://engine.example",
	} {
		if _, err := client.NewRemote(address, token); core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) != hint {
			t.Errorf("%s: %v (%s)", address, err, wording.Hint(err))
		}
	}
}

// TestWhatIsNoName is not asked for: it would be another address.
func TestWhatIsNoName(t *testing.T) {
	c := nearby(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked for", r.RequestURI) })
	for name, call := range map[string]func(name string) error{
		"token":    func(name string) error { _, err := c.RevokeToken(t.Context(), name, api.RevokeToken{}); return err },
		"question": func(name string) error { _, err := c.Answer(t.Context(), name, api.Answer{}); return err },
		"project":  func(name string) error { _, err := c.Project(t.Context(), name); return err },
		"run":      func(name string) error { _, err := c.Run(t.Context(), name); return err },
		"diff":     func(name string) error { return c.Diff(t.Context(), name, api.DiffQuery{}, io.Discard) },
		"events":   func(name string) error { return c.Follow(t.Context(), name, 0, nil) },
	} {
		for _, none := range []string{"", ".", ".."} {
			if err := call(none); core.CodeOf(err) != core.CodeNotFound || !strings.Contains(err.Error(), fmt.Sprintf("%q", none)) {
				t.Errorf("%s %q: %v", name, none, err)
			}
		}
	}
}

// TestWhatIsNoAnswer is told apart: an engine that gives no reason, one whose answer broke off, and none at all.
func TestWhatIsNoAnswer(t *testing.T) {
	const silent, cut = "the engine answered 500 Internal Server Error without a reason", "the engine's answer broke off"
	for name, c := range map[string]struct {
		status       int
		length, body string
		code         core.Code
		want         string
	}{
		"nothing":               {500, "", "", core.CodeInternal, silent},
		"no problem":            {500, "", "<html>", core.CodeInternal, silent},
		"a problem of no kind":  {500, "", `{"detail":"it failed"}`, core.CodeInternal, silent},
		"half a problem":        {500, "", `{"code":"conflict","detail":5}`, core.CodeInternal, silent},
		"a problem":             {500, "", `{"code":"conflict","detail":"it moved"}`, core.CodeConflict, "it moved"},
		"half an answer":        {200, "20", `{"version":`, core.CodeUnavailable, cut},
		"an answer of no shape": {200, "", `[]`, core.CodeUnavailable, cut},
	} {
		engine := nearby(t, func(w http.ResponseWriter, _ *http.Request) {
			if c.length != "" {
				w.Header().Set("Content-Length", c.length)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		if _, err := engine.Info(t.Context()); core.CodeOf(err) != c.code || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nowhere := filepath.Join(t.TempDir(), "engine.sock")
	_, err := client.New(nowhere, token).Info(t.Context())
	if core.CodeOf(err) != core.CodeUnavailable || !strings.HasPrefix(err.Error(), "no engine answers at "+nowhere) || strings.Contains(err.Error(), "http://") || wording.Hint(err) != "start one with `stellwerk serve`" {
		t.Errorf("nowhere: %v (%s)", err, wording.Hint(err))
	}
}

// full takes so many bytes and no more.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestADocumentThatBreaksOff is no document, whichever side fails; what had arrived was written.
func TestADocumentThatBreaksOff(t *testing.T) {
	c := nearby(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9")
		_, _ = io.WriteString(w, "half")
	})
	var got strings.Builder
	if err := c.Diff(t.Context(), "r", api.DiffQuery{}, &got); core.CodeOf(err) != core.CodeUnavailable || got.String() != "half" {
		t.Errorf("written is %q, %v", got.String(), err)
	}
	if err := c.Diff(t.Context(), "r", api.DiffQuery{}, &full{2}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a full disk: %v", err)
	}
}

// last is a reader who has had enough after the first word.
type last func()

func (l last) Write(p []byte) (int, error) { l(); return len(p), nil }

// TestWhoGaveUp is told why they did, and not that the engine failed.
func TestWhoGaveUp(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c := nearby(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for range 2 { // in the middle of the document, and before it
		if err := c.Diff(ctx, "r", api.DiffQuery{}, last(func() { cancel(enough) })); !errors.Is(err, enough) || core.CodeOf(err) == core.CodeUnavailable {
			t.Error(err)
		}
	}
}

// TestCloseLetsGo of connections that nothing is asked over.
func TestCloseLetsGo(t *testing.T) {
	closed := make(chan struct{})
	once := sync.OnceFunc(func() { close(closed) })
	server := httptest.NewUnstartedServer(noted(t, &asked{}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			once()
		}
	}
	server.Start()
	defer server.Close()
	c, err := client.NewRemote(server.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	<-closed
}
