package core_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// streamOf seals bodies that follow head.
func streamOf(t *testing.T, stream string, head core.Head, bodies ...core.Body) ([]core.Event, core.Head) {
	t.Helper()
	var events []core.Event
	for _, b := range bodies {
		var e core.Event
		var err error
		e, head, err = core.Seal(stream, head, happened, core.Person("ada"), "", b)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events, head
}

// erasedHistory is a project of one run that was erased, and begun anew.
func erasedHistory(t *testing.T) map[string][]core.Event {
	t.Helper()
	project, end := streamOf(t, "project/p", core.Head{}, core.ProjectRegistered{Project: "p", Name: "shop"}, core.ProjectPaused{Reason: "words"})
	run, _ := streamOf(t, "run/r", core.Head{}, core.TimerFired{Timer: "words"}, core.RunCancelled{Reason: "words"}, core.RunSwept{})
	record := core.ProjectErased{Reason: "asked for"}
	for _, events := range [][]core.Event{project, run} {
		var left core.Residue
		for i, e := range events {
			if err := left.Add(e); err != nil {
				t.Fatal(err)
			}
			erased, err := core.Erase(e)
			if err != nil {
				t.Fatal(err)
			}
			events[i] = erased
		}
		record.Streams, record.Events = append(record.Streams, left.Sum()), record.Events+left.Events
	}
	after, _ := streamOf(t, "project/p", end, record, core.ProjectRegistered{Project: "p", Name: "again"})
	other, _ := streamOf(t, "run/s", core.Head{}, core.TimerFired{Timer: "a"}, core.TimerFired{Timer: "b"})
	return map[string][]core.Event{"project/p": append(project, after...), "run/r": run, "run/s": other}
}

func checked(t *testing.T, history map[string][]core.Event) (core.ErasureCheck, []string) {
	t.Helper()
	var check core.ErasureCheck
	for _, events := range sorted(history) {
		for _, e := range events {
			if err := check.Note(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	var texts []string
	for _, f := range check.Faults() {
		texts = append(texts, f.Stream+" "+f.Text)
	}
	return check, texts
}

func TestWhatErasingLeaves(t *testing.T) {
	t.Parallel()
	history := erasedHistory(t)
	for _, events := range sorted(history) {
		if _, err := core.VerifyChain(core.Head{}, events); err != nil {
			t.Error(err)
		}
		for _, e := range events {
			line, err := e.Line()
			if err != nil || strings.Contains(string(line), "words") || strings.Contains(string(line), "shop") {
				t.Errorf("left is %s, %v", line, err)
			}
			again, err := core.Erase(e)
			if second, _ := again.Line(); err != nil || e.Erased() && string(second) != string(line) {
				t.Errorf("erased again, it is %s, %v", second, err)
			}
			if _, err := core.Decode(e); errors.Is(err, core.ErrErased) != e.Erased() || errors.Is(err, core.ErrUnreadable) {
				t.Errorf("event %s is read as %v", e.ID, err)
			}
		}
	}
	check, faults := checked(t, history)
	if len(faults) > 0 || check.Events() != 5 || len(check.Records()) != 1 {
		t.Errorf("%v, %d events, %+v", faults, check.Events(), check.Records())
	}
	if r := check.Records()[0]; r.Streams != 2 || r.Events != 5 || r.Reason != "asked for" || r.Event.Actor.ID != "ada" {
		t.Errorf("%+v", r)
	}
	var p *core.Project
	for _, e := range history["project/p"] {
		var err error
		if p, err = core.FoldProject(p, e); err != nil || (p == nil) != (e.Erased() || e.Type == core.TypeProjectErased) {
			t.Fatalf("after %s: %+v, %v", e.ID, p, err)
		}
	}
	if p.Name != "again" {
		t.Errorf("%+v", p)
	}
	if _, err := core.Fold(nil, history["run/r"][0]); !errors.Is(err, core.ErrErased) || core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a run whose events are erased is folded: %v", err)
	}
}

// TestNothingPassesForErased: whoever can write to the store and makes every hash after a change fit is found all the same.
func TestNothingPassesForErased(t *testing.T) {
	t.Parallel()
	erase := func(e *core.Event) {
		left, err := core.Erase(*e)
		if err != nil {
			t.Fatal(err)
		}
		*e = left
	}
	for name, c := range map[string]struct {
		change func(h map[string][]core.Event)
		want   []string
	}{
		"an event is said to be erased":             {func(h map[string][]core.Event) { erase(&h["run/s"][1]) }, []string{"run/s has an event 2 that is said to be erased"}},
		"the first event is said to be erased":      {func(h map[string][]core.Event) { erase(&h["run/s"][0]) }, []string{"run/s has an event 1 that is said to be erased"}},
		"one after the record is said to be erased": {func(h map[string][]core.Event) { erase(&h["project/p"][3]) }, []string{"project/p has an event 4 that is said to be erased"}},
		"the type of an erased event is another":    {func(h map[string][]core.Event) { h["run/r"][1].Type = core.TypeRunCompleted }, []string{"run/r is not what project/p#3 left of it"}},
		"its time is another":                       {func(h map[string][]core.Event) { h["run/r"][0].At = happened.AddDate(0, 0, 1) }, []string{"run/r is not what project/p#3 left of it"}},
		"its kept hash is another": {func(h map[string][]core.Event) {
			h["run/r"][2].Body = []byte(`{"hash":"` + strings.Repeat("0", 64) + `"}`)
		}, []string{"run/r is not what project/p#3 left of it"}},
		"an erased event is gone":                     {func(h map[string][]core.Event) { h["run/r"] = h["run/r"][:2] }, []string{"run/r is not what project/p#3 left of it"}},
		"an erased stream is gone":                    {func(h map[string][]core.Event) { delete(h, "run/r") }, []string{"run/r has content, although project/p#3 says that it was erased"}},
		"an erased project's own event is another":    {func(h map[string][]core.Event) { h["project/p"][0].Cause = "x" }, []string{"project/p is not what project/p#3 left of it"}},
		"there is content where there should be none": {func(h map[string][]core.Event) { h["run/r"], _ = streamOf(t, "run/r", core.Head{}, core.RunSwept{}) }, []string{"run/r has content"}},
		"the record is gone":                          {func(h map[string][]core.Event) { h["project/p"] = h["project/p"][:2] }, []string{"project/p has an event 2", "run/r has an event 3"}},
	} {
		history := erasedHistory(t)
		c.change(history)
		_, faults := checked(t, history)
		for i, want := range c.want {
			if len(faults) != len(c.want) || !strings.HasPrefix(faults[i], want) {
				t.Errorf("%s: %q", name, faults)
				break
			}
		}
	}
	for _, body := range []string{`{}`, `{"hash":"short"}`, `{"hash":"` + strings.Repeat("0", 64) + `","more":1}`} {
		if _, err := (core.Event{V: core.ErasedV, Body: []byte(body)}).Hash(); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s is what erasing leaves: %v", body, err)
		}
	}
	if _, err := (core.Event{V: core.ErasedV, Actor: core.Person("ada"), Body: []byte(`{"hash":"` + strings.Repeat("0", 64) + `"}`)}).Hash(); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("who did it is left: %v", err)
	}
}
