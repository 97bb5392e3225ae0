package wording

import (
	"bytes"
	"encoding/json"
)

// telling are the arguments that say what a call is about without the others.
func telling() []string {
	return []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "text", "message", "title", "prompt", "description"}
}

// Arguments are those of a call in a line: the most telling one, or all.
func Arguments(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) == nil {
		for _, name := range telling() {
			var text string
			if json.Unmarshal(fields[name], &text) == nil && text != "" {
				return text
			}
		}
	}
	var text string
	if json.Unmarshal(input, &text) == nil {
		return text
	}
	if text := connection(input); text != "" {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, input) != nil || compact.String() == "{}" {
		return ""
	}
	return compact.String()
}
