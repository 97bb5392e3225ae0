package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// forgetful is a disk that knows what a crash of the machine would leave: the
// bytes of files that were synced, and the names in folders that were synced
// after the name was given.
type forgetful struct {
	realDisk
	mu      sync.Mutex
	content map[string]bool            // by current path: bytes are on disk
	names   map[string]map[string]bool // by folder: names given, and whether on disk
	log     []string
}

func newForgetful() *forgetful {
	return &forgetful{content: map[string]bool{}, names: map[string]map[string]bool{}}
}

func (d *forgetful) note(format string, args ...any) {
	d.log = append(d.log, fmt.Sprintf(format, args...))
}

func (d *forgetful) name(path string) {
	folder := filepath.Dir(path)
	if d.names[folder] == nil {
		d.names[folder] = map[string]bool{}
	}
	d.names[folder][filepath.Base(path)] = false
}

func (d *forgetful) syncFile(f *os.File) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note("sync file")
	d.content[f.Name()] = true
	return d.realDisk.syncFile(f)
}

func (d *forgetful) mkdir(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.realDisk.mkdir(path)
	if err == nil {
		d.note("mkdir %s", filepath.Base(path))
		d.name(path)
	}
	return err
}

func (d *forgetful) rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note("rename to %s", filepath.Base(to))
	d.content[to] = d.content[from]
	d.name(to)
	return d.realDisk.rename(from, to)
}

func (d *forgetful) syncFolder(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note("sync folder %s", filepath.Base(path))
	for name := range d.names[path] {
		d.names[path][name] = true
	}
	return d.realDisk.syncFolder(path)
}

// survives reports what a crash now would take from a blob; "" for nothing.
func (d *forgetful) survives(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	shard := filepath.Dir(path)
	switch {
	case !d.content[path]:
		return "its bytes"
	case !d.names[shard][filepath.Base(path)]:
		return "its name"
	case !d.names[filepath.Dir(shard)][filepath.Base(shard)]:
		return "the folder it is in"
	}
	return ""
}

func TestPutIsDurableWhenItReturns(t *testing.T) {
	d := newForgetful()
	f, err := open(filepath.Join(t.TempDir(), "blobs"), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 { // more than one in some folder
		path := f.at(put(t, f, fmt.Sprint("content ", i%40)))
		if lost := d.survives(path); lost != "" {
			t.Fatalf("blob %d is acknowledged, and a crash of the machine takes %s:\n%s", i, lost, strings.Join(d.log, "\n"))
		}
	}
}

// TestNameComesAfterBytes sees that no crash can leave a name without content.
func TestNameComesAfterBytes(t *testing.T) {
	d := newForgetful()
	f, err := open(filepath.Join(t.TempDir(), "blobs"), d)
	if err != nil {
		t.Fatal(err)
	}
	d.log = nil
	put(t, f, "hello")
	want := []string{"sync file", "mkdir 2c", "sync folder blobs", "rename to " + helloDigest[2:], "sync folder 2c"}
	if got := strings.Join(d.log, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("order is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestUnfinishedByAnother puts what another process has named but not yet made
// durable: this Put must do it too before it returns.
func TestUnfinishedByAnother(t *testing.T) {
	d := newForgetful()
	f, err := open(filepath.Join(t.TempDir(), "blobs"), d)
	if err != nil {
		t.Fatal(err)
	}
	path := f.at(helloDigest)
	if err := d.mkdir(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.name(path)
	d.content[path] = true // its bytes were synced before it was named
	put(t, f, "hello")
	if lost := d.survives(path); lost != "" {
		t.Errorf("a crash of the machine takes %s", lost)
	}
}
