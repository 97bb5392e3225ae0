package broker_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
)

const plainAnswer = `{"type":"message","content":[],"usage":{"input_tokens":10,"output_tokens":5}}`

func TestTokenIsSwappedForTheCredential(t *testing.T) {
	for _, c := range []struct {
		kind          broker.Kind
		header, value string
		absent        string
	}{
		{broker.APIKey, "X-Api-Key", key, "Authorization"},
		{broker.Bearer, "Authorization", "Bearer " + key, "X-Api-Key"},
		{broker.OAuth, "Authorization", "Bearer " + key, "X-Api-Key"},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			w := serve(t, says(200, "application/json", plainAnswer), func(o *broker.Options) {
				o.Source = broker.Value(broker.Credential{Kind: c.kind, Value: key})
			})
			r := w.request(http.MethodPost, "/v1/messages?beta=true", message("claude-opus-5-5", 100, ""))
			r.Header.Del("X-Api-Key")
			r.Header.Set("Authorization", "Bearer "+w.token)
			r.Header.Set("Anthropic-Beta", "oauth-2025-04-20")
			if got := w.do(r); got.Status != 200 || got.Body != plainAnswer {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			saw := w.seen()[0]
			if got := saw.Header.Get(c.header); got != c.value {
				t.Errorf("the provider saw %s: %q", c.header, got)
			}
			if got := saw.Header.Values(c.absent); len(got) != 0 {
				t.Errorf("the provider saw %s: %q", c.absent, got)
			}
			if saw.Query != "beta=true" || saw.Path != "/v1/messages" || saw.Header.Get("Anthropic-Beta") != "oauth-2025-04-20" {
				t.Errorf("the provider saw %+v", saw)
			}
		})
	}
}

func TestRequestsThatAreNotForwarded(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer))
	good := w.token
	for _, c := range []struct {
		name, method, path, token string
		status                    int
		kind                      string
	}{
		{"no token", http.MethodPost, "/v1/messages", "", 401, "authentication_error"},
		{"another token", http.MethodPost, "/v1/messages", good[:len(good)-1] + "!", 401, "authentication_error"},
		{"the credential itself", http.MethodPost, "/v1/messages", key, 401, "authentication_error"},
		{"another path", http.MethodPost, "/v1/files", good, 403, "permission_error"},
		{"batches", http.MethodPost, "/v1/messages/batches", good, 403, "permission_error"},
		{"another method", http.MethodDelete, "/v1/messages", good, 403, "permission_error"},
		{"a trailing slash", http.MethodPost, "/v1/messages/", good, 403, "permission_error"},
		{"a doubled slash", http.MethodPost, "//v1/messages", good, 403, "permission_error"},
		{"an escaped path", http.MethodPost, "/v1/%6dessages", good, 403, "permission_error"},
		{"a path upwards", http.MethodGet, "/v1/models/..", good, 403, "permission_error"},
		{"an escaped path upwards", http.MethodGet, "/v1/models/%2e%2e%2forganizations", good, 403, "permission_error"},
		{"two elements below", http.MethodGet, "/v1/models/a/b", good, 403, "permission_error"},
		{"a longer word", http.MethodGet, "/v1/modelsx", good, 403, "permission_error"},
		{"another provider's path", http.MethodPost, "/../openai/v1/messages", good, 403, "permission_error"},
		{"no model", http.MethodPost, "/v1/messages", good, 400, "invalid_request_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := w.request(c.method, "", `{"max_tokens":1}`)
			r.URL.Opaque = "//" + r.URL.Host + r.URL.Path + c.path
			r.Header.Set("X-Api-Key", c.token)
			got := w.do(r)
			if f := got.failure(t); got.Status != c.status || f.Error.Type != c.kind || f.Type != "error" {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
			if x := w.next(); x.Status != c.status || x.Cause == "" {
				t.Errorf("on record is %+v", x)
			}
		})
	}
	if saw := w.seen(); len(saw) != 0 {
		t.Errorf("the provider saw %v", saw)
	}
}

func TestRequestsThatCostNothingAreForwarded(t *testing.T) {
	w := serve(t, says(200, "application/json", "{}"))
	for _, c := range []struct{ method, path string }{
		{http.MethodHead, ""}, {http.MethodHead, "/"}, {http.MethodGet, "/v1/models"}, {http.MethodGet, "/v1/models/claude-opus-5-5"},
		{http.MethodPost, "/v1/messages/count_tokens"},
	} {
		if got := w.do(w.request(c.method, c.path, "")); got.Status != 200 {
			t.Errorf("%s %q: %d %s", c.method, c.path, got.Status, got.Body)
		}
		if x := w.next(); x.Status != 200 || x.USD != 0 || x.Usage.Tokens() != 0 {
			t.Errorf("on record is %+v", x)
		}
	}
}

