package cockpit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
)

// slowInbox says what waits when it is let go on.
type slowInbox struct {
	*apitest.Service
	asked  atomic.Int32
	begun  chan struct{}
	answer chan struct{}
}

func (s *slowInbox) Inbox(ctx context.Context) ([]api.Waiting, error) {
	if s.asked.Add(1) == 1 {
		close(s.begun)
	}
	select {
	case <-s.answer:
		return s.Service.Inbox(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestWhoLeavesDoesNotWaitForTheCount: what waits is counted once for all who look,
// and only those wait for it who are still there.
func TestWhoLeavesDoesNotWaitForTheCount(t *testing.T) {
	svc := &slowInbox{Service: &apitest.Service{Waiting: make([]api.Waiting, 3), Scenes: apitest.Scenes{At: "e.1"}}, begun: make(chan struct{}), answer: make(chan struct{})}
	h, err := cockpit.New(svc, cockpit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	look := func(ctx context.Context) <-chan string {
		body := make(chan string, 1)
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/settings/roles", nil))
			body <- w.Body.String()
		}()
		return body
	}
	ctx, leave := context.WithCancel(t.Context())
	first := look(ctx)
	<-svc.begun
	second := look(t.Context())
	left, gone := context.WithCancel(t.Context())
	gone()
	<-look(left) // does not wait for the first
	leave()
	<-first
	close(svc.answer)
	if body := <-second; !strings.Contains(body, "(3) ") {
		t.Errorf("who stayed is not told that 3 wait: %.300s", body)
	}
	if n := svc.asked.Load(); n != 1 {
		t.Errorf("it was counted %d times", n)
	}
}
