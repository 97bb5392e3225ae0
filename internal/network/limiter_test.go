package network

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

// TestALimitHoldsInEverySpan: whoever failed too often waits until the span is over,
// and has no more tries in the next one.
func TestALimitHoldsInEverySpan(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := newLimiter(3, time.Minute, func() time.Time { return now })
	guesser, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for span := range 3 {
		for range 3 {
			if wait := l.wait(guesser); wait != 0 {
				t.Fatalf("span %d: a try waits %s", span, wait)
			}
			l.failed(guesser)
		}
		if wait := l.wait(guesser); wait != time.Minute {
			t.Errorf("span %d: after three failures it waits %s", span, wait)
		}
		if wait := l.wait(other); wait != 0 {
			t.Errorf("span %d: somebody else waits %s", span, wait)
		}
		now = now.Add(time.Minute - 1)
		if l.wait(guesser) != 1 {
			t.Errorf("span %d: it waits no longer", span)
		}
		now = now.Add(1)
	}
}

// TestWhatALimitRemembersIsBounded: those whose span is over make room first.
func TestWhatALimitRemembersIsBounded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := newLimiter(1, time.Minute, func() time.Time { return now })
	address := func(n int) netip.Addr {
		return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(10<<24+n)))) //nolint:gosec // small numbers
	}
	for n := range maxAddresses - 1 {
		l.failed(address(n))
	}
	now = now.Add(time.Minute)
	guesser := address(maxAddresses)
	l.failed(guesser)
	for n := range maxAddresses {
		l.failed(address(maxAddresses + 1 + n))
		if n == 0 && l.wait(guesser) == 0 {
			t.Error("the guesser made room for the next")
		}
		if len(l.seen) > maxAddresses {
			t.Fatalf("%d are remembered", len(l.seen))
		}
	}
}
