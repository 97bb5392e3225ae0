package seedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPlant: everybody gets what was made once, and nobody's database is touched.
func TestPlant(t *testing.T) {
	made := 0
	seed := Seed{Make: func(path string) error {
		made++
		return os.WriteFile(path, []byte("grown"), 0o600)
	}}
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	if err := os.WriteFile(kept, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"one": "grown", "two": "grown", "kept": "somebody's"} {
		path := filepath.Join(dir, name)
		seed.Plant(t, path)
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

// TestMoreThanOneFile is refused: a copy of the first would lack what is in the log.
func TestMoreThanOneFile(t *testing.T) {
	seed := Seed{Make: func(path string) error {
		if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil {
			return err
		}
		return os.WriteFile(path, nil, 0o600)
	}}
	if seed.grow(); seed.err == nil {
		t.Error("it is used")
	}
}
