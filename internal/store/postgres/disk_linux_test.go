package postgres

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/disktest"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// incompressible is a mebibyte that the database cannot make smaller.
func incompressible() []byte {
	data := make([]byte, 1<<20)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(data); i++ {
		data[i] = byte(r.Uint32())
	}
	return data
}

// heavy is a commit with a snapshot.
func heavy(t *testing.T, s *Store, stream string, state []byte) store.Commit {
	t.Helper()
	c := tick(t, s, stream, core.Head{})
	c.Snapshot = &store.Snapshot{Head: core.Head{Seq: 1, At: c.Events[0].At}, Format: 1, State: state}
	return c
}

// TestADiskThatIsFull: nothing that was acknowledged is lost, it is said what is wrong, and what waits is written when there is room.
func TestADiskThatIsFull(t *testing.T) {
	space := pgtest.Tablespace(t, disktest.Mount(t, "size=24m"))
	address := pgtest.Planted(t, "empty", fill)
	pgtest.Move(t, address, space)
	s, state := openAt(t, address), incompressible()
	if err := s.Commit(t.Context(), heavy(t, s, "run/before", state)); err != nil {
		t.Fatal(err)
	}
	sql(t, address, "CREATE TABLE ballast (n bytea)")
	sql(t, address, "ALTER TABLE ballast ALTER n SET STORAGE EXTERNAL")
	if err := fillUp(t, address, state); pg.Code(err) != "53100" {
		t.Fatalf("the disk does not get full: %v", err)
	}
	c, answer := heavy(t, s, "run/a", state), make(chan error, 1)
	go func() { answer <- s.Commit(t.Context(), c) }()
	for range 2 {
		err := s.Remember(t.Context(), "verdict", state)
		said, known := errors.AsType[*core.Error](err)
		if !known || !strings.Contains(err.Error(), "its disk is full") || said.Hint == "" {
			t.Errorf("it says %v", err)
		}
		waits(t, answer)
	}
	sql(t, address, "DROP TABLE ballast")
	once(t, s, "run/a", answer)
	for _, stream := range []string{"run/before", "run/a"} {
		got, err := s.Snapshot(t.Context(), stream)
		if err != nil || !bytes.Equal(got.State, state) {
			t.Errorf("%s: %d bytes, %v", stream, len(got.State), err)
		}
	}
}

// fillUp writes to a database until it refuses.
func fillUp(t *testing.T, address string, data []byte) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	for err == nil {
		_, err = conn.Exec(t.Context(), "INSERT INTO ballast VALUES ($1)", data)
	}
	if conn != nil {
		_ = conn.Close(t.Context()) // the error is wanted
	}
	return err
}
