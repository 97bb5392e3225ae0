package broker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
)

func TestACredentialIsNeverShown(t *testing.T) {
	c := broker.Credential{Kind: broker.OAuth, Value: key}
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("it", "credential", c, "in", struct{ C broker.Credential }{c})
	encoded, err := json.Marshal(map[string]any{"c": c, "list": []broker.Credential{c}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c, c), fmt.Sprintf("%+v", &c), fmt.Sprintf("%+v", []any{c}),
		errors.New(c.String()).Error(), string(encoded), logged.String(),
	} {
		if strings.Contains(text, key) || !strings.Contains(text, "oauth") {
			t.Errorf("it is shown as %s", text)
		}
	}
}

func TestTokensLookLikeTheProvidersOwn(t *testing.T) {
	for kind, shape := range map[broker.Kind]string{
		broker.APIKey: `^sk-ant-api03-[\w-]{92}$`, broker.Bearer: `^sk-ant-api03-[\w-]{92}$`, broker.OAuth: `^sk-ant-oat01-[\w-]{92}$`,
	} {
		first, second := newToken(t, kind), newToken(t, kind)
		if !regexp.MustCompile(shape).MatchString(first) || first == second {
			t.Errorf("%s: %s, %s", kind, first, second)
		}
	}
	if _, err := broker.NewToken("other"); err == nil {
		t.Error("there is a token of an unknown kind")
	}
}

func TestSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		source broker.Source
		fails  string
	}{
		"value":                {broker.Value(broker.Credential{Kind: broker.APIKey, Value: key}), ""},
		"file":                 {broker.File(broker.APIKey, file), ""},
		"command":              {broker.Command(broker.APIKey, "cat", file), ""},
		"empty value":          {broker.Value(broker.Credential{Kind: broker.APIKey}), "is empty"},
		"two lines":            {broker.Command(broker.APIKey, "sh", "-c", `cat "$0"; echo user`, file), "on one line"},
		"missing file":         {broker.File(broker.APIKey, file+".gone"), "no such file"},
		"no command":           {broker.Command(broker.APIKey), "is empty"},
		"missing command":      {broker.Command(broker.APIKey, "/no/such/program"), "no such file"},
		"failing command":      {broker.Command(broker.APIKey, "sh", "-c", `cat "$0"; cat "$0" >&2; exit 3`, file), "exit status 3"},
		"command without word": {broker.Command(broker.APIKey, "true"), "is empty"},
		"endless command":      {broker.Command(broker.APIKey, "sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x"), "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // before a request, and after a refusal
				got, err := c.source(t.Context())
				switch {
				case c.fails == "" && (err != nil || got != broker.Credential{Kind: broker.APIKey, Value: key}):
					t.Errorf("got %v, %v", got, err)
				case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails) || strings.Contains(err.Error(), key)):
					t.Errorf("the error is %v", err)
				}
			}
		})
	}
}

// The keyring's own program is not on every machine: one of its name shows what it is asked.
func TestKeyring(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"secret-tool", "security"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\nIFS=_; echo \"${0##*/}_$*\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	got, err := broker.Keyring(broker.OAuth, "work")(t.Context())
	if err != nil || got.Kind != broker.OAuth ||
		got.Value != "secret-tool_lookup_service_stellwerk_account_work" && got.Value != "security_find-generic-password_-w_-s_stellwerk_-a_work" {
		t.Errorf("got %s, %v", got.Value, err)
	}
}

func TestACredentialIsReadAnewAfterItWasRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	write := func(value string) {
		if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sk-old-credential")
	var valid atomic.Value
	valid.Store("sk-old-credential")
	w := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != valid.Load() {
			says(401, "application/json", `{"type":"error","error":{"type":"authentication_error","message":"no"}}`)(rw, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) == 0 {
			t.Errorf("the provider reads %q, %v", body, err)
		}
		says(200, "application/json", plainAnswer)(rw, r)
	}, func(o *broker.Options) { o.Source = broker.File(broker.APIKey, file) })
	ask := message("claude-opus-5-5", 100, "")
	if got, _ := w.ask(ask); got.Status != 200 {
		t.Fatalf("at first: %d %s", got.Status, got.Body)
	}
	valid.Store("sk-new-credential")
	if got, x := w.ask(ask); got.Status != 401 || x.USD != 0 || len(w.seen()) != 2 {
		t.Errorf("while the file is old: %d after %d requests, on record %+v", got.Status, len(w.seen()), x)
	}
	write("sk-new-credential")
	if got, x := w.ask(ask); got.Status != 200 || x.Usage.Output != 5 || len(w.seen()) != 4 {
		t.Errorf("with a new file: %d after %d requests, on record %+v", got.Status, len(w.seen()), x)
	}
}

func TestACredentialThatCannotBeHad(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer), func(o *broker.Options) {
		o.Source = broker.Command(broker.APIKey, "sh", "-c", "echo "+key+" >&2; exit 1")
	})
	got, x := w.ask(message("claude-opus-5-5", 100, ""))
	if got.Status != 502 || len(w.seen()) != 0 || x.USD != 0 {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	w.leaksNothing(got)
}

// leaksNothing looks for the credential in everything that leaves the broker.
func (w *world) leaksNothing(replies ...reply) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	records, err := json.Marshal(w.exchanges)
	if err != nil {
		w.t.Fatal(err)
	}
	texts := map[string]string{"log": w.log.String(), "records": string(records) + fmt.Sprintf("%+v", w.exchanges)}
	for i, r := range replies {
		texts[fmt.Sprintf("answer %d", i)] = fmt.Sprintf("%v %s %v", r.Header, r.Body, r.Err)
	}
	for name, text := range texts {
		if strings.Contains(text, key) || strings.Contains(text, w.token) {
			w.t.Errorf("the %s has a secret:\n%s", name, text)
		}
	}
}

// A provider that quotes the key wherever it can must not tell the agent.
func TestAQuotedCredentialIsHidden(t *testing.T) {
	quotes := func(status int, kind string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			offered := r.Header.Get("X-Api-Key")
			rw.Header().Set("Content-Type", kind)
			rw.Header().Set("Anthropic-Organization-Id", offered)
			rw.Header().Set("X-Debug", offered)
			rw.WriteHeader(status)
			text := "data: first " + offered + " and " + offered + "\n\ndata: second " + offered[:20]
			for _, piece := range []string{text[:30], text[30:31], text[31:]} {
				if _, err := io.WriteString(rw, piece); err != nil {
					t.Error(err)
				}
				if err := http.NewResponseController(rw).Flush(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for name, provider := range map[string]http.HandlerFunc{
		"error": quotes(401, "application/json"), "plain": quotes(200, "application/json"), "stream": quotes(200, "text/event-stream"),
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, provider)
			got, _ := w.ask(message("claude-opus-5-5", 100, ""))
			if want := "data: first [redacted] and [redacted]\n\ndata: second " + key[:20]; got.Body != want {
				t.Errorf("the agent got %q", got.Body)
			}
			if got.Header.Get("Anthropic-Organization-Id") != "[redacted]" || got.Header.Get("X-Debug") != "" {
				t.Errorf("the agent got %v", got.Header)
			}
			w.leaksNothing(got)
		})
	}
}

func TestAMadeUpKeyIsNoSecret(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer), func(o *broker.Options) {
		o.Source = broker.Value(broker.Credential{Kind: broker.Bearer, Value: "usage"})
	})
	if got, x := w.ask(message("claude-opus-5-5", 100, "")); got.Body != plainAnswer || x.Usage.Output != 5 {
		t.Errorf("the agent got %s, on record %+v", got.Body, x)
	}
}
