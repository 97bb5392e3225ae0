package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// lines are what an export says, in short.
func lines(t *testing.T, export []byte) (all []string) {
	t.Helper()
	for line := range bytes.Lines(export) {
		var r Record
		must(t, json.Unmarshal(line, &r))
		switch r.Record {
		case RecordCheckpoint:
			s, err := r.Read()
			must(t, err)
			if s.Number != r.Number || r.Hash != r.Checkpoint.Hash() {
				t.Errorf("a checkpoint is not what it is called: %s", line)
			}
			all = append(all, "checkpoint "+documentKey(r.Number)[11:])
		case RecordEvent:
			var e core.Event
			must(t, json.Unmarshal(r.Event, &e))
			if hash, err := e.Hash(); err != nil || hash != r.Hash || hash != hashOf(r.Event) || e.Stream != r.Stream {
				t.Errorf("%s: %v", line, err)
			}
			all = append(all, strings.TrimSpace(r.Project+" "+r.Alias)+" "+e.ID)
		default:
			all = append(all, r.Record)
		}
	}
	return all
}

func TestWhatIsExported(t *testing.T) {
	w := newWorld(t)
	whole := lines(t, exportOf(t, w.store, Query{}))
	want := []string{"export", "checkpoint 1", "checkpoint 2", "checkpoint 3"}
	ids := map[string][]string{}
	for _, stream := range []string{"project/p", "run/a", "run/b"} {
		events, err := w.store.Events(t.Context(), stream, 0, 0)
		must(t, err)
		for _, e := range events {
			of := map[string]string{"project/p": "p", "run/a": "p brisk-a", "run/b": "p brisk-b"}[stream]
			ids[stream] = append(ids[stream], of+" "+e.ID)
		}
		want = append(want, ids[stream]...)
	}
	if diff := cmp.Diff(append(want, "end"), whole); diff != "" {
		t.Error(diff)
	}
	events, err := w.store.Events(t.Context(), "run/b", 2, 1)
	must(t, err)
	since := slices.Concat([]string{"export", "checkpoint 3"}, ids["run/a"][3:], ids["run/b"][2:], []string{"end"})
	for name, c := range map[string]struct {
		query Query
		want  []string
	}{
		"since a checkpoint": {Query{Checkpoint: 2}, since},
		"since a time":       {Query{Since: events[0].At, Streams: map[string]bool{"run/b": true}}, slices.Concat([]string{"export", "checkpoint 3"}, ids["run/b"][2:], []string{"end"})},
		"signed": {Query{Signed: true, Streams: map[string]bool{"run/b": true}},
			slices.Concat([]string{"export", "checkpoint 1", "checkpoint 2", "checkpoint 3"}, ids["run/b"][:4], []string{"end"})},
		"since the newest, signed": {Query{Checkpoint: 3, Signed: true}, []string{"export", "end"}},
	} {
		if diff := cmp.Diff(c.want, lines(t, exportOf(t, w.store, c.query))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		v := NewVerifier(nil, "")
		line, _, _ := bytes.Cut(exportOf(t, w.store, c.query), []byte("\n"))
		if err := v.Line(line); err == nil || !strings.Contains(err.Error(), "a part of the history") {
			t.Errorf("%s is verified: %v", name, err)
		}
	}
	err = Exporter{Store: w.store}.Export(t.Context(), Query{Checkpoint: 9}, func(Record) error { return nil })
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("since a checkpoint to come: %v", err)
	}
}

// TestAnExportThatWasChanged is no better than a database that was.
func TestAnExportThatWasChanged(t *testing.T) {
	w := newWorld(t)
	whole := exportOf(t, w.store, Query{})
	all := slices.Collect(bytes.Lines(whole))
	without := func(i int) []byte { return bytes.Join(slices.Delete(slices.Clone(all), i, i+1), nil) }
	signers := SignerOf(w.key, "")
	faults(t, verify(t, without(len(all)-2), signers, ""), "lines of the export are missing") // of an event after the last checkpoint
	faults(t, verify(t, without(5), signers, ""), "run/a is broken after event 0", "lines of the export are missing")
	faults(t, verify(t, bytes.Replace(whole, []byte(`"timer":"a2"`), []byte(`"timer":"b2"`), 1), signers, ""), "run/a has an event 2 whose hash is not that of its line")
	faults(t, verify(t, bytes.Replace(whole, []byte(`"timer":"a2"`), []byte(`"timer": "a2"`), 1), signers, ""), "run/a has an event 2 that is not written as its hash was made")
	moved := slices.Clone(all)
	moved[len(moved)-2], moved[5] = moved[5], moved[len(moved)-2]
	if r := verify(t, bytes.Join(moved, nil), signers, ""); len(r.Faults) == 0 {
		t.Error("events that changed places are not found")
	}

	for name, export := range map[string][]byte{"": nil, "no JSON": []byte("x"), "without its first line": without(0), "with more after its end": append(slices.Clone(whole), all[5]...)} {
		v := NewVerifier(signers, "")
		var err error
		for line := range bytes.Lines(export) {
			if err == nil {
				err = v.Line(line)
			}
		}
		if err == nil {
			_, err = v.Report()
		}
		if core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := NewVerifier(signers, "")
	for _, line := range all[:len(all)-1] {
		must(t, v.Line(line))
	}
	if _, err := v.Report(); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("without its last line: %v", err)
	}
}
