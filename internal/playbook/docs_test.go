package playbook

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

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
		KindRules:   slices.Concat(kindKeys(KindRules), planKeys(), stepsKeys(), publishKeys()),
		KindManager: managerKeys(),
		KindWaves:   plannerKeys(),
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
	for _, keys := range [][]string{playbookKeys(), defaultKeys(), agentKeys(), roleKeys(), phaseKeys(), teamKeys(), tierKeys(),
		planKeys(), stepsKeys(), publishKeys(), managerKeys(), watchdogKeys(), plannerKeys(), wavesKeys()} {
		for _, key := range keys {
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("%s is not documented", key)
			}
		}
	}
	for _, key := range append(checkKeys(), gitKeys()...) {
		if !strings.Contains(string(page), key+": ") {
			t.Errorf("the check %s is not documented", key)
		}
	}
}
