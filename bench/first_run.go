package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// firstRun compares what the first run in a large repository given by path takes with the same of the program named
// with -before: time, or disk in the state folder once the run is over. The files have nothing that could be compressed.
func firstRun(disk bool) func(context.Context, *workshop) (outcome, error) {
	return func(ctx context.Context, shop *workshop) (outcome, error) {
		program, err := shop.stellwerk(ctx)
		if err != nil {
			return outcome{}, err
		}
		if shop.before == "" {
			return outcome{skipped: "needs -before"}, nil
		}
		source, err := shop.largeRepository(ctx)
		if err != nil {
			return outcome{}, err
		}
		turns := 3
		if disk {
			turns = 1
		}
		var took [2][]time.Duration
		var bytes [2]int64
		for range turns {
			for i, program := range [2]string{program, shop.before} {
				h, err := openHome(shop, "first-run")
				if err != nil {
					return outcome{}, err
				}
				began := time.Now()
				if _, err := h.run(ctx, source, program, "run", "--playbook", "bench", "--isolation", "none", "--trust", "do it"); err != nil {
					return outcome{}, err
				}
				took[i] = append(took[i], time.Since(began))
				if bytes[i], err = allocated(h.state()); err != nil {
					return outcome{}, err
				}
				if err := os.RemoveAll(h.dir); err != nil {
					return outcome{}, err
				}
			}
		}
		if disk {
			const mb = 1e6
			return outcome{
				ratio: float64(bytes[0]) / float64(bytes[1]), measured: fmt.Sprintf("%.1f MB", float64(bytes[0])/mb), base: fmt.Sprintf("%.1f MB", float64(bytes[1])/mb),
			}, nil
		}
		return compare(took[0], took[1], short), nil
	}
}

// largeRepository has 1 GB in 4,000 files, or less where it is to be quick. It is made once.
func (w *workshop) largeRepository(ctx context.Context) (string, error) {
	const files = 4000
	size := 250_000
	if w.quick {
		size /= 10
	}
	dir := filepath.Join(w.dir, "large")
	source := filepath.Join(dir, "source")
	if _, err := os.Stat(dir); err == nil {
		return source, nil
	}
	noise := rand.NewChaCha8([32]byte{1})
	content := make([]byte, size)
	for i := range files {
		path := filepath.Join(source, fmt.Sprintf("part%02d", i%40), fmt.Sprintf("file%04d", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		_, _ = noise.Read(content) // never fails
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return "", err
		}
	}
	return source, smallRepository(ctx, dir, cyclePlaybook+"  - {id: build, role: dev, done: [{command: \"true\"}]}\n")
}

// allocated is what a folder takes on the disk.
func allocated(dir string) (total int64, err error) {
	seen := map[uint64]bool{}
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if at, ok := info.Sys().(*syscall.Stat_t); ok && !seen[at.Ino] {
			const block = 512
			seen[at.Ino] = true
			total += at.Blocks * block
		}
		return nil
	})
	return total, err
}
