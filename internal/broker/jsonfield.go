package broker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// field is the value of a key of a JSON object and where it stands.
type field struct {
	start, end int
	raw        json.RawMessage
}

// fieldsOf reads the keys of a JSON object. A key that is given twice is an error: the broker and the provider might
// take different ones.
func fieldsOf(body []byte) (map[string]field, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if token != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	fields := map[string]field{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("it is not valid JSON: %w", err)
		}
		name, _ := key.(string)
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, fmt.Errorf("it is not valid JSON: %w", err)
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%q is given twice", name)
		}
		end := int(decoder.InputOffset())
		fields[name] = field{start: end - len(raw), end: end, raw: raw}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return fields, nil
}

// replace puts another value in place of a field's and leaves every other byte as it is.
func replace(body []byte, f field, value string) []byte {
	out := make([]byte, 0, len(body)+len(value))
	out = append(out, body[:f.start]...)
	out = append(out, value...)
	return append(out, body[f.end:]...)
}
