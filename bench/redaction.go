package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// redaction compares what it takes to redact an output as a stream, in which a secret may go over lines and pieces, with
// what the same redactor takes for the same text line by line. One output is a transcript as agents write it; another
// has base64 of a picture in between. The worse of the two counts.
func redaction(_ context.Context, shop *workshop) (outcome, error) {
	redactor := redact.New(redact.Options{Secrets: []redact.Secret{
		{Name: "model", Value: "a-key-of-a-provider-0123456789abcdefghijklmnopqrstuvwxyz"}, {Name: "forge", Value: "a-token-of-a-forge-0123456789"},
	}})
	var worst outcome
	for _, text := range [][]byte{transcript(8<<20, false), transcript(8<<20, true)} {
		var measured, base []time.Duration
		for range shop.times(16) {
			m, err := processorTime(func() error { return redactStream(redactor, text) })
			if err != nil {
				return outcome{}, err
			}
			b, err := processorTime(func() error { return redactLines(redactor, text) })
			if err != nil {
				return outcome{}, err
			}
			measured, base = append(measured, m), append(base, b)
		}
		if o := compare(measured, base, short); o.ratio > worst.ratio {
			worst = o
		}
	}
	return worst, nil
}

// processorTime is what fn uses of the processors.
func processorTime(fn func() error) (time.Duration, error) {
	var failed error
	took, err := spent(func() { failed = fn() })
	return took, errors.Join(err, failed)
}

// redactStream writes a text in pieces as large as a pipe gives them.
func redactStream(r *redact.Redactor, text []byte) error {
	const pipe = 64 << 10
	w := r.Writer(io.Discard)
	for at := 0; at < len(text); at += pipe {
		if _, err := w.Write(text[at:min(len(text), at+pipe)]); err != nil {
			return err
		}
	}
	return w.Close()
}

func redactLines(r *redact.Redactor, text []byte) error {
	thread := r.Thread()
	for line := range bytes.Lines(text) {
		if _, err := io.WriteString(io.Discard, thread.String(string(line))); err != nil {
			return err
		}
	}
	return nil
}

// transcript is what an agent writes while it works: source, patches, results of tests, messages.
func transcript(size int, pictures bool) []byte {
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same text in every run
	words := strings.Fields("the account of a run holds its events and every step that a worker takes error token password key return func " +
		"string context if err nil for range test passes file server client request answer config value name list read write open close")
	some := func(n int) string {
		picked := make([]string, n)
		for i := range picked {
			picked[i] = words[rng.IntN(len(words))]
		}
		return strings.Join(picked, " ")
	}
	kinds := []func() string{
		func() string { return "\t" + some(3) + " := " + some(1) + "(" + some(1) + ", " + some(1) + ")" },
		func() string {
			return fmt.Sprintf("+\tif %s != nil { return fmt.Errorf(%q, err) }", some(1), some(6)+": %w")
		},
		func() string {
			return fmt.Sprintf("ok  \tgithub.com/example/shop/internal/%s\t%d.%03ds", some(1), rng.IntN(9), rng.IntN(1000))
		},
		func() string {
			return fmt.Sprintf("internal/%s/%s.go:%d:%d: %s", some(1), some(1), rng.IntN(400), rng.IntN(80), some(7))
		},
		func() string { return fmt.Sprintf("commit %016x%016x%08x", rng.Uint64(), rng.Uint64(), rng.Uint32()) },
		func() string {
			return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%x","content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d}}}`,
				rng.Uint64(), some(40), rng.IntN(1e5))
		},
		func() string { return some(14) + "." },
		func() string { return "" },
	}
	var text bytes.Buffer
	for text.Len() < size {
		if pictures && rng.IntN(200) == 0 {
			picture(&text, rng)
		}
		text.WriteString(kinds[rng.IntN(len(kinds))]() + "\n")
	}
	return text.Bytes()
}

// picture is some kilobytes in base64, wrapped as MIME wraps it or in one line of JSON.
func picture(to *bytes.Buffer, rng *rand.Rand) {
	const row = 57 // bytes, which are 76 digits
	raw := make([]byte, row*(40+rng.IntN(200)))
	for i := range raw {
		raw[i] = byte(rng.Uint32())
	}
	if rng.IntN(2) == 0 {
		fmt.Fprintf(to, `{"type":"image","source":{"type":"base64","data":%q}}`+"\n", base64.StdEncoding.EncodeToString(raw))
		return
	}
	for part := range slices.Chunk(raw, row) {
		to.WriteString(base64.StdEncoding.EncodeToString(part) + "\n")
	}
}
