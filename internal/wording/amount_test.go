package wording_test

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestAmounts(t *testing.T) {
	for want, got := range map[string]string{
		"0s": wording.Duration(-1), "250ms": wording.Duration(250 * time.Millisecond), "59s": wording.Duration(59 * time.Second),
		"1m05s": wording.Duration(65 * time.Second), "2h03m": wording.Duration(123 * time.Minute), "3d02h": wording.Duration(74 * time.Hour),
		"$0.00": wording.Money(0), "$0.0042": wording.Money(0.0042), "$12.30": wording.Money(12.3),
		"999 tokens": wording.Tokens(999), "182k tokens": wording.Tokens(182_400), "12M tokens": wording.Tokens(12_345_678),
		"512 B": wording.Bytes(512), "1.5 GiB": wording.Bytes(3 << 29),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
