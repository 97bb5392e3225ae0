package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/webhook"
)

// delivery is a request as a Gitea signs it.
func delivery(method, path, id, body, key string) *http.Request {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Gitea-Event", "pull_request")
	r.Header.Set("X-Gitea-Delivery", id)
	r.Header.Set("X-Gitea-Signature", hex.EncodeToString(mac.Sum(nil)))
	return r
}

func receiver() (*webhook.Receiver, *[]string) {
	told := &[]string{}
	return webhook.NewReceiver(forge.NewSecret(secret), webhook.NewRecent(100), func(_ context.Context, kind string, h webhook.Hint) {
		*told = append(*told, fmt.Sprint(kind, " ", h.Repository, " ", h.Numbers))
	}, slog.New(slog.DiscardHandler)), told
}

func TestReceiver(t *testing.T) {
	const body = `{"pull_request":{"number":7},"repository":{"full_name":"acme/rocket"}}`
	other := strings.Replace(body, "7", "8", 1)
	tests := []struct {
		name    string
		request *http.Request
		want    int
	}{
		{"signed", delivery("POST", "/gitea", "1", body, secret), http.StatusNoContent},
		{"replayed", delivery("POST", "/gitea", "1", body, secret), http.StatusConflict},
		{"replayed under another id", delivery("POST", "/gitea", "2", body, secret), http.StatusConflict},
		{"signed by another", delivery("POST", "/gitea", "3", other, "guess"), http.StatusUnauthorized},
		{"sent to the other forge's path", delivery("POST", "/github", "4", other, secret), http.StatusUnauthorized},
		{"too large", delivery("POST", "/gitea", "5", strings.Repeat(" ", webhook.MaxBody+1), secret), http.StatusRequestEntityTooLarge},
		{"no JSON", delivery("POST", "/gitea", "6", "{", secret), http.StatusBadRequest},
		{"read instead of sent", delivery("GET", "/gitea", "7", other, secret), http.StatusMethodNotAllowed},
		{"sent elsewhere", delivery("POST", "/", "8", other, secret), http.StatusNotFound},
		{"another one", delivery("POST", "/gitea", "9", other, secret), http.StatusNoContent},
	}
	r, told := receiver()
	for _, test := range tests {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, test.request)
		if w.Code != test.want {
			t.Errorf("%s: answered with %d, want %d", test.name, w.Code, test.want)
		}
	}
	if got := strings.Join(*told, ", "); got != "gitea acme/rocket [7], gitea acme/rocket [8]" {
		t.Errorf("told %s", got)
	}
}

// TestSlowStrangersMakeRoom has more senders that never finish than are read at
// once, and then one that is signed.
func TestSlowStrangersMakeRoom(t *testing.T) {
	r, told := receiver()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	const strangers = 50
	ended := make(chan int, strangers)
	var bodies []*io.PipeWriter
	for range strangers {
		read, write := io.Pipe()
		bodies = append(bodies, write)
		go func() {
			response, err := http.Post(server.URL+"/gitea", "application/json", read)
			if err != nil {
				ended <- 0 // its connection was closed before it could be told why
				return
			}
			_ = response.Body.Close()
			ended <- response.StatusCode
		}()
		if _, err := write.Write([]byte(" ")); err != nil {
			t.Fatal(err)
		}
	}
	// All but those that are read now were sent away.
	for range strangers - 16 {
		if status := <-ended; status != http.StatusRequestTimeout && status != 0 {
			t.Errorf("a slow stranger was answered with %d", status)
		}
	}
	const body = `{"pull_request":{"number":7},"repository":{"full_name":"acme/rocket"}}`
	signed := delivery("POST", "/gitea", "1", body, secret)
	request, err := http.NewRequest(http.MethodPost, server.URL+"/gitea", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = signed.Header
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusNoContent || response.Body.Close() != nil {
		t.Fatalf("the forge was answered with %+v, %v", response, err)
	}
	if len(*told) != 1 {
		t.Errorf("told %v", *told)
	}
	for _, b := range bodies {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
