package crash

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// processes are those that have to do with the world: its engines, shims,
// agents, checks, and what git does for them. Where there is no /proc, none
// are found.
func (w *world) processes() []int {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		w.t.Fatal(err)
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that ends meanwhile has no files any more.
		for _, name := range []string{"cmdline", "environ"} {
			if content, err := os.ReadFile(filepath.Join(entry, name)); err == nil && bytes.Contains(content, []byte(w.root)) {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

func commandOf(pid int) string {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " ")
}

// quiet waits until every process of the world has ended.
func (w *world) quiet() {
	w.t.Helper()
	w.await("the end of every process", func() bool { return len(w.processes()) == 0 })
}

// await looks for a condition that nothing signals.
func (w *world) await(what string, holds func() bool) {
	w.t.Helper()
	if !waittest.Until(holds) {
		w.t.Fatalf("%s did not come in %s", what, waittest.Limit)
	}
}
