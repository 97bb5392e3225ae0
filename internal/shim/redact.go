package shim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// Redactor removes secrets from text. It is called from several goroutines at once.
type Redactor interface {
	Redact(text string) string
	// Stream returns a writer that passes on to w what is written to it, without the values that the attempt was handed,
	// also where one goes over several lines. It leaves the structure of a line alone otherwise, for the agent's adapter
	// has yet to read it. Close passes on the rest.
	Stream(w io.Writer) io.WriteCloser
}

// encodeRecord turns a record into JSON with every string in it redacted, whatever fields a record has: one that is
// added later cannot be forgotten here.
func encodeRecord(rec agent.Record, r Redactor) (json.RawMessage, error) {
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
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode a record: %w", err)
	}
	return json.Marshal(redactValue(value, r))
}

func redactValue(value any, r Redactor) any {
	switch v := value.(type) {
	case string:
		return r.Redact(v)
	case []any:
		for i := range v {
			v[i] = redactValue(v[i], r)
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[r.Redact(key)] = redactValue(inner, r)
		}
		return out
	default:
		return value
	}
}
