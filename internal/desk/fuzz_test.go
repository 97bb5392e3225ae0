package desk

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead holds that the note, which lies in an agent's hands, is read whole or not at all, and by both its readers alike.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"dir":"/d","plan":"x","files":{"plan.md":"x"}}`, `{"dir":"","plan":"","files":null,"unheard":true}`, `{"unheard":true,"Unheard":false}`, "{}", "null", "x", `{"files":{"../x":"y"}}`,
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "note.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		origin, err := Read(path)
		if unheard := Unheard(path); unheard && (err != nil || !origin.Unheard) {
			t.Fatalf("%q is read in two ways: %+v, %v", data, origin, err)
		}
		if err != nil {
			return
		}
		if err := origin.Write(path); err != nil {
			t.Fatal(err)
		}
		if again, err := Read(path); err != nil || again.Dir != origin.Dir || again.Plan != origin.Plan || len(again.Files) != len(origin.Files) || again.Unheard != origin.Unheard {
			t.Fatalf("%q is %+v, and written again %+v, %v", data, origin, again, err)
		}
	})
}
