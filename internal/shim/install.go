package shim

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Programs are the copies that run beside agents: Self of the running program, and Worker of the small one that came with
// it, or Self again if there is none.
type Programs struct{ Self, Worker string }

// InstallSelf puts a copy of the running program into dir/<digest>/, so that shims run from a file that no upgrade touches,
// and one of the worker beside it, if both were built from the same source. It makes no link to what was installed, because
// an upgrade that overwrites a program in place would change the linked file too. It uses copies that are already there.
func InstallSelf(dir string) (Programs, error) {
	source, err := openSelf()
	if err != nil {
		return Programs{}, err
	}
	defer func() { _ = source.Close() }() // only read from
	self, err := install(source, dir, programName)
	if err != nil {
		return Programs{}, fmt.Errorf("keep a copy of this program: %w", err)
	}
	worker, err := installWorker(dir, self)
	if err != nil {
		return Programs{}, fmt.Errorf("keep a copy of %s: %w", workerName, err)
	}
	return Programs{Self: self, Worker: cmp.Or(worker, self)}, nil
}

// installWorker copies the worker that lies beside the running program, "" if there is none of the same build. The copy of
// the running program gets it beside itself, too: an engine that runs from there looks for it in the same way.
func installWorker(dir, self string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil
	}
	own, known := debug.ReadBuildInfo()
	beside := filepath.Join(filepath.Dir(program), workerName)
	if !known || !builtWith(own, beside) {
		return "", nil
	}
	source, err := os.Open(beside)
	if err != nil {
		return "", err
	}
	defer func() { _ = source.Close() }() // only read from
	worker, err := install(source, dir, workerName)
	if err != nil {
		return "", err
	}
	companion := filepath.Join(filepath.Dir(self), workerName)
	if sameFile(companion, worker) {
		return worker, nil
	}
	if err := os.Remove(companion); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.Link(worker, companion); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return worker, nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// builtWith reports whether the program at path is a worker that was built from the same source as this one.
func builtWith(own *debug.BuildInfo, path string) bool {
	other, err := buildinfo.ReadFile(path)
	if err != nil || filepath.Base(other.Path) != workerName {
		return false
	}
	return origin(own) == origin(other)
}

// origin names what a program was built from, as far as the toolchain knows.
func origin(b *debug.BuildInfo) string {
	text := b.GoVersion + " " + b.Main.Path + " " + b.Main.Version
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.time" || s.Key == "vcs.modified" {
			text += " " + s.Value
		}
	}
	return text
}

// openSelf opens the running program, on Linux even if its file has been replaced.
func openSelf() (*os.File, error) {
	if file, err := os.Open("/proc/self/exe"); err == nil {
		return file, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's file: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open this program's file: %w", err)
	}
	return file, nil
}

const (
	programName  = "stellwerk"
	workerName   = "stellwerk-worker"
	digestLength = 16
)

// stampOf names the file that says which file was copied last as name, and where to.
func stampOf(name string) string {
	if name == programName {
		return "last"
	}
	return "last-" + name
}

func install(source *os.File, dir, name string) (string, error) {
	identity, err := identify(source)
	if err != nil {
		return "", err
	}
	if path, ok := installed(dir, name, identity); ok {
		return path, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, source); err != nil {
		return "", err
	}
	digest := hex.EncodeToString(hash.Sum(nil))[:digestLength]
	path := filepath.Join(dir, digest, name)
	if _, err := os.Stat(path); err != nil {
		if err := copyTo(source, path); err != nil {
			return "", err
		}
	}
	return path, renameio.WriteFile(filepath.Join(dir, stampOf(name)), []byte(identity+" "+digest+"\n"), 0o644)
}

// identify names a file and its present content without reading it: every write changes a file's change time.
func identify(file *os.File) (string, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return "", &os.PathError{Op: "stat", Path: file.Name(), Err: err}
	}
	return fmt.Sprintf("%d:%d:%d:%d.%d", stat.Dev, stat.Ino, stat.Size, stat.Ctim.Sec, stat.Ctim.Nsec), nil
}

// installed finds the copy that the stamp names, so that a command need not read the whole program first.
func installed(dir, name, identity string) (string, bool) {
	stamp, err := os.ReadFile(filepath.Join(dir, stampOf(name)))
	if err != nil {
		return "", false
	}
	known, digest, _ := strings.Cut(strings.TrimSpace(string(stamp)), " ")
	path := filepath.Join(dir, filepath.Base(digest), name)
	if _, err := os.Stat(path); err != nil || known != identity {
		return "", false
	}
	return path, true
}

func copyTo(source *os.File, path string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return err
	}
	pending, err := renameio.NewPendingFile(path, renameio.WithTempDir(folder), renameio.WithStaticPermissions(0o755))
	if err != nil {
		return err
	}
	defer func() { _ = pending.Cleanup() }() // does nothing after the replacement
	if _, err := io.Copy(pending, source); err != nil {
		return err
	}
	if err := pending.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return errors.Join(syncFile(folder), syncFile(filepath.Dir(folder)))
}
