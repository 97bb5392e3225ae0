package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // what holds a database locked

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// badDays are what only scenarios of bad days say.
//
//	alone              no process of this scenario is left
//	tmpfs DIR SIZE     makes DIR a file system of that size, such as 64m, until the scenario ends
//	readonly DIR       lets nobody write to such a file system any more
//	writable DIR       lets them again
//	lock FILE          holds the SQLite database FILE locked against writers
//	unlock FILE        lets it go
//	sql FILE TEXT      changes the SQLite database FILE
//	rows FILE QUERY    prints what the SQLite database FILE answers, a row a line, with | between the columns
func badDays() map[string]func(*testscript.TestScript, bool, []string) {
	held := &databases{}
	return map[string]func(*testscript.TestScript, bool, []string){
		"alone":    plain(alone),
		"tmpfs":    plain(tmpfs),
		"readonly": plain(readonly),
		"writable": plain(writable),
		"lock":     plain(held.lock),
		"unlock":   plain(held.unlock),
		"rows":     plain(rows),
		"sql":      plain(change),
	}
}

// alone waits for processes that were killed to be gone.
func alone(ts *testscript.TestScript, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: alone")
	}
	w := world{dir: ts.Getenv("WORK")}
	if !waittest.Until(func() bool { return len(w.processes()) == 0 }) {
		ts.Fatalf("still there: %v", w.processes())
	}
}

// mountable says why no file system can be mounted here; "" where one can.
func mountable() string {
	dir, err := os.MkdirTemp("", "mount-")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = os.Remove(dir) }()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		return strings.TrimSpace(err.Error() + ": " + string(out))
	}
	if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
		return strings.TrimSpace(err.Error() + ": " + string(out))
	}
	return ""
}

func tmpfs(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR SIZE")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(ts.Exec("mount", "-t", "tmpfs", "-o", "mode=0700,size="+args[1], "tmpfs", dir))
	ts.Defer(func() {
		// A process of a failed scenario may still be there; it keeps its view.
		if out, err := exec.Command("umount", "--lazy", dir).CombinedOutput(); err != nil {
			ts.Logf("umount %s: %v: %s", dir, err, out)
		}
	})
}

func readonly(ts *testscript.TestScript, args []string) { remount(ts, "ro", args) }
func writable(ts *testscript.TestScript, args []string) { remount(ts, "rw", args) }

func remount(ts *testscript.TestScript, option string, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: readonly DIR, writable DIR")
	}
	ts.Check(ts.Exec("mount", "-o", "remount,"+option, ts.MkAbs(args[0])))
}

// databases are those that scenarios hold locked, by file.
type databases struct{ sync.Map }

func (d *databases) lock(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: lock FILE")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?mode=rw&_pragma=busy_timeout(10000)")
	ts.Check(err)
	db.SetMaxOpenConns(1)
	ts.Defer(func() { _ = db.Close() }) // it may be closed already
	_, err = db.Exec("BEGIN EXCLUSIVE")
	ts.Check(err)
	d.Store(ts.MkAbs(args[0]), db)
}

func (d *databases) unlock(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: unlock FILE")
	}
	held, found := d.LoadAndDelete(ts.MkAbs(args[0]))
	if !found {
		ts.Fatalf("%s is not locked", args[0])
	}
	ts.Check(held.(*sql.DB).Close()) // which rolls back
}

func change(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: sql FILE TEXT")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?mode=rw&_pragma=busy_timeout(10000)")
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}

// rows reads as another program would: beside the engine, with SQL. What it prints
// is compared by stdout.
func rows(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: rows FILE QUERY")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?mode=ro&_pragma=busy_timeout(10000)")
	ts.Check(err)
	defer func() { _ = db.Close() }() // only read from
	found, err := db.Query(args[1])
	ts.Check(err)
	defer func() { _ = found.Close() }()
	names, err := found.Columns()
	ts.Check(err)
	out := ts.Stdout() // asked for even where there are no rows, or stdout is still the last command's
	for found.Next() {
		values, places := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		ts.Check(found.Scan(places...))
		line := make([]string, len(values))
		for i, v := range values {
			line[i] = v.String
		}
		_, err := fmt.Fprintln(out, strings.Join(line, "|"))
		ts.Check(err)
	}
	ts.Check(found.Err())
}
