package redact_test

import (
	"bytes"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// FuzzRedact holds that no input makes a method panic, that no raw secret survives, and that redacting twice
// changes nothing.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{"swordfish", "c3dvcmRmaXNo", `{"password":"swordfish"}`, "%73wordfish", `\u0073wordfish`, "sword\nfish", "[redacted:S]", "login a\npassword b1234\n"} {
		f.Add([]byte(seed), 3)
	}
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish"}, {Name: "P", Value: "12"}}})
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		got := r.Bytes(data)
		if bytes.Contains(got, []byte("swordfish")) {
			t.Fatalf("%q shows the secret: %q", data, got)
		}
		if again := r.Bytes(got); !bytes.Equal(again, got) {
			t.Fatalf("%q, again %q", got, again)
		}
		if streamed := stream(t, r, string(data), 1+abs(size)%64); bytes.Contains([]byte(streamed), []byte("swordfish")) {
			t.Fatalf("%q shows the secret when streamed: %q", data, streamed)
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }
