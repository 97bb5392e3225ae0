package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// deed is an event that happens in a state.
type deed struct {
	state func() *core.Run
	actor core.Actor
	body  core.Body
}

// deeds are the events whose effect is on record, by the file that has it: all that
// the law lets pass in its own tables, and what only Fold tells apart.
func deeds() map[string]map[string]deed {
	lawful := map[string]deed{}
	for event, g := range rulings() {
		lawful[event] = deed{g.state, g.actor, g.body}
		for what, change := range g.may {
			lawful[event+", "+what] = deed{with(g.state, change), g.actor, g.body}
		}
	}
	return map[string]map[string]deed{
		"lawful": lawful, "steer": steerDeeds(), "attempt": attemptDeeds(), "verify": verifyDeeds(), "publish": publishDeeds(),
		"line": lineDeeds(), "manager": managerDeeds(), "wave": waveDeeds(),
	}
}

var happened = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// sealed is the deed's event, as the n-th of the run. What is decided or observed
// follows from another event; a person's word follows from none.
func (d deed) sealed(t *testing.T, n int64, at time.Time) core.Event {
	t.Helper()
	cause := "e-cause"
	if d.actor.Kind == core.ActorPerson {
		cause = ""
	}
	e, _, err := core.Seal("run/r", core.Head{Seq: n - 1}, at, d.actor, cause, d.body)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// folded is the state after the n-th event.
func (d deed) folded(t *testing.T, r *core.Run, n int64) *core.Run {
	t.Helper()
	after, err := core.Fold(r, d.sealed(t, n, happened.Add(time.Duration(n)*time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// rich is the same with every field set that says nothing about where the run is, so
// that whatever an event clears or overwrites shows.
func (d deed) rich() deed {
	state := d.state
	d.state = func() *core.Run {
		r := state()
		if r != nil {
			enrich(reflect.ValueOf(r).Elem(), "Run")
		}
		return r
	}
	return d
}

// TestWhatEachEventChanges holds, for each event, every field of the run that it
// changes. What is not in the file stays as it was.
func TestWhatEachEventChanges(t *testing.T) {
	t.Parallel()
	for file, table := range deeds() {
		golden(t, "fold/"+file, func(told *strings.Builder) {
			for name, d := range sorted(table) {
				plain, rich := d.changes(t), d.rich().changes(t)
				fmt.Fprintf(told, "# %s: %s\n%s", name, core.TypeOf(d.body), strings.Join(plain, ""))
				fmt.Fprintf(told, "%s\n", strings.Join(besides(plain, rich), ""))
			}
		})
	}
}

// golden compares what is told of events with the file that has it.
func golden(t *testing.T, file string, tell func(*strings.Builder)) {
	t.Helper()
	var told strings.Builder
	tell(&told)
	path := filepath.Join("testdata", filepath.FromSlash(file)+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(told.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(told.String(), "\n")); diff != "" {
		t.Errorf("%s: this is not what it was; if that is meant, write the file anew with -update:\n%s", path, diff)
	}
}

// sorted goes through a table by its names.
func sorted[V any](table map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if !yield(name, table[name]) {
				return
			}
		}
	}
}

// TestEveryEventOfARunIsFolded keeps the tables complete.
func TestEveryEventOfARunIsFolded(t *testing.T) {
	t.Parallel()
	tried := map[core.Type]bool{}
	for _, table := range deeds() {
		for _, d := range table {
			tried[core.TypeOf(d.body)] = true
		}
	}
	for _, row := range projectDeeds() {
		tried[core.TypeOf(row.body)] = true
	}
	for _, sample := range samples() {
		if !tried[core.TypeOf(sample)] {
			t.Errorf("no table has %s happen", core.TypeOf(sample))
		}
	}
}

// TestASnapshotGoesOnAsTheRunDoes: an engine that starts from a stored state and the
// events after it comes to what one that read all events comes to.
func TestASnapshotGoesOnAsTheRunDoes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, name string, d deed) {
		state := d.state()
		if state == nil {
			return
		}
		var stored core.Run
		if err := json.Unmarshal(encoded(t, state), &stored); err != nil {
			t.Fatal(err)
		}
		want, got := encoded(t, d.folded(t, state, 41)), encoded(t, d.folded(t, &stored, 41))
		if !bytes.Equal(want, got) {
			t.Errorf("%s: from a snapshot:\n%s", name, cmp.Diff(tree(t, want), tree(t, got)))
		}
	})
}

// TestACopyGoesItsOwnWay: what happens to a run leaves no trace in a copy of it, nor
// the other way round.
func TestACopyGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, name string, d deed) {
		run := d.state()
		if run == nil {
			return
		}
		grow(reflect.ValueOf(run).Elem())
		before := run.Clone()
		other := run.Clone()
		first := encoded(t, d.folded(t, run, 41))
		if got, want := encoded(t, before), encoded(t, d.state()); !bytes.Equal(got, want) {
			t.Errorf("%s: the copy changed:\n%s", name, cmp.Diff(tree(t, want), tree(t, got)))
		}
		want, got := encoded(t, d.folded(t, d.state(), 42)), encoded(t, d.folded(t, other, 42))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: in the copy it came to something else:\n%s", name, cmp.Diff(tree(t, want), tree(t, got)))
		}
		if got := encoded(t, run); !bytes.Equal(got, first) {
			t.Errorf("%s: the run changed with its copy:\n%s", name, cmp.Diff(tree(t, first), tree(t, got)))
		}
	})
}

