package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func TestAWholeHistory(t *testing.T) {
	w := newWorld(t)
	r := w.verify(t)
	faults(t, r)
	if r.Checkpoints != 3 || r.Streams != 3 || r.Events != 10 || r.Signed != 9 || r.Open != 1 || r.Newest == nil || r.Newest.Number != 3 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]SignedKey{{Fingerprint: w.key.Fingerprint(), Name: "ada", Checkpoints: 3}}, r.Keys); diff != "" {
		t.Error(diff)
	}
	if made, err := w.signer.Sign(t.Context(), w.key); err != nil || len(made) != 1 || len(made[0].Heads) != 1 || made[0].Heads[0].Seq != 5 {
		t.Errorf("what came after is signed by %+v, %v", made, err)
	}
	if made, err := w.signer.Sign(t.Context(), w.key); err != nil || len(made) != 0 {
		t.Errorf("without anything new: %+v, %v", made, err)
	}
	if r := w.verify(t); len(r.Faults) > 0 || r.Open != 0 || r.Signed != r.Events {
		t.Errorf("%+v", r)
	}
}

// checkpointAt reads the checkpoint of a number.
func (w *world) checkpointAt(t *testing.T, number int64) document.Kept[Checkpoint] {
	t.Helper()
	kept, err := document.Read[Checkpoint](t.Context(), w.store, Kind, documentKey(number))
	must(t, err)
	return kept
}

func (w *world) putCheckpoint(t *testing.T, number int64, c Checkpoint) {
	t.Helper()
	data, err := json.Marshal(c)
	must(t, err)
	w.attack(t, "UPDATE documents SET data = ? WHERE kind = ? AND key = ?", data, Kind, documentKey(number))
}

// resign signs all checkpoints anew, as if their heads were those of now.
func (w *world) resign(t *testing.T, key Key) {
	t.Helper()
	previous := ""
	for number := int64(1); number <= 3; number++ {
		s, err := w.checkpointAt(t, number).Value.Read()
		must(t, err)
		s.Previous = previous
		for i, m := range s.Heads {
			events, err := w.store.Events(t.Context(), m.Stream, m.Seq-1, 1)
			must(t, err)
			s.Heads[i].Hash, err = events[0].Hash()
			must(t, err)
		}
		c, err := sign(s, key)
		must(t, err)
		w.putCheckpoint(t, number, c)
		previous = c.Hash()
	}
}

