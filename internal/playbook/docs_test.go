package playbook

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// docProject is one of the page's examples of a playbook that drives a project.
var docProject = regexp.MustCompile("(?s)```yaml\n(name: [a-z]+\nkind: (rules|manager|waves)\n.*?)```")

// TestDocumentedProjects reads the examples of the kinds that delegate; the one of kind rules uses every key of its own.
func TestDocumentedProjects(t *testing.T) {
	page, err := os.ReadFile("../../docs/playbook-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string][]string{
		KindRules:   documented(KindRules, "plan", "steps", "publish"),
		KindManager: documented(KindManager, "manager"),
		KindWaves:   documented(KindWaves, "planner"),
	}
	for _, match := range docProject.FindAllSubmatch(page, -1) {
		text, kind := string(match[1]), string(match[2])
		_, warnings, err := Parse("shop.yaml", match[1], Options{Roles: role.Builtin(), Commands: Commands{Build: "make", Test: "make test"}})
		if err != nil || len(warnings) > 0 {
			t.Fatal(kind, warnings, err)
		}
		if err := compiled(t).Validate(decode(t, match[1])); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		for _, key := range keys[kind] {
			if !strings.Contains(text, key+": ") && !strings.Contains(text, key+":\n") {
				t.Errorf("the example of kind %s does not use %s", kind, key)
			}
		}
		delete(keys, kind)
	}
	if len(keys) > 0 {
		t.Errorf("the page has no example of %v", slices.Collect(maps.Keys(keys)))
	}
}

// TestDocumentedKeys wants every key of the format on the pages.
func TestDocumentedKeys(t *testing.T) {
	var page []byte
	for _, name := range []string{"playbooks.md", "playbook-reference.md"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, text...)
	}
	var root any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	propertyNames(root, keys)
	if len(keys) < 80 {
		t.Fatalf("the schema has %d keys", len(keys))
	}
	for key := range keys {
		if !strings.Contains(string(page), "`"+key+"`") && !strings.Contains(string(page), key+": ") {
			t.Errorf("%s is not documented", key)
		}
	}
}

// propertyNames finds every key that a schema describes, at any depth.
func propertyNames(schema any, found map[string]bool) {
	switch schema := schema.(type) {
	case map[string]any:
		if properties, ok := schema["properties"].(map[string]any); ok {
			for key := range properties {
				found[key] = true
			}
		}
		for _, part := range schema {
			propertyNames(part, found)
		}
	case []any:
		for _, part := range schema {
			propertyNames(part, found)
		}
	}
}

// documented are fields of a kind of playbook, and the keys of each.
func documented(kind string, keys ...string) []string {
	all := keys
	for _, key := range keys {
		properties := new(parser).kindFields(kind).Find(key).Schema["properties"].(yamlfile.Schema)
		all = slices.AppendSeq(all, maps.Keys(properties))
	}
	return all
}
