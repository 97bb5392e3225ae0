package wave

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// goTypes are the types that the published documents are read into and written from.
func goTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		Delegation: reflect.TypeFor[core.Brief](), Packet: reflect.TypeFor[core.ContextPacket](), Output: reflect.TypeFor[core.WorkerOutput](),
		Decision: reflect.TypeFor[core.PlannerDecision](), PoolEntry: reflect.TypeFor[core.Fact](),
	}
}

// TestSchemasAndTypesSayTheSame: every field, whether it must be there, and every word of an enumeration, both ways.
func TestSchemasAndTypesSayTheSame(t *testing.T) {
	if got, want := len(goTypes()), len(Schemas()); got != want {
		t.Fatalf("%d types for %d schemas", got, want)
	}
	for _, name := range Schemas() {
		s := &sameness{T: t, root: parsed(name), enums: constants(t)}
		s.same(name, goTypes()[name], s.root)
	}
}

type sameness struct {
	*testing.T
	root  *google.Schema
	enums map[string][]string
}

func (s *sameness) same(path string, typ reflect.Type, schema *google.Schema) {
	s.Helper()
	if len(schema.AnyOf) > 0 { // the text of an object's one required field stands for it
		whole := schema.AnyOf[1]
		if r := s.resolve(whole); schema.AnyOf[0].Ref != whole.Ref+"/properties/"+r.Required[0] || len(r.Required) != 1 {
			s.Errorf("%s: %s is not what a plain text stands for", path, schema.AnyOf[0].Ref)
		}
		schema = whole
	}
	schema = s.resolve(schema)
	switch typ.Kind() {
	case reflect.Struct:
		s.object(path, typ, schema)
	case reflect.Slice:
		s.is(path, schema, "array")
		s.same(path+"/0", typ.Elem(), schema.Items)
	case reflect.Pointer:
		if typ.Elem().Kind() == reflect.Struct {
			s.same(path, typ.Elem(), schema)
		} else if !slices.Equal(schema.Types, []string{"string", "null"}) {
			s.Errorf("%s: %v", path, schema.Types)
		}
	case reflect.String:
		s.is(path, schema, "string")
		s.enum(path, typ, schema)
	case reflect.Float64:
		s.is(path, schema, "number")
	case reflect.Int:
		s.is(path, schema, "integer")
	case reflect.Bool:
		s.is(path, schema, "boolean")
	default:
		s.Errorf("%s: the schema of a %s is not known", path, typ)
	}
}

func (s *sameness) resolve(schema *google.Schema) *google.Schema {
	if schema.Ref == "" {
		return schema
	}
	def := s.root.Defs[strings.TrimPrefix(schema.Ref, "#/$defs/")]
	if def == nil {
		s.Fatalf("%s leads nowhere", schema.Ref)
	}
	return def
}

func (s *sameness) is(path string, schema *google.Schema, want string) {
	s.Helper()
	if schema.Type != want {
		s.Errorf("%s: %q in the schema, %q in Go", path, schema.Type, want)
	}
}

func (s *sameness) object(path string, typ reflect.Type, schema *google.Schema) {
	s.is(path, schema, "object")
	if schema.AdditionalProperties == nil || schema.AdditionalProperties.Not == nil {
		s.Errorf("%s: unknown fields are allowed", path)
	}
	var names, required []string
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
		if option == "" {
			required = append(required, name)
		}
		if prop := schema.Properties[name]; prop != nil {
			s.same(path+"/"+name, field.Type, prop)
			if prop.Description == "" && s.resolve(prop).Description == "" {
				s.Errorf("%s/%s: nothing says what it is", path, name)
			}
		}
	}
	var props []string
	for name := range schema.Properties {
		props = append(props, name)
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	if diff := cmp.Diff(sorted(names), sorted(props)); diff != "" {
		s.Errorf("%s: fields in Go (-) and in the schema (+):\n%s", path, diff)
	}
	if diff := cmp.Diff(sorted(required), sorted(schema.Required)); diff != "" {
		s.Errorf("%s: required in Go (-) and in the schema (+):\n%s", path, diff)
	}
}

// enum holds the words of a schema to the constants of its type. Who answered has no type of its own.
func (s *sameness) enum(path string, typ reflect.Type, schema *google.Schema) {
	want := s.enums[typ.Name()]
	if strings.HasSuffix(path, "answered_questions/0/by") {
		want = []string{"person", "planner", "default"}
	}
	var got []string
	for _, word := range schema.Enum {
		got = append(got, word.(string))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("%s: words in Go (-) and in the schema (+):\n%s", path, diff)
	}
}

// constants are the words of each string type of core's documents, as the source declares them.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	words := map[string][]string{}
	for _, file := range []string{"../core/wave.go", "../core/fact.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil {
				return true
			}
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			typ := spec.Type.(*ast.Ident).Name
			words[typ] = append(words[typ], word)
			return true
		})
	}
	if len(words) < 3 {
		t.Fatalf("constants of %d types found", len(words))
	}
	return words
}

// TestADefinitionIsTheSameEverywhere: each schema stands alone, so what several have is there several times.
func TestADefinitionIsTheSameEverywhere(t *testing.T) {
	seen := map[string]string{}
	for _, name := range Schemas() {
		var doc struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(Schema(name), &doc); err != nil {
			t.Fatal(err)
		}
		for def, text := range doc.Defs {
			var compact bytes.Buffer
			if err := json.Compact(&compact, text); err != nil {
				t.Fatal(err)
			}
			if other, known := seen[def]; known && other != compact.String() {
				t.Errorf("%s: %s is another one elsewhere", name, def)
			}
			seen[def] = compact.String()
		}
	}
	for def, name := range map[string]string{"delegation": Delegation, "fact": PoolEntry} {
		whole := parsed(name)
		if diff := cmp.Diff(shapeOf(t, whole), shapeOf(t, parsed(map[string]string{Delegation: Decision, PoolEntry: Packet}[name]).Defs[def])); diff != "" {
			t.Errorf("%s alone and within another document:\n%s", name, diff)
		}
	}
}

// shapeOf is a schema without what only a document of its own has.
func shapeOf(t *testing.T, s *google.Schema) string {
	t.Helper()
	alone := *s
	alone.ID, alone.Schema, alone.Title, alone.Comment, alone.Defs = "", "", "", "", nil
	text, err := json.Marshal(&alone)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSchemasCanBeUsed by two libraries that know nothing of each other.
func TestSchemasCanBeUsed(t *testing.T) {
	for _, name := range Schemas() {
		compiled(t, name)
		secondOpinion(t, name)
	}
	if Schema("nothing") != nil || Schema("../schema/delegation") != nil {
		t.Error("a schema that there is not")
	}
}

func compiled(t testing.TB, name string) *google.Resolved {
	t.Helper()
	schema, err := parsed(name).Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return schema
}

func secondOpinion(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(name)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name + ".json")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return schema
}
