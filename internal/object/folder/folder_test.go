package folder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// helloDigest is the SHA-256 of "hello".
const helloDigest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func openTemp(t *testing.T) *Folder {
	t.Helper()
	f, err := Open(filepath.Join(t.TempDir(), "state", "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, f *Folder, content string) string {
	t.Helper()
	digest, size, err := f.Put(t.Context(), strings.NewReader(content), 0)
	if err != nil || size != int64(len(content)) {
		t.Fatalf("put: %d bytes, %v", size, err)
	}
	return digest
}

func read(t *testing.T, f *Folder, digest string) string {
	t.Helper()
	file, err := f.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files lists everything under the folder but its shards.
func files(t *testing.T, f *Folder) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(f.path, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPut(t *testing.T) {
	f := openTemp(t)
	if _, err := f.Open(t.Context(), helloDigest); core.CodeOf(err) != core.CodeNotFound {
		t.Fatalf("before it is put: %v", err)
	}
	for range 2 {
		if got := put(t, f, "hello"); got != helloDigest {
			t.Fatalf("digest %s", got)
		}
	}
	if got := read(t, f, helloDigest); got != "hello" {
		t.Errorf("read %q", got)
	}
	path := filepath.Join(f.path, helloDigest[:2], helloDigest[2:])
	if got := files(t, f); len(got) != 1 || got[0] != path {
		t.Errorf("files are %v, want %s alone", got, path)
	}
	for path, want := range map[string]os.FileMode{f.path: 0o700, filepath.Dir(path): 0o700, path: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	put(t, f, "") // the empty file is content too
}

func TestLimit(t *testing.T) {
	f := openTemp(t)
	if _, size, err := f.Put(t.Context(), strings.NewReader("hello"), 5); err != nil || size != 5 {
		t.Errorf("at the limit: %d, %v", size, err)
	}
	endless := iotest.OneByteReader(neverEnding('x'))
	_, _, err := f.Put(t.Context(), endless, 4096)
	var large *object.TooLarge
	if !errors.As(err, &large) || large.Max != 4096 {
		t.Errorf("past the limit: %v", err)
	}
	if got := files(t, f); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

type neverEnding byte

func (c neverEnding) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c)
	}
	return len(b), nil
}

func TestBrokenReaderLeavesNothing(t *testing.T) {
	f := openTemp(t)
	broken := errors.New("broken")
	_, _, err := f.Put(t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), 0)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.Put(ctx, neverEnding('x'), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := files(t, f); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestDamagedIsFoundAndMended(t *testing.T) {
	f := openTemp(t)
	path := f.at(put(t, f, "hello"))
	if err := f.Verify(t.Context(), helloDigest); err != nil {
		t.Errorf("whole: %v", err)
	}
	if err := os.WriteFile(path, []byte("hellp"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(t.Context(), helloDigest); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
		t.Errorf("damaged: %v", err)
	}
	put(t, f, "hello")
	if err := f.Verify(t.Context(), helloDigest); err != nil {
		t.Errorf("mended: %v", err)
	}
}

func TestStrangeDigests(t *testing.T) {
	f := openTemp(t)
	for _, digest := range []string{
		"", "ab", "../../etc/passwd", strings.ToUpper(helloDigest), helloDigest + "00", strings.Repeat("g", 64),
	} {
		if _, err := f.Size(t.Context(), digest); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q: %v", digest, err)
		}
	}
	if _, err := f.Open(t.Context(), strings.Repeat("0", 64)); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("missing: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	f := openTemp(t)
	again, err := Open(f.path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte(i / 4)}, 100_000)
			folder := []*Folder{f, again}[i%2]
			digest, _, err := folder.Put(t.Context(), bytes.NewReader(content), 0)
			if err == nil {
				err = folder.Verify(t.Context(), digest)
			}
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if got := files(t, f); len(got) != 4 {
		t.Errorf("%d files, want 4", len(got))
	}
}

func TestFolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "blobs")); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
		t.Errorf("got %v", err)
	}
}
