package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// The test program itself is what is read: it is built from the library that
// writes the document.
func TestSBOM(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(t.TempDir(), "a.json"), filepath.Join(t.TempDir(), "b.json")
	for _, file := range []string{first, second} {
		if err := write(program, file); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(second); err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same program gave another document (%v)", err)
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, c := range *bom.Components {
		named[c.Name] = c.Version
	}
	if named["github.com/CycloneDX/cyclonedx-go"] == "" || named["std"] == "" {
		t.Errorf("components: %v", named)
	}
	if bom.Metadata.Component.Name != "github.com/stellwerk-dev/stellwerk" {
		t.Errorf("it is about %q", bom.Metadata.Component.Name)
	}
}

func TestSBOMOfNoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sbom.json")
	if err := write("main.go", file); err == nil {
		t.Error("a source file has no build record")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a document was written")
	}
}
