package telemetry

import (
	"strings"
	"testing"
	"time"
)

// An address may hold a key, and what cannot be sent is logged.
func TestWhatCannotBeSentHidesItsAddress(t *testing.T) {
	s := newSender(Export{URL: "http://127.0.0.1:1/v1/traces?key=swordfish", Timeout: time.Second}, "test")
	defer s.client.CloseIdleConnections()
	if _, err := s.post(t.Context(), nil); err == nil || strings.Contains(err.Error(), "swordfish") {
		t.Errorf("%v", err)
	}
}
