package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

const maxSchemaBytes = 256 << 10

// compile reads a JSON Schema, draft 2020-12 unless it says otherwise. References lead nowhere but into itself.
func compile(raw json.RawMessage) (*jsonschema.Resolved, error) {
	if len(raw) > maxSchemaBytes {
		return nil, core.Errorf(core.CodeInvalid, "the schema is %d bytes, at most %d are allowed", len(raw), maxSchemaBytes)
	}
	doc, err := strictjson.Decode(raw)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the schema is not valid JSON: %w", err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the schema cannot be used: %w", err)
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{Loader: nowhere})
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the schema cannot be used: %w", err)
	}
	if unknown := unknownType(doc); unknown != "" {
		return nil, core.Errorf(core.CodeInvalid, "the schema cannot be used: there is no type %q", unknown)
	}
	return resolved, nil
}

// nowhere refuses to load schemas from files or the network.
func nowhere(uri *url.URL) (*jsonschema.Schema, error) {
	return nil, fmt.Errorf("%s is another document and is not loaded", uri)
}

// unknownType finds a type that JSON does not have. The library accepts it, and no document could ever match it. Keywords
// that hold values, not schemas, are skipped.
func unknownType(schema any) string {
	fields, ok := schema.(map[string]any)
	if !ok {
		return ""
	}
	if t, ok := fields["type"].(string); ok && !slices.Contains([]string{"null", "boolean", "object", "array", "number", "string", "integer"}, t) {
		return t
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains([]string{"const", "enum", "default", "examples"}, name) {
			continue
		}
		list, ok := fields[name].([]any)
		if !ok {
			list = []any{fields[name]}
		}
		for _, member := range list {
			if t := unknownType(member); t != "" {
				return t
			}
		}
	}
	return ""
}

// ValidSchema says what is wrong with a JSON Schema; nil if it can be used.
func ValidSchema(raw json.RawMessage) error {
	_, err := compile(raw)
	return err
}

// violations lists where and how a document breaks a schema; none if it is valid.
func violations(raw json.RawMessage, data []byte) ([]string, error) {
	schema, err := compile(raw)
	if err != nil {
		return nil, err
	}
	doc, err := strictjson.Limits{Bytes: maxParsed}.Decode(data)
	if err != nil {
		return []string{"not acceptable JSON: " + plain.Line(err.Error(), 300)}, nil
	}
	if err = schema.Validate(doc); err == nil {
		return nil, nil
	}
	if form, decodeErr := strictjson.Decode(raw); decodeErr == nil && separable(form) {
		root := schema.Schema()
		f := finder{root: root, parts: map[*jsonschema.Schema][]*jsonschema.Resolved{}, alone: map[*jsonschema.Schema]*jsonschema.Schema{}}
		if f.look("", root, doc, 0); len(f.found) > 0 {
			return f.found, nil
		}
	}
	return []string{plain.Line(violation(err.Error()), 500)}, nil
}

// violation shortens the library's message: it names each step from the root, and the last one says everything.
func violation(text string) string {
	const step = "validating "
	if i := strings.LastIndex(text, step); i >= 0 {
		text = text[i+len(step):]
	}
	where, what, found := strings.Cut(text, ": ")
	if !found {
		return text
	}
	return fmt.Sprintf("%s (at %s of the schema)", what, where)
}
