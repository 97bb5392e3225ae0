package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/webhook"
)

// The example that GitHub's documentation gives for checking one's own code.
const (
	secret    = "It's a Secret to Everybody"
	payload   = "Hello, World!"
	signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
)

func github(id, sum string) http.Header {
	h := http.Header{}
	h.Set("X-GitHub-Delivery", id)
	h.Set("X-Hub-Signature-256", sum)
	return h
}

func gitea(id, sum string) http.Header {
	h := http.Header{}
	h.Set("X-Gitea-Delivery", id)
	h.Set("X-Gitea-Signature", sum)
	return h
}

func TestVerify(t *testing.T) {
	tests := []struct {
		name   string
		from   webhook.Sender
		header http.Header
		want   error
	}{
		{"GitHub", webhook.GitHub(), github("1", "sha256="+signature), nil},
		{"Gitea", webhook.Gitea(), gitea("1", signature), nil},
		{"in capitals", webhook.Gitea(), gitea("1", strings.ToUpper(signature)), nil},
		{"no signature", webhook.GitHub(), github("1", ""), webhook.ErrSignature},
		{"without its kind", webhook.GitHub(), github("1", signature), webhook.ErrSignature},
		{"of the weak kind", webhook.GitHub(), github("1", "sha1="+signature), webhook.ErrSignature},
		{"of another body", webhook.GitHub(), github("1", "sha256="+strings.Repeat("0", 64)), webhook.ErrSignature},
		{"only its beginning", webhook.GitHub(), github("1", "sha256="+signature[:62]), webhook.ErrSignature},
		{"not hexadecimal", webhook.Gitea(), gitea("1", "zz"), webhook.ErrSignature},
		{"in the other forge's header", webhook.Gitea(), github("1", "sha256="+signature), webhook.ErrSignature},
		{"without an id", webhook.GitHub(), github("", "sha256="+signature), webhook.ErrMalformed},
		{"with an endless id", webhook.GitHub(), github(strings.Repeat("1", 1000), "sha256="+signature), webhook.ErrMalformed},
	}
	for _, test := range tests {
		body, err := webhook.Verify(test.from, forge.NewSecret(secret), test.header, strings.NewReader(payload), webhook.NewRecent(10))
		if !errors.Is(err, test.want) || test.want == nil && (err != nil || string(body) != payload) || test.want != nil && body != nil {
			t.Errorf("%s: %q, %v", test.name, body, err)
		}
	}
	sum := hmac.New(sha256.New, nil).Sum(nil)
	if _, err := webhook.Verify(webhook.GitHub(), forge.Secret{}, github("1", "sha256="+hex.EncodeToString(sum)), strings.NewReader(""), webhook.NewRecent(10)); !errors.Is(err, webhook.ErrSecret) {
		t.Errorf("without a secret: %v", err)
	}
}

// endless is a body that never ends, and counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestABodyIsBounded(t *testing.T) {
	body := &endless{}
	if _, err := webhook.Verify(webhook.GitHub(), forge.NewSecret(secret), github("1", "sha256="+signature), body, webhook.NewRecent(10)); !errors.Is(err, webhook.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if body.read > 2*webhook.MaxBody {
		t.Errorf("%d bytes were read", body.read)
	}
}

func TestADeliveryIsTakenOnce(t *testing.T) {
	taken := webhook.NewRecent(10)
	take := func(id, body string) error {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		_, err := webhook.Verify(webhook.GitHub(), forge.NewSecret(secret), github(id, "sha256="+hex.EncodeToString(mac.Sum(nil))), strings.NewReader(body), taken)
		return err
	}
	if err := take("1", "a"); err != nil {
		t.Fatal(err)
	}
	for id, body := range map[string]string{"1": "a", "2": "a"} {
		if err := take(id, body); !errors.Is(err, webhook.ErrReplay) {
			t.Errorf("delivery %s of %q: %v", id, body, err)
		}
	}
	if err := take("1", "b"); !errors.Is(err, webhook.ErrReplay) {
		t.Errorf("another body under the same id: %v", err)
	}
	if err := take("3", "c"); err != nil {
		t.Errorf("a new one: %v", err)
	}
	// A delivery that is not believed uses up nothing.
	if _, err := webhook.Verify(webhook.GitHub(), forge.NewSecret(secret), github("4", "sha256=00"), strings.NewReader("d"), taken); !errors.Is(err, webhook.ErrSignature) {
		t.Fatal(err)
	}
	if err := take("4", "d"); err != nil {
		t.Errorf("after a forged one of the same id: %v", err)
	}
}