// each tries all deeds, as they are and with everything set.
func each(t *testing.T, try func(t *testing.T, name string, d deed)) {
	t.Helper()
	for _, table := range deeds() {
		for name, d := range table {
			try(t, name, d)
			try(t, name+", with everything set", d.rich())
		}
	}
}

// besides is what an event does otherwise where everything is set.
func besides(plain, rich []string) []string {
	what := func(line string) string { // the place, and what is there afterwards
		path, value, _ := strings.Cut(line, ": ")
		_, after, _ := strings.Cut(value, " → ")
		return path + " " + after
	}
	same := func(list []string, line string) bool {
		return slices.ContainsFunc(list, func(o string) bool { return what(o) == what(line) })
	}
	var lines []string
	for _, line := range plain {
		if !same(rich, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range rich {
		if !same(plain, line) {
			lines = append(lines, "+ "+line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"## with everything set\n"}, lines...)
}

// changes lists what the deed changes, a line for each field.
func (d deed) changes(t *testing.T) []string {
	t.Helper()
	state := d.state()
	before := map[string]any{}
	if state != nil {
		before = tree(t, encoded(t, state))
	}
	after := d.folded(t, state, 41)
	at := happened.Add(41 * time.Minute)
	if after.Stream.Seq != 41 || !after.Now().Equal(at) {
		t.Errorf("%s: the run is at event %d of %s", core.TypeOf(d.body), after.Stream.Seq, after.Now())
	}
	var lines []string
	if !after.Stirred.Equal(at) {
		lines = append(lines, "(does not count as something that happened)\n")
	}
	now := tree(t, encoded(t, after))
	for _, same := range []string{"stream", "stirred"} {
		delete(before, same)
		delete(now, same)
	}
	return append(lines, differences("", before, now)...)
}

// differences are the places where two JSON values differ, in order.
func differences(path string, before, after any) []string {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	var lines []string
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			both := maps.Clone(b)
			maps.Copy(both, a)
			for _, key := range slices.Sorted(maps.Keys(both)) {
				lines = append(lines, differences(strings.TrimPrefix(path+"."+key, "."), b[key], a[key])...)
			}
			return lines
		}
	case []any:
		if a, ok := after.([]any); ok {
			for i := range max(len(a), len(b)) {
				lines = append(lines, differences(fmt.Sprintf("%s[%d]", path, i), at0(b, i), at0(a, i))...)
			}
			return lines
		}
	}
	was := word(before, 60)
	if begin, _, long := strings.Cut(was, "… ("); long {
		was = begin + "…"
	}
	return []string{path + ": " + was + " → " + word(after, 2000) + "\n"}
}

func at0(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// word is a JSON value in a line, its beginning where it is long; "-" where there is
// none.
func word(v any, limit int) string {
	if v == nil {
		return "-"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(b.String())
	if len(text) <= limit {
		return text
	}
	return fmt.Sprintf("%.40s… (%d bytes)", text, len(text))
}

func encoded(t *testing.T, r any) []byte {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func tree(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
