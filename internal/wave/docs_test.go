package wave

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	google "github.com/google/jsonschema-go/jsonschema"
)

// TestEveryFieldSaysWhatItMeans, because docs/wave-reference.md sends its reader to the schemas for that.
func TestEveryFieldSaysWhatItMeans(t *testing.T) {
	for _, name := range Schemas() {
		root := parsed(name)
		objects := map[string]*google.Schema{name: root}
		for def, s := range root.Defs {
			objects[name+"/"+def] = s
		}
		for path, object := range objects {
			for field, s := range object.Properties {
				if s.Ref != "" && s.Description == "" {
					s = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
				}
				if s == nil || s.Description == "" {
					t.Errorf("%s: %s has no description", path, field)
				}
			}
		}
	}
}

var docObject = regexp.MustCompile("(?s)```json\n(.*?)```")

// TestDocumentedDocuments holds docs/wave-reference.md to the schemas and to the bounds of the reader.
func TestDocumentedDocuments(t *testing.T) {
	page, err := os.ReadFile("../../docs/wave-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	names, examples := []string{Delegation, Output}, docObject.FindAllSubmatch(page, -1)
	if len(examples) != len(names) {
		t.Fatalf("%d examples for %v", len(examples), names)
	}
	for i, name := range names {
		var document any
		if err := json.Unmarshal(examples[i][1], &document); err != nil {
			t.Fatal(name, err)
		}
		if err := compiled(t, name).Validate(document); err != nil {
			t.Errorf("the example of %s: %v", name, err)
		}
	}
	for _, name := range Schemas() {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page does not name the schema %s", name)
		}
	}
	for _, bound := range []string{"more than 1 MiB", fmt.Sprintf("more than %d levels", MaxDepth), fmt.Sprintf("`%.0fh`", MaxAfter.Hours())} {
		if !strings.Contains(string(page), bound) {
			t.Errorf("the page does not say %q", bound)
		}
	}
}
