package playbook

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("playbook.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("playbook.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func goodPlaybooks(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("test playbooks: %v %v", files, err)
	}
	good := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		good[file] = data
	}
	for _, name := range Builtins() {
		good[name], _ = BuiltinSource(name)
	}
	return good
}

func TestSchemaAcceptsWhatParseAccepts(t *testing.T) {
	schema := compiled(t)
	for name, data := range goodPlaybooks(t) {
		if _, _, err := Parse(name, data, options()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := schema.Validate(decode(t, data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses leaves out what a schema cannot know: names that are defined elsewhere, order, the syntax within texts.
func TestSchemaRefuses(t *testing.T) {
	beyond := []string{"duplicate key", "ids", "unknown role", "unknown agent", "missing capability", "missing input",
		"input of a later phase", "cycle", "own output as input", "input of a skipped phase", "rollback", "merge key", "artifacts that change code",
		"findings without a review", "documents of a team", "check beyond the limits",
		"checks within checks", "another coverage", "unknown roles", "specialists", "too many globs",
		"times of a watchdog", "unknown manager", "a manager that works",
		"unknown roles of waves", "a planner that works", "only a planner"}
	schema := compiled(t)
	for _, test := range allBad() {
		var value any
		if slices.Contains(beyond, test.name) || yaml.Unmarshal([]byte(test.text), &value) != nil {
			continue
		}
		if test.name == "two documents" || strings.Contains(test.name, "alias") {
			continue
		}
		if err := schema.Validate(value); err == nil {
			t.Errorf("%s: accepted", test.name)
		}
	}
}
