package postgres

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/indexed"
	"github.com/stellwerk-dev/stellwerk/internal/object/postgres/query"
)

// three are three rows.
var three = strings.Repeat("0123456789abcdef", 3*chunk/16)

func put(t *testing.T, o object.Objects, content string) string {
	t.Helper()
	digest, _, err := o.Put(t.Context(), strings.NewReader(content), 0)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func count(t *testing.T, pool *pgxpool.Pool, from string) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// rigged has the database do something else with a row that is to be stored.
func rigged(t *testing.T, pool *pgxpool.Pool, n int, do string) (mend func()) {
	exec(t, pool, "CREATE FUNCTION rigged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "+do+"; END $$")
	exec(t, pool, "CREATE TRIGGER rigged BEFORE INSERT ON object_chunks FOR EACH ROW WHEN (NEW.n = "+string(rune('0'+n))+") EXECUTE FUNCTION rigged()")
	return func() { exec(t, pool, "DROP FUNCTION rigged CASCADE") }
}

// TestBrokenUpload: nothing is half named, and what was stored goes at once.
func TestBrokenUpload(t *testing.T) {
	for name, c := range map[string]struct{ do, says string }{
		"refused":                    {"RAISE EXCEPTION 'no room' USING ERRCODE = '53100'", "disk is full"},
		"acknowledged and forgotten": {"RETURN NULL", "has lost rows that it acknowledged: 2097152 of 3145728 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := connect(t, migrated(t))
			o, mend := New(pool, ""), rigged(t, pool, 1, c.do)
			_, _, err := o.Put(t.Context(), strings.NewReader(three), 0)
			if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v", err)
			}
			if count(t, pool, "objects") != 0 || count(t, pool, "object_chunks") != 0 {
				t.Error("something of it stays")
			}
			mend()
			if err := o.Verify(t.Context(), put(t, o, three)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMissingRow: what was stored and is not there any more is said, and repaired.
func TestMissingRow(t *testing.T) {
	pool := connect(t, migrated(t))
	o := New(pool, "")
	digest := put(t, o, three)
	exec(t, pool, "DELETE FROM object_chunks WHERE n = 1")
	if err := o.Verify(t.Context(), digest); core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "are missing in the database") {
		t.Errorf("it says %v", err)
	}
	put(t, o, three)
	if err := o.Verify(t.Context(), digest); err != nil {
		t.Errorf("put again: %v", err)
	}
	if n := count(t, pool, "object_chunks"); n != 5 {
		t.Errorf("readers of what was replaced have %d rows, want 5 with those of the new one", n)
	}
	later(t, pool)
	sweep(t, o)
	if n := count(t, pool, "object_chunks"); n != 3 {
		t.Errorf("a day later there are %d rows, want 3", n)
	}
}

// later has all uploads that nothing names be older.
func later(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	exec(t, pool, "UPDATE object_uploads SET at = at - $1::interval, swept = swept - $1::interval", object.Young+time.Minute)
}

func sweep(t *testing.T, o *Objects) {
	t.Helper()
	if err := o.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestSweep follows the upload of an engine that died, and bytes that lost their name.
func TestSweep(t *testing.T) {
	pool := connect(t, migrated(t))
	o := New(pool, "")
	stays, goes := put(t, o, "stays"), put(t, o, three)
	exec(t, pool, "INSERT INTO object_uploads (upload, place, digest, size, at) VALUES ('dead', '', 'd', 2, clock_timestamp())")
	exec(t, pool, "INSERT INTO object_uploads (upload, place, digest, size, at) VALUES ('elsewhere', 's3://bucket', 'd', 2, clock_timestamp())")
	exec(t, pool, "INSERT INTO object_chunks (upload, n, data) VALUES ('dead', 0, 'x')")
	exec(t, pool, "UPDATE objects SET touched = touched - $2::interval WHERE digest = $1", goes, 2*object.Young)
	if gone, err := o.Discard(t.Context(), goes, time.Now()); err != nil || !gone {
		t.Fatal(gone, err)
	}
	sweep(t, o)
	if n := count(t, pool, "object_chunks"); n != 5 {
		t.Errorf("while they are young there are %d rows, want 5", n)
	}
	later(t, pool)
	sweep(t, o)
	if n := count(t, pool, "object_chunks"); n != 1 {
		t.Errorf("a day later there are %d rows, want 1", n)
	}
	exec(t, pool, "INSERT INTO object_chunks (upload, n, data) VALUES ('dead', 1, 'x')") // it was on its way for a day
	sweep(t, o)
	if n := count(t, pool, "object_uploads"); n != 3 {
		t.Errorf("%d uploads are known, want 3", n)
	}
	later(t, pool)
	sweep(t, o)
	if n, left := count(t, pool, "object_chunks"), count(t, pool, "object_uploads"); n != 1 || left != 1 {
		t.Errorf("in the end there are %d rows and %d uploads, want 1 and that of elsewhere", n, left)
	}
	if err := o.Verify(t.Context(), stays); err != nil {
		t.Error(err)
	}
}

// stubborn does not remove some uploads.
type stubborn struct {
	chunks
	why   func(upload string) error
	asked []string
}

func (s *stubborn) Remove(ctx context.Context, u indexed.Upload) error {
	s.asked = append(s.asked, u.ID)
	if err := s.why(u.ID); err != nil {
		return err
	}
	return s.chunks.Remove(ctx, u)
}

// TestSweepGoesOn: an upload that cannot be removed is told of, and keeps no other from going. If the place is away, nobody asks it for each.
func TestSweepGoesOn(t *testing.T) {
	locked := errors.New("locked")
	for name, c := range map[string]struct {
		why         func(string) error
		asked, left int
		failed      int
	}{
		"two stay": {func(u string) error {
			if u == "u1" || u == "u3" {
				return locked
			}
			return nil
		}, 6, 2, 2},
		"the place is away": {func(string) error { return core.Away(locked) }, 3, 6, 3},
	} {
		t.Run(name, func(t *testing.T) {
			pool := connect(t, migrated(t))
			for i := range 6 {
				upload := "u" + strconv.Itoa(i)
				exec(t, pool, "INSERT INTO object_uploads (upload, place, digest, size, at) VALUES ($1, '', 'd', 1, clock_timestamp() - make_interval(days => $2))", upload, 10-i)
				exec(t, pool, "INSERT INTO object_chunks (upload, n, data) VALUES ($1, 0, 'x')", upload)
			}
			bytes := &stubborn{chunks: chunks{query.New(pool)}, why: c.why}
			err := indexed.New(pool, "", "", bytes).Sweep(t.Context())
			if !errors.Is(err, locked) || strings.Count(err.Error(), "locked") != c.failed {
				t.Errorf("it says %v", err)
			}
			if n := count(t, pool, "object_chunks"); n != c.left || len(bytes.asked) != c.asked {
				t.Errorf("%d are left of those asked for, %v; want %d of %d", n, bytes.asked, c.left, c.asked)
			}
		})
	}
}

// interrupted does something after the bytes are written and before they are named.
type interrupted struct {
	chunks
	then func()
}

func (i interrupted) Write(ctx context.Context, u indexed.Upload, r *io.SectionReader) error {
	err := i.chunks.Write(ctx, u, r)
	i.then()
	return err
}

// TestSweptWhileStored: an upload that took too long is never named, because its bytes may be gone.
func TestSweptWhileStored(t *testing.T) {
	pool := connect(t, migrated(t))
	slow := indexed.New(pool, "", "", interrupted{chunks{query.New(pool)}, func() { later(t, pool); sweep(t, New(pool, "")) }})
	_, _, err := slow.Put(t.Context(), strings.NewReader(three), 0)
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "swept away") {
		t.Errorf("it says %v", err)
	}
	if count(t, pool, "objects") != 0 {
		t.Error("it has a name")
	}
}

// TestPutAndSweep: what Put has returned is whole, also if another engine takes every other upload to be old.
func TestPutAndSweep(t *testing.T) {
	pool := connect(t, migrated(t))
	o, stopped, kept := New(pool, ""), make(chan struct{}), sync.Map{}
	var sweeping, work sync.WaitGroup
	sweeping.Go(func() {
		for {
			select {
			case <-stopped:
				return
			default:
				_, err := pool.Exec(t.Context(), "UPDATE object_uploads SET at = '-infinity', swept = least(swept, '-infinity') WHERE hashtext(upload) % 2 = 0")
				if err = errors.Join(err, o.Sweep(t.Context())); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for i := range 3 {
		work.Go(func() {
			for round := range 10 {
				digest, _, err := o.Put(t.Context(), strings.NewReader(three+string(rune('a'+(i+round)%4))), 0)
				if err == nil {
					kept.Store(digest, true)
				} else if !strings.Contains(err.Error(), "swept away") && !strings.Contains(err.Error(), "has lost rows") {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	close(stopped)
	sweeping.Wait()
	n := 0
	kept.Range(func(digest, _ any) bool {
		n++
		if err := o.Verify(t.Context(), digest.(string)); err != nil {
			t.Errorf("it was kept, and is not whole: %v", err)
		}
		return true
	})
	if n == 0 {
		t.Error("nothing was kept")
	}
}