// TestAttacks change the database as somebody with access to it can. What is wanted of each is that a new
// engine with the key signs nothing on top of it, unless nobody can tell.
func TestAttacks(t *testing.T) {
	for _, c := range []struct {
		name   string
		attack func(t *testing.T, w *world)
		want   []string
		signs  bool // a signer, who trusts any key and does not read what is signed again, goes on
	}{
		{"a body is changed", func(t *testing.T, w *world) {
			w.attack(t, `UPDATE events SET body = CAST('{"timer":"other"}' AS BLOB) WHERE stream = 'run/a' AND seq = 2`)
		}, []string{"run/a is broken after event 2"}, true},
		{"the last signed body is changed", func(t *testing.T, w *world) {
			w.attack(t, `UPDATE events SET body = CAST('{"timer":"other"}' AS BLOB) WHERE stream = 'run/a' AND seq = 4`)
		}, []string{"run/a was rewritten: its event 4 is not the one that checkpoint 3 signed"}, true},
		{"somebody else did it", func(t *testing.T, w *world) {
			w.attack(t, `UPDATE events SET actor = '{"kind":"person","id":"eve"}' WHERE stream = 'run/a' AND seq = 1`)
		}, []string{"run/a is broken after event 1"}, true},
		{"a body is no JSON any more", func(t *testing.T, w *world) {
			w.attack(t, `UPDATE events SET body = CAST('x' AS BLOB) WHERE stream = 'run/a' AND seq = 2`)
		}, []string{"run/a cannot be read after event 1"}, true},
		{"an actor is none", func(t *testing.T, w *world) {
			w.attack(t, `UPDATE events SET actor = 'x' WHERE stream = 'run/a' AND seq = 2`)
		}, []string{"run/a cannot be read after event 1"}, true},
		{"a body is changed, and every hash after it", func(t *testing.T, w *world) {
			w.forge(t, "run/a", 2, "other")
		}, []string{"run/a was rewritten: its event 3 is not the one that checkpoint 1 signed"}, false},
		{"an unsigned event is changed with its hash", func(t *testing.T, w *world) {
			w.forge(t, "run/b", 5, "other")
		}, nil, true},
		{"an event in the middle is gone", func(t *testing.T, w *world) {
			w.attack(t, `DELETE FROM events WHERE stream = 'run/a' AND seq = 2`)
		}, []string{"run/a is broken after event 1"}, true},
		{"the end of a stream is cut off", func(t *testing.T, w *world) {
			w.attack(t, `DELETE FROM events WHERE stream = 'run/a' AND seq = 4`)
		}, []string{"run/a ends at event 3, but checkpoint 3 signed event 4: its end was cut off"}, false},
		{"a stream is gone", func(t *testing.T, w *world) {
			w.attack(t, `DELETE FROM events WHERE stream = 'run/a'`)
		}, []string{"run/a is gone: checkpoint 3 signed 4 events of it"}, false},
		{"a checkpoint is gone", func(t *testing.T, w *world) {
			w.attack(t, `DELETE FROM documents WHERE kind = 'checkpoint' AND key = ?`, documentKey(2))
		}, []string{"checkpoint 2 is missing: 3 follows 1"}, false},
		{"all checkpoints are gone", func(t *testing.T, w *world) {
			w.attack(t, `DELETE FROM documents WHERE kind = 'checkpoint'`)
		}, []string{"there is no checkpoint"}, true},
		{"two checkpoints change places", func(t *testing.T, w *world) {
			two, three := w.checkpointAt(t, 2).Value, w.checkpointAt(t, 3).Value
			w.putCheckpoint(t, 2, three)
			w.putCheckpoint(t, 3, two)
		}, []string{"checkpoint 2 is missing: 3 follows 1", "checkpoint 4 is missing: 2 follows 3"}, false},
		{"a statement is changed", func(t *testing.T, w *world) {
			c := w.checkpointAt(t, 3).Value
			c.Statement = strings.Replace(c.Statement, "engine-1", "engine-2", 1)
			w.putCheckpoint(t, 3, c)
		}, []string{"checkpoint 3: its signature is not of its content"}, false},
		{"a signature is taken from another checkpoint", func(t *testing.T, w *world) {
			c := w.checkpointAt(t, 3).Value
			c.Signature = w.checkpointAt(t, 2).Value.Signature
			w.putCheckpoint(t, 3, c)
		}, []string{"checkpoint 3: its signature is not of its content"}, false},
		{"a checkpoint cannot be read", func(t *testing.T, w *world) {
			w.attack(t, `UPDATE documents SET data = CAST('{' AS BLOB) WHERE kind = 'checkpoint' AND key = ?`, documentKey(3))
		}, []string{"checkpoint 3: its statement cannot be read"}, false},
		{"history is rewritten and signed with another key", func(t *testing.T, w *world) {
			w.forge(t, "run/a", 2, "other")
			w.resign(t, newKey(t))
		}, []string{"checkpoint 1: it is signed with", "checkpoint 2: it is signed with", "checkpoint 3: it is signed with"}, true},
		{"a checkpoint of another history is appended", func(t *testing.T, w *world) {
			c, err := sign(Statement{Number: 4, Previous: w.checkpointAt(t, 2).Value.Hash(), At: later(t, w), Heads: []Mark{{Stream: "run/b", Seq: 5, Hash: "no"}}}, w.key)
			must(t, err)
			must(t, document.Put(t.Context(), w.store, Kind, documentKey(4), 0, c))
		}, []string{"checkpoint 4 does not follow the checkpoint before it", "run/b was rewritten: its event 5 is not the one that checkpoint 4 signed"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.attack(t, w)
			faults(t, w.verify(t), c.want...)
			_, err := NewSigner(w.store, "engine-2").Sign(t.Context(), w.key)
			if c.signs && err != nil || !c.signs && core.CodeOf(err) != core.CodeForked {
				t.Errorf("a signer says: %v", err)
			}
		})
	}
}

