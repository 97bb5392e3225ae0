package playbook

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
)

//go:embed playbook.schema.json
var schema []byte

// Schema is the published JSON Schema (draft 2020-12) of playbook files.
func Schema() []byte { return bytes.Clone(schema) }

// sealed refuses every document a schema refers to: a playbook must not read files or the network.
type sealed struct{}

func (sealed) Load(string) (any, error) {
	return nil, errors.New("a schema cannot refer to other documents")
}

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
	if err := compileSchema(data); err != nil {
		v.Fail("is not a valid JSON Schema: "+oneLine(err.Error()), "")
		return nil
	}
	return data
}

func compileSchema(data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	const here = "urn:stellwerk:artifact"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(sealed{})
	if err := compiler.AddResource(here, doc); err != nil {
		return err
	}
	_, err = compiler.Compile(here)
	return err
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
