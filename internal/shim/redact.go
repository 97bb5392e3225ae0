package shim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// Redactor removes secrets from text. It is called from several goroutines at once.
type Redactor interface {
	Redact(text string) string
	// Stream returns a writer that passes on to w what is written to it, without the values that the attempt was handed,
	// even if one goes over several lines. It does not touch the rest of a line, which the agent's adapter has yet to read.
	// Close passes on the rest.
	Stream(w io.Writer) io.WriteCloser
	// PlainStream does the same for a stream without structure, and also takes out whatever looks like a secret, such as a
	// private key of many lines.
	PlainStream(w io.Writer) io.WriteCloser
	// Thread returns a Redact for texts of one stream that follow each other: a private key that begins in one may end in
	// another. It is called from one goroutine.
	Thread() func(text string) string
}

// encodeRecord turns a record into JSON with every string in it redacted, whatever fields it has, so that no new field can
// be forgotten here. Written redacts what the agent wrote as the continuation of its earlier records.
func encodeRecord(rec agent.Record, redact, written func(string) string) (json.RawMessage, error) {
	if rec.Input != nil && !json.Valid(rec.Input) {
		text, err := json.Marshal(string(rec.Input))
		if err != nil {
			return nil, fmt.Errorf("encode the input of a record: %w", err)
		}
		rec.Input = text
	}
	raw, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("encode a record: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("decode a record: %w", err)
	}
	for name, value := range fields {
		if name == "text" || name == "input" { // a record has one of them
			fields[name] = redactValue(value, written)
		} else {
			fields[name] = redactValue(value, redact)
		}
	}
	return json.Marshal(fields)
}

func redactValue(value any, redact func(string) string) any {
	switch v := value.(type) {
	case string:
		return redact(v)
	case []any:
		for i := range v {
			v[i] = redactValue(v[i], redact)
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out[redact(key)] = redactValue(v[key], redact)
		}
		return out
	default:
		return value
	}
}
