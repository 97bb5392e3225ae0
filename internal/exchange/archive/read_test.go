package archive_test

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/archive"
)

// TestRead: a folder comes back as it was written.
func TestRead(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(from, "a", "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"a/run.sh": 0o755, "closed": 0o400, ".git": 0o644} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a/run.sh", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if left, err := archive.Write(&packed, from); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	if err := archive.Read(&packed, to); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"a/run.sh": 0o755, "closed": 0o600, ".git": 0o644, "link": 0o755} {
		info, err := os.Stat(filepath.Join(to, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s is %v, %v", name, info, err)
		}
		if data, err := os.ReadFile(filepath.Join(to, name)); err != nil || name != "link" && string(data) != name {
			t.Errorf("%s has %q, %v", name, data, err)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "a", "empty")); err != nil || !info.IsDir() {
		t.Errorf("the empty folder is %v, %v", info, err)
	}
}

// TestReadStaysInside, whatever an archive asks for.
func TestReadStaysInside(t *testing.T) {
	outside := t.TempDir()
	for name, headers := range map[string][]tar.Header{
		"a name above":        {{Name: "../evil", Typeflag: tar.TypeReg}},
		"an absolute name":    {{Name: filepath.Join(outside, "evil"), Typeflag: tar.TypeReg}},
		"through a link":      {{Name: "link", Typeflag: tar.TypeSymlink, Linkname: outside}, {Name: "link/evil", Typeflag: tar.TypeReg}},
		"over a link":         {{Name: "link", Typeflag: tar.TypeSymlink, Linkname: filepath.Join(outside, "evil")}, {Name: "link", Typeflag: tar.TypeReg}},
		"a folder via a link": {{Name: "link", Typeflag: tar.TypeSymlink, Linkname: outside}, {Name: "link/evil", Typeflag: tar.TypeDir}},
	} {
		var packed bytes.Buffer
		out := tar.NewWriter(&packed)
		for _, header := range headers {
			header.Mode = 0o644
			if err := out.WriteHeader(&header); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if err := archive.Read(&packed, t.TempDir()); err == nil {
			t.Errorf("%s is unpacked", name)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
			t.Fatalf("%s leaves %v, %v", name, left, err)
		}
	}
}
