package playbook

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
)

//go:embed playbook.schema.json
var schema []byte

// Schema is the published JSON Schema (draft 2020-12) of playbook files.
func Schema() []byte { return bytes.Clone(schema) }

// inlineSchema reads the JSON Schema of an artifact.
func inlineSchema(v yamlfile.Value) json.RawMessage {
	if !v.IsMap() {
		v.Fail("expected a JSON Schema as a map", "")
		return nil
	}
	data, ok := v.JSON()
	if !ok {
		return nil
	}
	if err := check.ValidSchema(data); err != nil {
		v.Fail("is not a valid JSON Schema: "+oneLine(err.Error()), "")
		return nil
	}
	return data
}

// canonicalJSON orders the keys of JSON that is known to be valid and removes its layout, so that equal schemas are equal
// bytes.
func canonicalJSON(data []byte) json.RawMessage {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return data
	}
	canonical, err := json.Marshal(value)
	if err != nil {
		return data
	}
	return canonical
}

func oneLine(s string) string {
	return string(bytes.Join(bytes.Fields([]byte(s)), []byte(" ")))
}
