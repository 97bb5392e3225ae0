package app

import (
	"bytes"
	"encoding/json"
)

// Bounds of what a record keeps of a call: of each text in it, and of all.
const (
	maxEffectText  = 300
	maxEffectInput = 2000
)

// shortArguments shortens the arguments of a call: long texts first, and all of it to
// one text where that is not enough. The transcript has the whole.
func shortArguments(input json.RawMessage) json.RawMessage {
	if len(input) <= maxEffectText {
		return input
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return quotedJSON(clip(string(input), maxEffectInput))
	}
	short, err := json.Marshal(shortened(value))
	if err != nil || len(short) > maxEffectInput {
		return quotedJSON(clip(string(input), maxEffectInput))
	}
	return short
}

func shortened(value any) any {
	switch v := value.(type) {
	case string:
		return clip(v, maxEffectText)
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

// quotedJSON is a text as JSON.
func quotedJSON(text string) json.RawMessage {
	data, err := json.Marshal(text)
	if err != nil { // a text always has a form
		return nil
	}
	return data
}
