package shim

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/disktest"
)

// TestWhatMustBeOnTheDisk: what others rely on once it is said is there after a power cut. Where the disk does not take
// it, that is an error and not a promise.
func TestWhatMustBeOnTheDisk(t *testing.T) {
	for name, do := range map[string]func(folder string) error{
		"the mark of a start": markStarted,
		"a wish to cancel":    Cancel,
		"the end":             func(folder string) error { return writeExit(folder, Exit{}) },
		"a bundle": func(folder string) error {
			_, err := acceptHandIn(folder, filepath.Join(folder, handInDir))
			return err
		},
		"a transcript": func(folder string) error {
			j, err := openJournal(folder, unredacted{}, 1)
			if err != nil {
				return err
			}
			return j.close()
		},
		"a document without its secret": func(folder string) error {
			root, err := os.OpenRoot(folder)
			if err != nil {
				return err
			}
			defer func() { _ = root.Close() }()
			return (&collector{root: root}).replace(specFile, []byte("clean"), 0o600)
		},
		"a copy of the program": func(folder string) error {
			source, err := os.Open(filepath.Join(folder, specFile))
			if err != nil {
				return err
			}
			defer func() { _ = source.Close() }()
			return copyTo(source, filepath.Join(folder, "bin", "digest", programName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := prepared(t)
			dir := filepath.Join(folder, handInDir)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"result.json": `{"commit": "c1"}`, bundleFile: "pack"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			if refused := disktest.FailSyncs(func() { err = do(folder) }); refused != nil {
				t.Fatal(refused)
			}
			if !errors.Is(err, syscall.EIO) {
				t.Errorf("it was said to be on the disk: %v", err)
			}
		})
	}
}
