package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	if err := archive.Read(&packed, to, archive.Bounds{Entries: 10, Bytes: 1 << 20}); err != nil {
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
		if err := archive.Read(bytes.NewReader(archived(t, headers...)), t.TempDir(), archive.Bounds{Entries: 10, Bytes: 1 << 20}); err == nil {
			t.Errorf("%s is unpacked", name)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
			t.Fatalf("%s leaves %v, %v", name, left, err)
		}
	}
}

// sparse is an archive of one file without content that claims to be so large. Package tar writes no sparse files, so the
// records get their names afterwards.
func sparse(t *testing.T, size int64) []byte {
	t.Helper()
	var packed bytes.Buffer
	out, hole := tar.NewWriter(&packed), make([]byte, 512)
	copy(hole, "0\n") // pieces of content
	err := out.WriteHeader(&tar.Header{Name: "hole", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(hole)), PAXRecords: map[string]string{
		"XXX.sparse.major": "1", "XXX.sparse.minor": "0", "XXX.sparse.name": "hole", "XXX.sparse.realsize": strconv.FormatInt(size, 10),
	}})
	if err == nil {
		_, err = out.Write(hole)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(packed.Bytes(), []byte("XXX.sparse."), []byte("GNU.sparse."))
}

// TestReadIsBounded by what an archive says it holds, not by how small it is.
func TestReadIsBounded(t *testing.T) {
	const most = 1 << 20
	for name, packed := range map[string][]byte{
		"a hole":               sparse(t, most+1),
		"two files":            archived(t, tar.Header{Name: "a", Size: most}, tar.Header{Name: "b", Size: 1}),
		"folders in one name":  archived(t, tar.Header{Name: strings.Repeat("a/", 1000) + "b"}),
		"a folder in a folder": archived(t, tar.Header{Name: strings.Repeat("a/", 1000), Typeflag: tar.TypeDir}),
	} {
		dir := t.TempDir()
		if err := archive.Read(bytes.NewReader(packed), dir, archive.Bounds{Entries: 10, Bytes: most}); err == nil {
			t.Errorf("%s: unpacked", name)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 1 || len(left) == 1 && name != "two files" {
			t.Errorf("%s leaves %v, %v", name, left, err)
		}
	}
	dir := t.TempDir()
	if err := archive.Read(bytes.NewReader(sparse(t, most)), dir, archive.Bounds{Entries: 10, Bytes: most}); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "hole")); err != nil || info.Size() != most {
		t.Errorf("the hole is %v, %v", info, err)
	}
}

// TestReadCountsEntries: also such as leave nothing behind, which a reader has to go through.
func TestReadCountsEntries(t *testing.T) {
	pipes := archived(t, slices.Repeat([]tar.Header{{Name: "pipe", Typeflag: tar.TypeFifo}}, 10)...)
	if err := archive.Read(bytes.NewReader(pipes), t.TempDir(), archive.Bounds{Entries: 10}); err != nil {
		t.Error(err)
	}
	if err := archive.Read(bytes.NewReader(pipes), t.TempDir(), archive.Bounds{Entries: 9}); err == nil || !strings.Contains(err.Error(), "too many entries") {
		t.Errorf("it says %v", err)
	}
}

// archived is an archive of files full of zeros, unless a header says something else.
func archived(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	out := tar.NewWriter(&packed)
	for _, header := range headers {
		header.Mode = 0o644
		err := out.WriteHeader(&header)
		if err == nil {
			_, err = out.Write(make([]byte, header.Size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
