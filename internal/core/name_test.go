package core

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNameForms(t *testing.T) {
	for name, want := range map[string][]string{
		"db_schema_v2.md": {"db_schema_v2.md", "db_schema_v2", "db_schema.md", "db_schema"},
		"api-v10":         {"api-v10", "api"},
		"notes.md":        {"notes.md", "notes"},
		"plain":           {"plain"},
		"v2":              {"v2"},
		"_v2":             {"_v2"},
		"rev2.txt":        {"rev2.txt", "rev2"},
		"api_v.md":        {"api_v.md", "api_v"},
		".hidden":         {".hidden"},
	} {
		if got := NameForms(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func handedIn(names ...string) *Waves {
	w := &Waves{}
	for i, name := range names {
		w.Documents = append(w.Documents, Document{Detail: Detail{ID: fmt.Sprint("d", i+1)}, Name: name})
	}
	return w
}

// TestTheNewestVersionIsMeant by a name without one; a name with a version means
// that version.
func TestTheNewestVersionIsMeant(t *testing.T) {
	w := handedIn("api_v2.md", "api_v10.md", "api_v9.md", "api.md", "d1", "notes", "notes.md", "api_v10.md", "log_v0.md", "log.md")
	for called, want := range map[string]string{
		"api": "d8", "api.md": "d8", "api_v10": "d8", "api_v2": "d1", "api_v9.md": "d3", "api_v3": "", "api_v1": "", "api.txt": "",
		"d1": "d1", "d5": "d5", "notes": "d6", "notes.md": "d7", "log": "d10", "log_v0": "d9", "": "", "ap": "", "api_": "", "api_v": "",
	} {
		got := ""
		if d := w.Document(called); d != nil {
			got = d.ID
		}
		if got != want {
			t.Errorf("%q is %q, not %q", called, got, want)
		}
	}
	if d := w.Named("api.md"); d == nil || d.ID != "d4" {
		t.Errorf("api.md itself is %+v", d)
	}
	if d := w.Named("api"); d != nil {
		t.Errorf("nothing is named api: %+v", d)
	}
}

// TestDocumentsAreFoundByTheirForms, by those and no other.
func TestDocumentsAreFoundByTheirForms(t *testing.T) {
	word := rapid.StringMatching(`[ab](\.|_v|-v|v|_)?[0-2]{0,2}(\.m)?`)
	rapid.Check(t, func(t *rapid.T) {
		names, called := rapid.SliceOfN(word, 0, 5).Draw(t, "names"), word.Draw(t, "called")
		found := handedIn(names...).Document(called)
		so := func(name string) bool { return slices.Contains(NameForms(name), called) }
		if (found != nil) != slices.ContainsFunc(names, so) || found != nil && !so(found.Name) {
			t.Fatalf("%q among %q is %+v", called, names, found)
		}
	})
}