// TestRemovedAtTheEnd: what was removed from the end together with its checkpoint is found by who noted the
// checkpoint elsewhere, and by nobody else.
func TestRemovedAtTheEnd(t *testing.T) {
	w := newWorld(t)
	noted := w.checkpointAt(t, 3).Value.Hash()
	whole := exportOf(t, w.store, Query{})
	faults(t, verify(t, whole, SignerOf(w.key, ""), noted))
	w.attack(t, `DELETE FROM documents WHERE kind = 'checkpoint' AND key = ?`, documentKey(3))
	w.attack(t, `DELETE FROM events WHERE stream = 'run/a' AND seq > 3 OR stream = 'run/b' AND seq > 2`)
	cut := exportOf(t, w.store, Query{})
	faults(t, verify(t, cut, SignerOf(w.key, ""), ""))
	faults(t, verify(t, cut, SignerOf(w.key, ""), noted), "the checkpoint with the hash "+noted+" is missing")
}

// TestWhoseSignaturesCount is for who verifies to say.
func TestWhoseSignaturesCount(t *testing.T) {
	w := newWorld(t)
	whole := exportOf(t, w.store, Query{})
	faults(t, verify(t, whole, nil, ""), "no public key was named that counts")
	faults(t, verify(t, whole, SignerOf(newKey(t), ""), ""), "none of the keys", "none of the keys", "none of the keys")

	// A new key goes on where the one before ended; both count.
	second := newKey(t)
	if _, err := w.signer.Sign(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	both := SignerOf(w.key, "ada")
	both[second.Fingerprint()] = "bob"
	r := verify(t, exportOf(t, w.store, Query{}), both, "")
	faults(t, r)
	if len(r.Keys) != 2 || r.Keys[1].Name != "bob" || r.Keys[1].Checkpoints != 1 || r.Signed != 10 {
		t.Errorf("%+v", r)
	}
}

// TestNothingIsSigned is no fault unless somebody expects signatures.
func TestNothingIsSigned(t *testing.T) {
	w := newWorld(t)
	w.attack(t, `DELETE FROM documents WHERE kind = 'checkpoint'`)
	r := verify(t, exportOf(t, w.store, Query{}), nil, "")
	faults(t, r)
	if r.Newest != nil || r.Signed != 0 || r.Open != 3 {
		t.Errorf("%+v", r)
	}
}

// later is by the database's clock.
func later(t *testing.T, w *world) time.Time {
	t.Helper()
	now, err := w.store.Now(t.Context())
	must(t, err)
	return now.UTC()
}

// erase erases a stream with a record of it in the project's, which the signer signs with all that is new.
func (w *world) erase(t *testing.T, stream string) {
	t.Helper()
	events, err := w.store.Events(t.Context(), stream, 0, 0)
	must(t, err)
	var left core.Residue
	for _, e := range events {
		must(t, left.Add(e))
	}
	head, err := w.store.Head(t.Context(), "project/p")
	must(t, err)
	record := core.ProjectErased{Reason: "asked for", Events: left.Events, Streams: []core.ErasedStream{left.Sum()}}
	e, _, err := core.Seal("project/p", head, later(t, w), core.Person("ada"), "", record)
	must(t, err)
	must(t, w.store.Commit(t.Context(), store.Commit{
		Stream: "project/p", After: head.Seq, Events: []core.Event{e}, Erase: &store.Erasure{Project: "p", Streams: record.Streams},
	}))
}

// passOff makes an event look as if it had been erased: its own hash stands in for it, so that chain and checkpoints hold.
func (w *world) passOff(t *testing.T, stream string, seq int64) {
	t.Helper()
	w.attack(t, `UPDATE events SET v = ?, actor = '{"kind":"person"}', body = CAST('{"hash":"' || hash || '"}' AS BLOB) WHERE stream = ? AND seq = ?`, core.ErasedV, stream, seq)
}

// TestAnErasedHistoryHolds, with the checkpoints of before, and is signed further.
func TestAnErasedHistoryHolds(t *testing.T) {
	w := newWorld(t)
	w.erase(t, "run/a")
	r := w.verify(t)
	faults(t, r)
	if r.Erased != 4 || len(r.Erasures) != 1 || r.Signed != 9 || r.Open != 2 {
		t.Fatalf("%+v", r)
	}
	if e := r.Erasures[0]; e.Project != "p" || e.Event != "project/p#2" || e.By.ID != "ada" || e.Reason != "asked for" || e.Events != 4 || e.Streams != 1 || e.At.IsZero() {
		t.Errorf("%+v", e)
	}
	w.sign(t)
	if r := w.verify(t); len(r.Faults) > 0 || r.Open != 0 || r.Signed != 11 {
		t.Errorf("%+v", r)
	}
	if export := exportOf(t, w.store, Query{}); strings.Contains(string(export), `"timer":"a1"`) || !strings.Contains(string(export), `"timer":"b1"`) {
		t.Errorf("exported is %s", export)
	}
}

// TestNothingPassesForErased: chain and signatures hold in each of these, and the records do not.
func TestNothingPassesForErased(t *testing.T) {
	for name, c := range map[string]struct {
		attack func(t *testing.T, w *world)
		want   []string
	}{
		"a changed event is claimed to be erased": {func(t *testing.T, w *world) { w.passOff(t, "run/b", 2) },
			[]string{"run/b has an event 2 that is said to be erased, and no record says so"}},
		"all of a stream is": {func(t *testing.T, w *world) {
			for seq := range int64(5) {
				w.passOff(t, "run/b", seq+1)
			}
		}, []string{"run/b has an event 5 that is said to be erased"}},
		"one beside what was erased is": {func(t *testing.T, w *world) { w.erase(t, "run/a"); w.passOff(t, "run/b", 1) },
			[]string{"run/b has an event 1 that is said to be erased"}},
		"one that follows what was erased is": {func(t *testing.T, w *world) {
			w.erase(t, "run/a")
			happen(t, w.store, "run/a", "a5")
			w.passOff(t, "run/a", 5)
		}, []string{"run/a has an event 5 that is said to be erased", "run/a is not what project/p#2 left of it"}},
		"what is left of an erased event is changed": {func(t *testing.T, w *world) {
			w.erase(t, "run/a")
			w.attack(t, `UPDATE events SET type = 'RunCompleted' WHERE stream = 'run/a' AND seq = 2`)
		}, []string{"run/a is not what project/p#2 left of it"}},
		"the content is back": {func(t *testing.T, w *world) {
			w.erase(t, "run/a")
			w.attack(t, `UPDATE events SET v = 1, actor = '{"kind":"person","id":"ada"}', body = CAST('{"timer":"a1"}' AS BLOB) WHERE stream = 'run/a' AND seq = 1`)
		}, []string{"run/a is not what project/p#2 left of it"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.attack(t, w)
			faults(t, w.verify(t), c.want...)
		})
	}
	// A record that is made up is in the report, and no checkpoint covers it.
	w := newWorld(t)
	w.erase(t, "run/b")
	if r := w.verify(t); len(r.Faults) != 0 || len(r.Erasures) != 1 || r.Open == 0 {
		t.Errorf("%+v", r)
	}
}
