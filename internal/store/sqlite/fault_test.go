package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func wantUnavailable(t *testing.T, err error, words string) {
	t.Helper()
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), words) || wording.Hint(err) == "" {
		t.Errorf("got %v (%s, hint %q), want unavailable: %s", err, core.CodeOf(err), wording.Hint(err), words)
	}
}

// The environment variables by which this test binary becomes a child that
// opens the named database.
const (
	childLocks   = "STELLWERK_TEST_LOCK_DB"
	childCommits = "STELLWERK_TEST_COMMIT_DB"
)

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(childLocks) != "":
		err = lockAndWait(os.Getenv(childLocks))
	case os.Getenv(childCommits) != "":
		err = commitForever(os.Getenv(childCommits))
	default:
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// child starts this binary as another process and returns its output.
func child(t *testing.T, variable, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), variable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // the child waits for its end
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the child ended by itself: %v", err)
	}
}

func lockAndWait(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err = os.Stdin.Read(make([]byte, 1))
	return err
}

func TestLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	s := openAt(t, path, Options{BusyTimeout: 20 * time.Millisecond})
	head := commit(t, s, "run/a")
	cmd, out := child(t, childLocks, path)
	if !out.Scan() {
		t.Fatal("the child said nothing")
	}
	c, _ := next(t, s, "run/a", head)
	wantUnavailable(t, s.Commit(t.Context(), c), "locked")
	if got, err := s.Head(t.Context(), "run/a"); err != nil || got != head {
		t.Errorf("reading while another process writes: %+v, %v", got, err)
	}
	_, err := Open(t.Context(), path, Options{BusyTimeout: 20 * time.Millisecond})
	wantUnavailable(t, err, "locked") // before anybody relies on it
	kill(t, cmd)
	if err := s.Commit(t.Context(), c); err != nil {
		t.Errorf("after the other process ended: %v", err)
	}
}

func TestCannotBeMade(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), filepath.Join(file, "stellwerk.db"), Options{})
	wantUnavailable(t, err, "folder does not exist")
	_, err = Open(t.Context(), filepath.Join(folder, "none", "stellwerk.db"), Options{})
	wantUnavailable(t, err, "folder does not exist")
	_, err = Open(t.Context(), folder, Options{})
	wantUnavailable(t, err, "is not a file")
}

// TestWhatBecameOfTheFileIsSaid: a store that is open says what happened to its file, and goes on once it is back.
func TestWhatBecameOfTheFileIsSaid(t *testing.T) {
	t.Parallel()
	for words, test := range map[string]struct{ folder, other bool }{
		"was taken away": {}, "cannot be looked at": {folder: true, other: true}, "was replaced": {other: true},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			folder := filepath.Join(top, "state")
			must(t, os.Mkdir(folder, 0o700))
			s := openAt(t, filepath.Join(folder, "stellwerk.db"), Options{})
			what, aside := s.path, filepath.Join(top, "aside")
			if test.folder {
				what = folder
			}
			must(t, os.Rename(what, aside))
			if test.other {
				must(t, os.WriteFile(what, nil, 0o600))
			}
			_, err := s.Now(t.Context())
			wantUnavailable(t, err, words)
			if test.other {
				must(t, os.Remove(what))
			}
			must(t, os.Rename(aside, what))
			if _, err := s.Now(t.Context()); err != nil {
				t.Errorf("after it was put back: %v", err)
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path, Options{})
	wantUnavailable(t, err, "damaged")

	path = filepath.Join(t.TempDir(), "stellwerk.db")
	s := openAt(t, path, Options{})
	for range 200 {
		commit(t, s, "run/a")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	scribble(t, path)
	s, err = Open(t.Context(), path, Options{})
	if err == nil {
		defer closed(t, s)
		_, err = s.Events(t.Context(), "run/a", 0, 0)
	}
	wantUnavailable(t, err, "damaged")
}

// scribble overwrites everything but the first pages, which hold the schema.
func scribble(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 32*4096 {
		t.Fatalf("the database has only %d bytes", len(data))
	}
	for i := 24 * 4096; i < len(data); i++ {
		data[i] = 0xaa
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenBatch lets one write of several break the transaction they share:
// the others are committed all the same.
func TestBrokenBatch(t *testing.T) {
	for _, others := range [][]string{{"a", "b"}, {"a"}} {
		s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
		err := among(t, s, others, func(ctx context.Context, _ *txn) error {
			_, err := s.writer.conn.ExecContext(ctx, "ROLLBACK; INSERT INTO none VALUES (1)")
			return err
		})
		if err == nil {
			t.Error("the broken write succeeded")
		}
	}
}

// TestRefusalInBatch lets one write of several be refused after it has changed
// something: that is undone, and the others are committed.
func TestRefusalInBatch(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	refusal := errors.New("refused")
	err := amongOthers(t, s, func(ctx context.Context, tx *txn) error {
		return errors.Join(tx.AddWaiter(ctx, query.AddWaiterParams{Kind: "k", Key: "c", Stream: "s"}), refusal)
	})
	if !errors.Is(err, refusal) {
		t.Errorf("got %v, want the refusal", err)
	}
}

// amongOthers lets a write share its transaction with one before and one after
// it, and returns what became of it.
func amongOthers(t *testing.T, s *Store, do func(context.Context, *txn) error) error {
	t.Helper()
	return among(t, s, []string{"a", "b"}, do)
}

// among lets a write share its transaction with others, which write a key each, the
// first of them before it. They must be committed, and alone.
func among(t *testing.T, s *Store, others []string, do func(context.Context, *txn) error) error {
	t.Helper()
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // holds the writer until the others wait behind it
		var once sync.Once
		err := s.writer.commit(t.Context(), func(context.Context, *txn) error {
			once.Do(func() { close(started); <-release })
			return nil
		})
		if err != nil {
			t.Errorf("first: %v", err)
		}
	})
	<-started
	one := &write{ctx: t.Context(), result: make(chan error, 1), do: do}
	var writes []*write
	for _, key := range others {
		writes = append(writes, &write{ctx: t.Context(), result: make(chan error, 1), do: func(ctx context.Context, tx *txn) error {
			return tx.AddWaiter(ctx, query.AddWaiterParams{Kind: "k", Key: key, Stream: "s"})
		}})
	}
	for _, w := range slices.Insert(slices.Clone(writes), 1, one) {
		if err := s.writer.enqueue(w); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	wg.Wait()
	for i, w := range writes {
		if err := <-w.result; err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	var keys string
	if err := s.readers.QueryRow("SELECT group_concat(key, ' ' ORDER BY key) FROM waiters").Scan(&keys); err != nil || keys != strings.Join(others, " ") {
		t.Errorf("rows %q, %v, want those of the others", keys, err)
	}
	return <-one.result
}
