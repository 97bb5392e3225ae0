package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	_ "modernc.org/sqlite"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newKey writes a private key as ssh-keygen does, and reads it.
func newKey(t testing.TB) Key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(private, "ada")
	must(t, err)
	path := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	key, err := ReadKey(path)
	must(t, err)
	return key
}

// history is what the store needs to be told of.
type history interface {
	Store
	Head(ctx context.Context, stream string) (core.Head, error)
	Commit(ctx context.Context, c store.Commit) error
}

// happen commits events to a stream, each on its own.
func happen(t testing.TB, s history, stream string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		head, err := s.Head(t.Context(), stream)
		must(t, err)
		now, err := s.Now(t.Context())
		must(t, err)
		e, _, err := core.Seal(stream, head, now, core.Person("ada"), "", core.TimerFired{Timer: text})
		must(t, err)
		must(t, s.Commit(t.Context(), store.Commit{Stream: stream, After: head.Seq, Events: []core.Event{e}}))
	}
}

// world is a history in a database that an attacker can change.
type world struct {
	store  history
	signer *Signer
	key    Key
	path   string // of the database
}

// newWorld has three checkpoints over three streams, and events after the last.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{key: newKey(t), path: filepath.Join(t.TempDir(), "stellwerk.db")}
	w.store = sqlitetest.Open(t, w.path)
	w.signer = NewSigner(w.store, "engine-1")
	happen(t, w.store, "project/p", "made")
	happen(t, w.store, "run/a", "a1", "a2", "a3")
	w.sign(t)
	happen(t, w.store, "run/b", "b1", "b2")
	w.sign(t)
	happen(t, w.store, "run/a", "a4")
	happen(t, w.store, "run/b", "b3", "b4")
	w.sign(t)
	happen(t, w.store, "run/b", "b5")
	return w
}

func (w *world) sign(t testing.TB) {
	t.Helper()
	made, err := w.signer.Sign(t.Context(), w.key)
	if err != nil || len(made) != 1 {
		t.Fatalf("signed %v, %v", made, err)
	}
}

// attack changes the database behind the store's back.
func (w *world) attack(t testing.TB, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", w.path)
	must(t, err)
	result, err := db.ExecContext(t.Context(), statement, args...)
	must(t, err)
	n, err := result.RowsAffected()
	must(t, errors.Join(err, db.Close()))
	if n == 0 {
		t.Fatalf("the attack changed nothing: %s", statement)
	}
}

// forge replaces what an event says, and makes the chain from there on whole again.
func (w *world) forge(t testing.TB, stream string, seq int64, text string) {
	t.Helper()
	events, err := w.store.Events(t.Context(), stream, 0, 0)
	must(t, err)
	events[seq-1].Body = json.RawMessage(fmt.Sprintf(`{"timer":%q}`, text))
	prev := ""
	for _, e := range events {
		e.PrevHash = prev
		hash, err := e.Hash()
		must(t, err)
		w.attack(t, "UPDATE events SET body = ?, prev_hash = ?, hash = ? WHERE stream = ? AND seq = ?", []byte(e.Body), prev, hash, stream, e.Seq)
		prev = hash
	}
}

func exportOf(t testing.TB, s Store, q Query) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	place := func(_ context.Context, stream string) (Place, error) {
		kind, id := core.StreamKind(stream)
		if kind == "project" {
			return Place{Project: id}, nil
		}
		return Place{Project: "p", Run: id, Alias: "brisk-" + id}, nil
	}
	must(t, Exporter{Store: s, Place: place}.Export(t.Context(), q, func(r Record) error { return encoder.Encode(r) }))
	return out.Bytes()
}

func verify(t testing.TB, export []byte, signers Signers, expect string) Report {
	t.Helper()
	v := NewVerifier(signers, expect)
	for line := range bytes.Lines(export) {
		must(t, v.Line(line))
	}
	report, err := v.Report()
	must(t, err)
	return report
}

func (w *world) verify(t testing.TB) Report {
	t.Helper()
	return verify(t, exportOf(t, w.store, Query{}), SignerOf(w.key, "ada"), "")
}

// faults checks that a report lists just these, by a part of each.
func faults(t testing.TB, r Report, want ...string) {
	t.Helper()
	var got []string
	for _, f := range r.Faults {
		got = append(got, f.Text)
	}
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, want[i]) })
	}
	if !same {
		t.Errorf("the faults are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
