package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// failing is a disk on which the nth change fails.
type failing struct {
	realDisk
	left int
	what string // what failed
}

var errDisk = errors.New("the disk does not answer")

func (d *failing) step(what string) error {
	if d.left--; d.left == 0 {
		d.what = what
		return errDisk
	}
	return nil
}

func (d *failing) createTemp(folder string) (*os.File, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	return d.realDisk.createTemp(folder)
}

func (d *failing) syncFile(f *os.File) error {
	return errors.Join(d.step("sync a file"), d.realDisk.syncFile(f))
}

func (d *failing) mkdir(path string) error {
	if err := d.step("make a folder"); err != nil {
		return err
	}
	return d.realDisk.mkdir(path)
}

func (d *failing) rename(from, to string) error {
	if err := d.step("rename"); err != nil {
		return err
	}
	return d.realDisk.rename(from, to)
}

func (d *failing) touch(path string) error {
	if err := d.step("touch"); err != nil {
		return err
	}
	return d.realDisk.touch(path)
}

func (d *failing) syncFolder(path string) error {
	return errors.Join(d.step("sync a folder"), d.realDisk.syncFolder(path))
}

// TestEachStepOfAPutMayFail: then it is said, nothing unfinished stays, and the next Put makes everything good. The second
// content is there already, and put once more.
func TestEachStepOfAPutMayFail(t *testing.T) {
	for _, there := range []bool{false, true} {
		failed := map[string]bool{}
		for n := 1; ; n++ {
			path := filepath.Join(t.TempDir(), "blobs")
			if there {
				f, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				put(t, f, "hello")
			}
			d := &failing{}
			f, err := open(path, d)
			if err != nil {
				t.Fatal(err)
			}
			d.left = n
			digest, size, err := f.Put(t.Context(), strings.NewReader("hello"), 0)
			if d.what == "" { // there are no more steps
				break
			}
			failed[d.what] = true
			if !errors.Is(err, errDisk) || digest != "" || size != 0 {
				t.Errorf("could not %s (step %d): %q, %d, %v", d.what, n, digest, size, err)
			}
			for _, file := range files(t, f) {
				if file != f.at(helloDigest) {
					t.Errorf("could not %s (step %d): %s is left", d.what, n, file)
				}
			}
			if got := put(t, f, "hello"); got != helloDigest || read(t, f, got) != "hello" {
				t.Errorf("could not %s (step %d): afterwards it is %s", d.what, n, got)
			}
		}
		want := map[bool]string{false: "rename", true: "touch"}[there]
		if !failed[want] || failed["rename"] && failed["touch"] || len(failed) != 5 {
			t.Errorf("what failed was %v, without %s", failed, want)
		}
	}
}

// TestASecondPutLeavesTheFirst: whoever reads a blob reads on.
func TestASecondPutLeavesTheFirst(t *testing.T) {
	f := openTemp(t)
	path := f.at(put(t, f, "hello"))
	first, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, f, "hello")
	if second, err := os.Stat(path); err != nil || !os.SameFile(first, second) {
		t.Errorf("it is another file now: %v", err)
	}
}

func TestTouch(t *testing.T) {
	f := openTemp(t)
	digest := put(t, f, "hello")
	path := f.at(digest)
	long := time.Now().Add(-10 * object.Young)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if there, err := f.Touch(t.Context(), digest); err != nil || !there {
		t.Errorf("one that is there: %t, %v", there, err)
	}
	if gone, err := f.Discard(t.Context(), digest, time.Now()); err != nil || gone {
		t.Errorf("it is discarded all the same: %t, %v", gone, err)
	}
	if there, err := f.Touch(t.Context(), strings.Repeat("a", 64)); err != nil || there {
		t.Errorf("one that is not there: %t, %v", there, err)
	}
	for _, bad := range []string{"", "../../etc/passwd", strings.ToUpper(digest)} {
		if there, err := f.Touch(t.Context(), bad); err == nil || there {
			t.Errorf("%q is touched: %t", bad, there)
		}
		if gone, err := f.Discard(t.Context(), bad, time.Now()); err == nil || gone {
			t.Errorf("%q is discarded: %t", bad, gone)
		}
		if _, err := f.Open(t.Context(), bad); err == nil {
			t.Errorf("%q is there", bad)
		}
	}
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	f.disk = &failing{left: 1}
	if there, err := f.Touch(t.Context(), digest); !errors.Is(err, errDisk) || there {
		t.Errorf("one that cannot be touched: %t, %v", there, err)
	}
}

// TestOnlyBlobsAreListed: what else lies in the folder is none, whatever its name, and is never handed to who removes.
func TestOnlyBlobsAreListed(t *testing.T) {
	f := openTemp(t)
	digest := put(t, f, "hello")
	for _, name := range []string{"notes.txt", digest, "2d/" + digest[2:] + "0", "2c/.new-1", "deep/er/" + digest[:2] + "/" + digest[2:]} {
		path := filepath.Join(f.path, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	if err := f.Each(t.Context(), func(e object.Entry) error {
		seen = append(seen, fmt.Sprint(e.Digest, " ", e.Size))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := digest + " 5"; len(seen) != 1 || seen[0] != want {
		t.Errorf("there are %q, not %q", seen, want)
	}
	if err := f.Each(t.Context(), func(object.Entry) error { return errDisk }); !errors.Is(err, errDisk) {
		t.Errorf("who stops the listing is not heard: %v", err)
	}
}
