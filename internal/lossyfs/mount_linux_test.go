package lossyfs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changes are made by programs of the system, on this file system and on another.
const changes = `set -e
cd "$0"
mkdir -p a/b c
echo one > a/one
echo two >> a/one
dd if=/dev/zero of=a/big bs=1000 count=3000 status=none
truncate -s 1234567 a/big
printf middle | dd of=a/big bs=1 seek=5000 conv=notrunc status=none
ln a/one c/linked
ln -s ../a/one c/symbolic
mv a/one a/b/moved
echo over > c/target
echo under > c/source
mv c/source c/target
rm c/linked
chmod 640 c/target
mkdir gone && rmdir gone
for i in $(seq 300); do echo $i > c/$i; done
find c -name '2*' -delete
sync a/big c
test "$(stat -c %h a/b/moved)" = 1
flock a/b/moved true`

// tree is what a folder has, by path.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name := info.Mode().String() + " " + path[len(folder):]
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			found[name] = string(content)
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			found[name], err = os.Readlink(path)
			return err
		}
		found[name] = ""
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestProgramsSeeAFileSystem: what they do there comes to the same as elsewhere.
func TestProgramsSeeAFileSystem(t *testing.T) {
	disk, mount, plain := New(), t.TempDir(), t.TempDir()
	unmount := Mount(t, disk, mount)
	for _, folder := range []string{mount, plain} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", changes, folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("in %s: %v\n%s", folder, err, out)
		}
	}
	unmount()
	exported := t.TempDir()
	if err := disk.Export(exported); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, plain), tree(t, exported)); diff != "" {
		t.Error(diff)
	}
}

// TestProgramsAreToldThatThePowerIsGone: nothing they do afterwards counts.
func TestProgramsAreToldThatThePowerIsGone(t *testing.T) {
	disk, mount := New(), t.TempDir()
	unmount := Mount(t, disk, mount)
	disk.FailAfter(2)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `cd "$0" && mkdir first; sync .; mkdir second`, mount)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("nothing was said: %s", out)
	}
	<-disk.Failed()
	unmount()
	disk.Restart(random(1))
	exported := t.TempDir()
	if err := disk.Export(exported); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(exported); err != nil || len(entries) != 1 || entries[0].Name() != "first" {
		t.Errorf("left are %v, %v", entries, err)
	}
}
