package crash

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// recorded: every call of a tool that a transcript shows is on record, once, however
// often engines died while they wrote; and what was measured follows from the events.
func (w *world) recorded(h history) {
	w.t.Helper()
	dir := filepath.Dir(w.manifestPath(h.row.ID))
	have, want := map[string]int{}, map[string]int{}
	err := runfolder.EachSideEffect(dir, func(e runfolder.SideEffect) error {
		if e.Seq == 0 && e.Outcome != runfolder.OutcomeUnobserved {
			have[fmt.Sprintf("%s %d", e.Attempt, e.N)]++
			return nil
		}
		key := fmt.Sprintf("%s %d %s", e.Attempt, e.Seq, e.Outcome)
		if want[key]++; want[key] > 1 {
			w.t.Errorf("run %s: %s is on record twice", h.row.Branch, key)
		}
		have[key] = 1
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, exit := range bodiesOf[core.AttemptExited](h) {
		for _, n := range w.callsIn(filepath.Join(dir, runfolder.TranscriptsDir, exit.Attempt+".jsonl")) {
			want[fmt.Sprintf("%s %d", exit.Attempt, n)] = 1
		}
	}
	if !maps.Equal(have, want) {
		w.t.Fatalf("run %s: on record are the calls %v, made were %v", h.row.Branch, have, want)
	}
	measured := strings.Split(contentOf(filepath.Join(dir, runfolder.MetricsFile)), "\n")
	if diff := cmp.Diff(strings.Split(w.measuredAnew(h), "\n"), measured); diff != "" {
		w.t.Fatalf("run %s: metrics.jsonl does not follow from the events (-want +got)\n%s", h.row.Branch, diff)
	}
}

// callsIn are the numbers of the calls in a transcript; none where an attempt left
// none.
func (w *world) callsIn(path string) []int64 {
	w.t.Helper()
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read from
	var calls []int64
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e shim.Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			w.t.Fatalf("%s: %v", path, err)
		}
		if e.Record.Kind == agent.KindToolCall {
			calls = append(calls, e.N)
		}
	}
	if err := lines.Err(); err != nil {
		w.t.Fatal(err)
	}
	return calls
}

// measuredAnew is metrics.jsonl as nobody disturbed it.
func (w *world) measuredAnew(h history) string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), h.row.ID)
	folder, err := runfolder.Open(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := errors.Join(folder.Append(h.events, core.Decode), folder.Close()); err != nil {
		w.t.Fatal(err)
	}
	return contentOf(filepath.Join(dir, runfolder.MetricsFile))
}