func TestRecentForgetsTheOldest(t *testing.T) {
	recent := webhook.NewRecent(3)
	for _, key := range []string{"a", "b", "c"} {
		if !recent.Remember(key) {
			t.Errorf("%s is known at first", key)
		}
	}
	if recent.Remember("a") {
		t.Error("a is forgotten too early")
	}
	if !recent.Remember("d") || !recent.Remember("a") || recent.Remember("c") {
		t.Error("not the oldest was forgotten")
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	fresh := 0
	for range 8 {
		wait.Go(func() {
			if recent.Remember("once") {
				mu.Lock()
				fresh++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if fresh != 1 {
		t.Errorf("new %d times", fresh)
	}
}

func TestParse(t *testing.T) {
	const repo = `"repository":{"full_name":"acme/rocket","ID":1}`
	tests := []struct {
		event, body string
		numbers     []int
		relevant    bool
		bad         bool
	}{
		{"pull_request", `{"action":"closed","number":7,"pull_request":{"number":7},` + repo + `}`, []int{7}, true, false},
		{"pull_request_review", `{"action":"submitted","review":{},"pull_request":{"number":7},` + repo + `}`, []int{7}, true, false},
		{"issue_comment", `{"issue":{"number":7,"pull_request":{"url":"u"}},` + repo + `}`, []int{7}, true, false},
		{"issue_comment", `{"issue":{"number":7},` + repo + `}`, nil, false, false},
		{"issue_comment", `{"issue":{"number":7,"pull_request":null},"is_pull":false,` + repo + `}`, nil, false, false},
		{"check_suite", `{"check_suite":{"pull_requests":[{"number":7},{"number":9}]},` + repo + `}`, []int{7, 9}, true, false},
		{"check_run", `{"check_run":{"pull_requests":[]},` + repo + `}`, nil, true, false},
		{"status", `{"sha":"c0ffee","state":"success",` + repo + `}`, nil, true, false},
		{"push", `{"ref":"refs/heads/main",` + repo + `}`, nil, false, false},
		{"ping", `{"zen":"x"}`, nil, false, false},
		{"", `{}`, nil, false, false},
		{"pull_request", `{"pull_request":{"number":7}}`, nil, false, true},
		{"pull_request", `{"issue":{"number":-7},` + repo + `}`, nil, false, true},
		{"pull_request", `{"pull_request":{"number":7},"pull_request":{"number":8},` + repo + `}`, nil, false, true},
		{"pull_request", `payload=%7B%7D`, nil, false, true},
		{"pull_request", ``, nil, false, true},
	}
	for _, test := range tests {
		h := http.Header{}
		h.Set("X-GitHub-Event", test.event)
		h.Set("Content-Type", "application/json; charset=utf-8")
		hint, relevant, err := webhook.Parse(webhook.GitHub(), h, []byte(test.body))
		if relevant != test.relevant || errors.Is(err, webhook.ErrMalformed) != test.bad || err != nil && !test.bad || !slices.Equal(hint.Numbers, test.numbers) {
			t.Errorf("%s %s: %+v, %t, %v", test.event, test.body, hint, relevant, err)
		}
		if relevant && hint.Repository != "acme/rocket" {
			t.Errorf("%s: of %q", test.event, hint.Repository)
		}
	}
}

func TestAFormIsNamed(t *testing.T) {
	h := http.Header{}
	h.Set("X-GitHub-Event", "pull_request")
	h.Set("Content-Type", "application/x-www-form-urlencoded")
	if _, _, err := webhook.Parse(webhook.GitHub(), h, []byte("payload=x")); !errors.Is(err, webhook.ErrMalformed) || !strings.Contains(fmt.Sprint(err), "application/json") {
		t.Errorf("got %v", err)
	}
}
