package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

const maxSchemaBytes = 256 << 10

// schemaURL names the one schema of a check; nothing is ever loaded from it.
const schemaURL = "stellwerk:artifact"

// compile reads a JSON Schema, draft 2020-12 unless it says otherwise. References lead nowhere but into itself and the
// published drafts.
func compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	if len(raw) > maxSchemaBytes {
		return nil, core.Errorf(core.CodeInvalid, "the schema is %d bytes, at most %d are allowed", len(raw), maxSchemaBytes)
	}
	doc, err := strictjson.Decode(raw)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the schema is not valid JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nowhere{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the schema cannot be used: %w", err)
	}
	schema, err := c.Compile(schemaURL)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the schema cannot be used: %w", err)
	}
	return schema, nil
}

// nowhere refuses to load schemas from files or the network.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside the playbook and is not loaded", url)
}

// violations says where and how a document breaks a schema, with JSON pointers; none where it is valid.
func violations(raw json.RawMessage, data []byte) ([]string, error) {
	schema, err := compile(raw)
	if err != nil {
		return nil, err
	}
	doc, err := strictjson.Limits{Bytes: maxParsed}.Decode(data)
	if err != nil {
		return []string{"not acceptable JSON: " + plain.Line(err.Error(), 300)}, nil
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(doc); errors.As(err, &invalid) {
		return leaves(invalid), nil
	} else if err != nil {
		return nil, fmt.Errorf("validate against the schema: %w", err)
	}
	return nil, nil
}

// leaves are the violations themselves, without the keywords that lead to them, in a stable order.
func leaves(e *jsonschema.ValidationError) []string {
	printer := message.NewPrinter(language.English)
	var found []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			at := show("/" + strings.Join(e.InstanceLocation, "/"))
			found = append(found, fmt.Sprintf("at %s: %s", at, plain.Line(e.ErrorKind.LocalizedString(printer), 300)))
		}
	}
	walk(e)
	slices.Sort(found)
	return slices.Compact(found)
}
