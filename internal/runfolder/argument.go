package runfolder

import (
	"bytes"
	"encoding/json"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Bounds of what a record keeps of a call: of each text in it, and of all its
// arguments. They count characters.
const (
	maxText      = 300
	maxArguments = 2000
)

// ShortText is a text as a record keeps it.
func ShortText(text string) string { return plain.Clip(text, maxText) }

// ShortArguments shortens the arguments of a call: long texts first, and everything to
// one text if that is not enough, or if it is not JSON. The transcript has the whole.
func ShortArguments(input json.RawMessage) json.RawMessage {
	if len(input) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return asJSON(plain.Clip(string(input), maxArguments))
	}
	short := asJSON(shortened(value))
	if len(short) > maxArguments {
		return asJSON(plain.Clip(string(short), maxArguments))
	}
	return short
}

func shortened(value any) any {
	switch v := value.(type) {
	case string:
		return plain.Clip(v, maxText)
	case []any:
		for i := range v {
			v[i] = shortened(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = shortened(v[key])
		}
	}
	return value
}

// asJSON encodes what was read from JSON without HTML escapes: "a && b" stays as it is.
func asJSON(value any) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil { // what was read always has a form
		return nil
	}
	return bytes.TrimSpace(text.Bytes())
}
