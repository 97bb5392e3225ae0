package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// InstallSelf puts a copy of the running program into dir/<digest>/ and returns its path, so that shims run from a
// file that no upgrade touches. It makes no link, because an upgrade that overwrites the program in place would change the
// linked file too. It uses a copy that is already there.
func InstallSelf(dir string) (string, error) {
	source, err := openSelf()
	if err != nil {
		return "", err
	}
	defer func() { _ = source.Close() }() // only read from
	path, err := install(source, dir)
	if err != nil {
		return "", fmt.Errorf("keep a copy of this program: %w", err)
	}
	return path, nil
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
	stampName    = "last" // which file was copied last, and where to
	digestLength = 16
)

func install(source *os.File, dir string) (string, error) {
	identity, err := identify(source)
	if err != nil {
		return "", err
	}
	if path, ok := installed(dir, identity); ok {
		return path, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, source); err != nil {
		return "", err
	}
	digest := hex.EncodeToString(hash.Sum(nil))[:digestLength]
	path := filepath.Join(dir, digest, programName)
	if _, err := os.Stat(path); err != nil {
		if err := copyTo(source, path); err != nil {
			return "", err
		}
	}
	return path, renameio.WriteFile(filepath.Join(dir, stampName), []byte(identity+" "+digest+"\n"), 0o644)
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
func installed(dir, identity string) (string, bool) {
	stamp, err := os.ReadFile(filepath.Join(dir, stampName))
	if err != nil {
		return "", false
	}
	known, digest, _ := strings.Cut(strings.TrimSpace(string(stamp)), " ")
	path := filepath.Join(dir, filepath.Base(digest), programName)
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
