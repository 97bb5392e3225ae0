package pgtest

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/servertest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Archived is a server of its own for t that keeps its log, so that it can be restored as it was at a time.
func Archived(t testing.TB) *Server {
	t.Helper()
	return New(t, "-c", "archive_mode=on", "-c", "archive_command=mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f")
}

func (s *Server) archive() string { return filepath.Join(s.dir, "archive") }

// Backup makes a base backup while the server runs.
func (s *Server) Backup(t testing.TB) (folder string) {
	t.Helper()
	folder = filepath.Join(s.dir, "backup")
	cmd := s.command("pg_basebackup", "-D", folder, "--checkpoint=fast", "--no-sync")
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "PGHOST="+host, "PGPORT="+port, "PGUSER=stellwerk")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pg_basebackup: %v: %s", err, out)
	}
	return folder
}

// Now is the server's time.
func (s *Server) Now(t testing.TB) (now time.Time) {
	t.Helper()
	s.ask(t, "SELECT clock_timestamp()", &now)
	return now
}

// Restored is another server, made of a backup and the log of this one, as it was at a time. Something must have been committed
// since. This one goes on.
func (s *Server) Restored(t testing.TB, backup string, at time.Time) *Server {
	t.Helper()
	s.archiveAll(t)
	dir, err := os.MkdirTemp("/tmp", "stellwerk-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	r := &Server{dir: dir, bin: filepath.Dir(tooltest.Need(t, tooltest.PostgreSQL)), options: []string{
		"-c", "restore_command=cp " + s.archive() + "/%f %p", "-c", "recovery_target_action=promote", "-c", "recovery_target_time=" + at.UTC().Format("2006-01-02 15:04:05.000000+00"),
	}}
	r.endWith(t)
	if err := r.asAnother(); err != nil {
		t.Fatal(err)
	}
	if out, err := r.program("sh", "-c", `cp -a "$0" "$1" && touch "$1/recovery.signal"`, backup, r.data()).CombinedOutput(); err != nil {
		t.Fatalf("copy the backup: %v: %s", err, out)
	}
	if r.address, err = servertest.FreeAddress(); err == nil {
		err = r.Begin()
	}
	if err != nil {
		t.Fatal(err)
	}
	for restoring := true; restoring; { // it takes connections before it has read the log to its end
		r.ask(t, "SELECT pg_is_in_recovery() AND pg_sleep(0.02) IS NOT NULL", &restoring)
	}
	return r
}

// archiveAll has the server archive what it has written up to now.
func (s *Server) archiveAll(t testing.TB) {
	t.Helper()
	var last string
	s.ask(t, "SELECT pg_walfile_name(pg_switch_wal())", &last)
	if !waittest.Until(func() bool {
		_, err := os.Stat(filepath.Join(s.archive(), last))
		return err == nil
	}) {
		t.Fatalf("%s was not archived", last)
	}
}

// ask runs a query of one value.
func (s *Server) ask(t testing.TB, query string, into any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.Address("postgres"))
	if err == nil {
		err = conn.QueryRow(ctx, query).Scan(into)
		err = errors.Join(err, conn.Close(ctx))
	}
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
