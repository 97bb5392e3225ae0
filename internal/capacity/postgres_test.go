package capacity

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
)

// hurried is how many times faster people and agents are than in a company, so that its day takes a minute.
const hurried = 300

// load is what a PostgreSQL server has done for a database so far.
type load struct {
	statements, read, written int64         // each statement of engines is a transaction; rows
	wal, size                 int64         // bytes
	cpu                       time.Duration // of the processes that work for the engines
}

func (l load) minus(m load) load {
	return load{l.statements - m.statements, l.read - m.read, l.written - m.written, l.wal - m.wal, l.size - m.size, l.cpu - m.cpu}
}

func (l load) times(f float64) load {
	return load{int64(float64(l.statements) * f), int64(float64(l.read) * f), int64(float64(l.written) * f), int64(float64(l.wal) * f), int64(float64(l.size) * f), time.Duration(float64(l.cpu) * f)}
}

func measured(t *testing.T, conn *pgx.Conn) (l load) {
	t.Helper()
	const all = `SELECT xact_commit, tup_returned + tup_fetched, tup_inserted + tup_updated + tup_deleted,
		pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, pg_database_size(datname) FROM pg_stat_database WHERE datname = current_database()`
	if err := conn.QueryRow(t.Context(), all).Scan(&l.statements, &l.read, &l.written, &l.wal, &l.size); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		l.cpu += used(t, pid)
	}
	return l
}

// used is the processor time of a process, 0 where processes have no such file.
func used(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] { // of the program, and of the system for it
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100)
}

// TestPostgreSQL prints what runs and engines cost a PostgreSQL server.
func TestPostgreSQL(t *testing.T) {
	if *sizes == "" {
		t.Skip("make capacity")
	}
	const projects, runs = 1000, 200
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	address := pgtest.Database(t)
	db, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	co := &company{t: t, ctx: ctx, db: db, projects: projects, runs: runs, engines: engines, hurry: hurried, tally: newTally()}
	defer func() {
		co.end()
		stop()
		co.signals.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := conn.Close(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	empty := measured(t, conn)
	co.register()
	settle := func() load { // a connection says at most once a second what it did
		t.Helper()
		co.rest(ctx, hurried*2*time.Second)
		return measured(t, conn)
	}
	registered := settle()
	if _, err := conn.Exec(ctx, "ANALYZE"); err != nil { // as the server does by itself before long
		t.Fatal(err)
	}
	co.begin()
	begun, before := time.Now(), settle()
	co.rest(ctx, hurried*30*time.Second)
	idle, took := measured(t, conn).minus(before), time.Since(begun)

	var cpu time.Duration
	before, begun, cpu = measured(t, conn), time.Now(), processor()
	co.start()
	co.approve()
	cpu = processor() - cpu
	part := time.Since(begun)
	all := settle().minus(before).minus(idle.times(part.Seconds() / took.Seconds()))
	say := func(what string, l load, per float64) {
		t.Logf("%s: %.2f statements, %.1f rows read, %.1f written, %.0f bytes of log, %.0f of tables and indexes, %.2f ms of the server",
			what, float64(l.statements)/per, float64(l.read)/per, float64(l.written)/per, float64(l.wal)/per, float64(l.size)/per, l.cpu.Seconds()*1000/per)
	}
	say("a project", registered.minus(empty), projects)
	say("an idle engine, a second", idle, engines*took.Seconds())
	say("a run", all, runs)
	t.Logf("a run: %.2f ms of its engines", cpu.Seconds()*1000/runs)
}
