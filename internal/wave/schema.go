package wave

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

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

// Schema is a published JSON Schema (draft 2020-12) by its name; nil if there is none. It has no outside references.
func Schema(name string) json.RawMessage {
	text, err := schemas.ReadFile("schema/" + name + ".schema.json")
	if err != nil {
		return nil
	}
	return text
}

// form is a schema with its patterns compiled. It is never changed, so readers can share it.
type form struct {
	root     *jsonschema.Schema
	patterns map[string]*regexp.Regexp
}

// outputForm and decisionForm are made when the first document is read.
var (
	outputForm   = sync.OnceValue(func() form { return newForm(Output) })
	decisionForm = sync.OnceValue(func() form { return newForm(Decision) })
)

func newForm(name string) form {
	f := form{root: parsed(name), patterns: map[string]*regexp.Regexp{}}
	f.learn(f.root)
	return f
}

// learn compiles the patterns of a schema and of its parts.
func (f form) learn(s *jsonschema.Schema) {
	if s.Pattern != "" && f.patterns[s.Pattern] == nil {
		f.patterns[s.Pattern] = regexp.MustCompile(s.Pattern)
	}
	if s.Items != nil {
		f.learn(s.Items)
	}
	for _, part := range s.Properties {
		f.learn(part)
	}
	for _, part := range s.Defs {
		f.learn(part)
	}
}

// parsed is one of the embedded schemas; a test makes sure that each can be read.
func parsed(name string) *jsonschema.Schema {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(name), &s); err != nil {
		panic(fmt.Sprintf("wave: the schema of %s: %v", name, err))
	}
	return &s
}
