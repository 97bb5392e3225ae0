package wave

import (
	"embed"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Names of the published schemas.
const (
	Delegation = "delegation"
	Packet     = "context-packet"
	Output     = "worker-output"
	Decision   = "planner-decision"
	PoolEntry  = "pool-entry"
)

//go:embed schema/*.schema.json
var schemas embed.FS

// Schemas are the names of the published schemas, in the order in which a run meets the documents.
func Schemas() []string { return []string{Delegation, Packet, Output, Decision, PoolEntry} }

// Schema is a published JSON Schema (draft 2020-12) by its name; nil where there is none of the name. It leads nowhere but
// into itself.
func Schema(name string) json.RawMessage {
	text, err := schemas.ReadFile("schema/" + name + ".schema.json")
	if err != nil {
		return nil
	}
	return text
}

// parsed is a schema of ours. That each can be read is for a test to hold.
func parsed(name string) *jsonschema.Schema {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(name), &s); err != nil {
		panic(fmt.Sprintf("wave: the schema of %s: %v", name, err))
	}
	return &s
}
