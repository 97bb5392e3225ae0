package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// InstallSelf puts a copy of the running program into dir/<digest>/ and returns its path, so that shims run from a
// file that no upgrade touches. It is a copy and not a link: a program that is overwritten in place would change under
// its other name as well. A copy that is there already is used.
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

// openSelf opens what is running even if its file has been replaced, where the system can do that.
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
	digestLength = 16
)

func install(source *os.File, dir string) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, source); err != nil {
		return "", err
	}
	folder := filepath.Join(dir, hex.EncodeToString(hash.Sum(nil))[:digestLength])
	path := filepath.Join(folder, programName)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	pending, err := renameio.NewPendingFile(path, renameio.WithTempDir(folder), renameio.WithStaticPermissions(0o755))
	if err != nil {
		return "", err
	}
	defer func() { _ = pending.Cleanup() }() // does nothing after the replacement
	if _, err := io.Copy(pending, source); err != nil {
		return "", err
	}
	if err := pending.CloseAtomicallyReplace(); err != nil {
		return "", err
	}
	return path, errors.Join(syncFile(folder), syncFile(dir))
}
