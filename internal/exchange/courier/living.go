package courier

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Living counts the workers that have a folder in dir, whoever started them. One that has not claimed its attempt yet has none.
func Living(dir string) (n int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("look for folders of workers: %w", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), rootPrefix) {
			continue
		}
		lives, err := inhabited(filepath.Join(dir, entry.Name(), nameFile))
		if err != nil {
			return 0, fmt.Errorf("look whether a worker lives in %s: %w", entry.Name(), err)
		}
		if lives {
			n++
		}
	}
	return n, nil
}

// inhabited reports that somebody holds a file.
func inhabited(name string) (held bool, err error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	err = hold(file, syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