func TestHeadersOfTheConnectionStayBehind(t *testing.T) {
	w := serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Set-Cookie", "a=b")
		rw.Header().Set("Server", "gateway")
		rw.Header().Set("Retry-After", "7")
		rw.Header().Set("Anthropic-Ratelimit-Requests-Remaining", "3")
		rw.WriteHeader(529)
	})
	r := w.request(http.MethodPost, "/v1/messages", message("claude-opus-5-5", 100, ""))
	for _, name := range []string{"Cookie", "X-Forwarded-For", "Forwarded", "Proxy-Authorization", "Via", "X-Hop", "Te"} {
		r.Header.Set(name, "x")
	}
	r.Header.Set("Connection", "keep-alive, x-hop")
	r.Header.Set("Accept-Encoding", "gzip, br")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	got := w.do(r)
	saw := w.seen()[0].Header
	for _, name := range []string{"Cookie", "X-Forwarded-For", "Forwarded", "Proxy-Authorization", "Via", "X-Hop", "Te"} {
		if saw.Get(name) != "" {
			t.Errorf("the provider saw %s", name)
		}
	}
	if saw.Get("Accept-Encoding") != "identity" || saw.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("the provider saw %v", saw)
	}
	if got.Status != 529 || got.Header.Get("Retry-After") != "7" || got.Header.Get("Anthropic-Ratelimit-Requests-Remaining") != "3" {
		t.Errorf("the agent saw %d %v", got.Status, got.Header)
	}
	if got.Header.Get("Set-Cookie") != "" || got.Header.Get("Server") != "" {
		t.Errorf("the agent saw %v", got.Header)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	w := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://169.254.169.254/latest?k="+r.Header.Get("X-Api-Key"), http.StatusTemporaryRedirect)
	})
	got, x := w.ask(message("claude-opus-5-5", 100, ""))
	if got.Status != 502 || got.Header.Get("Location") != "" || strings.Contains(got.Body, "169.254") || len(w.seen()) != 1 {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	if !strings.Contains(got.failure(t).Error.Message, "redirects") || x.USD != 0 {
		t.Errorf("got %s, on record %+v", got.Body, x)
	}
}

func TestGatewaysPathIsKept(t *testing.T) {
	for base, want := range map[string]string{"/team/x": "/team/x/v1/messages", "/team/x/": "/team/x/v1/messages", "/": "/v1/messages"} {
		w := serve(t, says(200, "application/json", plainAnswer), func(o *broker.Options) {
			at := *o.Upstream
			at.Path = base
			o.Upstream = &at
		})
		w.ask(message("claude-opus-5-5", 100, ""))
		if got := w.seen()[0].Path; got != want {
			t.Errorf("below %q the provider saw %q", base, got)
		}
	}
}

func TestProviderOutOfReach(t *testing.T) {
	w := serve(t, nil, func(o *broker.Options) { o.Upstream = &url.URL{Scheme: "http", Host: "127.0.0.1:1"} })
	got, x := w.ask(message("claude-opus-5-5", 100, ""))
	if f := got.failure(t); got.Status != 502 || f.Error.Type != "api_error" || x.USD != 0 || x.Cause == "" {
		t.Errorf("got %d %s, on record %+v", got.Status, got.Body, x)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer))
	got := w.do(w.request(http.MethodPost, "/v1/messages", strings.Repeat(" ", 64<<20+1)))
	if f := got.failure(t); got.Status != 413 || f.Error.Type != "request_too_large" {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	for _, encodings := range [][]string{{"gzip"}, {"identity", "gzip"}} {
		r := w.request(http.MethodPost, "/v1/messages/count_tokens", message("claude-opus-5-5", 100, ""))
		r.Header["Content-Encoding"] = encodings
		if got := w.do(r); got.Status != 400 || len(w.seen()) != 0 {
			t.Errorf("a compressed request, %q: %d %s", encodings, got.Status, got.Body)
		}
	}
}

func TestWhatABrokerNeeds(t *testing.T) {
	w := serve(t, says(200, "application/json", plainAnswer))
	for name, change := range map[string]func(*broker.Options){
		"provider": func(o *broker.Options) { o.Provider = broker.Provider{} },
		"scheme":   func(o *broker.Options) { o.Upstream = &url.URL{Scheme: "ftp", Host: "h"} },
		"user": func(o *broker.Options) {
			o.Upstream = &url.URL{Scheme: "https", Host: "h", User: url.UserPassword("u", key)}
		},
		"query":       func(o *broker.Options) { o.Upstream = &url.URL{Scheme: "https", Host: "h", RawQuery: "key=" + key} },
		"source":      func(o *broker.Options) { o.Source = nil },
		"ledger":      func(o *broker.Options) { o.Ledger = nil },
		"record":      func(o *broker.Options) { o.Record = nil },
		"log":         func(o *broker.Options) { o.Log = nil },
		"token":       func(o *broker.Options) { o.Token = "short" },
		"empty token": func(o *broker.Options) { o.Token = "" },
		"prices":      func(o *broker.Options) { o.Prices = broker.Prices{} },
	} {
		o := w.options
		change(&o)
		if _, err := broker.New(o); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
