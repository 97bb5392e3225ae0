package redact_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

func someSecrets() []redact.Secret {
	rng := rand.New(rand.NewPCG(3, 4))
	return []redact.Secret{
		{Name: "A", Value: draw(rng, 40, alnum)}, {Name: "B", Value: draw(rng, 108, url64)},
		{Name: "C", Value: draw(rng, 16, lower+digits)}, {Name: "D", Value: pemBlock(rng)},
	}
}

func benchmarkText(b *testing.B, text []byte) {
	b.Helper()
	r := redact.New(redact.Options{Secrets: someSecrets()})
	w := r.Writer(io.Discard)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := w.Write(text); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkWriterFlood(b *testing.B) {
	benchmarkText(b, bytes.Repeat([]byte("y\n"), 1<<19))
}

func BenchmarkWriterLongLine(b *testing.B) {
	benchmarkText(b, bytes.Repeat([]byte("0123456789abcdef"), 1<<16))
}

func BenchmarkWriterJSONLines(b *testing.B) {
	line := `{"type":"assistant","message":{"content":[{"type":"text","text":"ran \"go test\"\n\tok  \t1.2s\nnext"}]}}` + "\n"
	benchmarkText(b, []byte(strings.Repeat(line, (1<<20)/len(line))))
}

func BenchmarkWriterSource(b *testing.B) {
	var text []byte
	for _, path := range sourceFiles(b) {
		if len(text) > 4<<20 {
			break
		}
		file, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text = append(text, file...)
	}
	benchmarkText(b, text)
}

func BenchmarkNew(b *testing.B) {
	secrets := someSecrets()
	for b.Loop() {
		redact.New(redact.Options{Secrets: secrets})
	}
}

func BenchmarkNewSharedRules(b *testing.B) {
	secrets, rules := someSecrets(), redact.DefaultRules()
	for b.Loop() {
		redact.New(redact.Options{Secrets: secrets, Rules: rules})
	}
}
