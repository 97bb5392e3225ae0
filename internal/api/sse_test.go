package api

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// gone is a client that takes nothing any more.
type gone struct{ http.ResponseWriter }

func (gone) Header() http.Header              { return http.Header{} }
func (gone) WriteHeader(int)                  {}
func (gone) Flush()                           {}
func (gone) SetWriteDeadline(time.Time) error { return nil }
func (gone) Write([]byte) (int, error)        { return 0, errors.New("broken pipe") }

// TestABeatThatFailsEndsTheStream: also where nothing happens that could fail to be
// told.
func TestABeatThatFailsEndsTheStream(t *testing.T) {
	t.Parallel()
	s, ok := openStream(gone{}, time.Second)
	if !ok {
		t.Fatal("the head was not sent")
	}
	s.every = time.Millisecond
	alive, stop := s.beat(t.Context())
	defer stop()
	select {
	case <-alive.Done():
	case <-waittest.Over():
		t.Fatal("the stream of who is gone goes on")
	}
	if !s.isBroken() {
		t.Error("it counts as whole")
	}
}
