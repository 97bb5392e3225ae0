package postgres

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// many fills a database with 10,000 open runs of a hundred projects that wait for something, as many that are over, and everything that
// belongs to them. Others own 100,000 projects, and one that is gone 10,000.
const many = `
INSERT INTO projects (id, name, repo_url) SELECT 'p' || p, 'p' || p, '' FROM generate_series(0, 99) p;
INSERT INTO runs (id, alias, project_id, title, goal, issue, status, reason, stage, branch, base, url, isolation, started_at, updated_at)
SELECT 'r' || n, 'a' || n, 'p' || n % 100, '', repeat('a goal ', 20), '', CASE WHEN n <= 10000 THEN 'paused' ELSE 'completed' END, '', '', '', '', '', '',
    now() - n * interval '1 minute', now() FROM generate_series(1, 20000) n;
INSERT INTO wakes (stream, project, wake_seq, done_seq, woken_at, due_at, due_seq)
SELECT 'run/r' || n, 'p' || n % 100, 7, 7, now(), CASE WHEN n <= 10000 THEN now() + interval '1 hour' END, 1 FROM generate_series(1, 20000) n;
INSERT INTO heads (stream, seq, position, hash, at) SELECT 'run/r' || n, 1, n, '', now() FROM generate_series(1, 20000) n;
INSERT INTO events (stream, seq, position, id, type, v, at, actor, cause, prev_hash, hash, body)
SELECT 'run/r' || n, 1, n, 'e' || n, 't', 1, now(), '{}', '', '', '', 'x' FROM generate_series(1, 20000) n;
INSERT INTO engines (id, host, place, lease_until) VALUES ('e', 'h', '', now() + interval '1 hour'), ('other', 'h', '', now() + interval '1 hour'),
    ('busy', 'h', '', now() + interval '1 hour'), ('gone', 'h', '', now());
INSERT INTO owners (project, engine, fence, held) SELECT 'p' || p, CASE WHEN p % 2 = 0 THEN 'e' ELSE 'other' END, 1, true FROM generate_series(0, 99) p;
INSERT INTO claims (kind, key, holder, capacity) SELECT 'project', 'x' || x, 'run/x' || x, 1 FROM generate_series(1, 110000) x;
INSERT INTO owners (project, engine, fence, held) SELECT 'x' || x, CASE WHEN x <= 100000 THEN 'busy' ELSE 'gone' END, 1, true FROM generate_series(1, 110000) x;
`

// recorder notes which statements a store sends.
type recorder struct {
	*pgxpool.Pool
	mu   sync.Mutex
	sent []statement
}

type statement struct {
	sql  string
	args []any
}

func (r *recorder) note(sql string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, statement{sql, args})
}

func (r *recorder) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	r.note(sql, args)
	return r.Pool.Exec(ctx, sql, args...)
}

func (r *recorder) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	r.note(sql, args)
	return r.Pool.Query(ctx, sql, args...)
}

func (r *recorder) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	r.note(sql, args)
	return r.Pool.QueryRow(ctx, sql, args...)
}

// pages is how many pages of 8 KiB a statement touches, functions that it calls included. What it does is undone.
func pages(t *testing.T, pool *pgxpool.Pool, s statement) int {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	var text []byte
	if err := tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+s.sql, s.args...).Scan(&text); err != nil {
		t.Fatalf("%s: %v", s.sql, err)
	}
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

// TestWhatAnEngineAsksStaysSmall, however many runs there are: when it starts, and every second afterwards.
func TestWhatAnEngineAsksStaysSmall(t *testing.T) {
	s, address := opened(t)
	for _, statement := range strings.Split(many+"ANALYZE", ";\n") {
		sql(t, address, statement)
	}
	r := &recorder{Pool: s.pool}
	s.q = query.New(r)
	ctx := t.Context()
	at, err := s.Now(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what             string
		statements, most int
		ask              func() error
	}{
		// 10,000 open runs fill some 600 pages, and only they are read. A project is found by two or three. Whoever wants hints may have
		// to ask for the time.
		{"open runs", 1, 1_500, func() error { _, err := s.Runs(ctx, store.Filter{Open: true}); return err }},
		{"begin a life", 2, 600, func() error { _, err := s.Enlist(ctx, store.Engine{ID: "e"}, waittest.Limit); return err }},
		{"renew", 2, 350, func() error { _, err := s.Renew(ctx, "e", waittest.Limit); return err }},
		{"projects nobody owns", 1, 30, func() error { _, err := s.Adrift(ctx, "", 256); return err }},
		{"more projects nobody owns", 1, 30, func() error { _, err := s.Adrift(ctx, "x105000", 256); return err }},
		{"take", 1, 60, func() error { _, err := s.Take(ctx, "e", waittest.Limit, []string{"p0", "p2", "new"}); return err }},
		{"hints", 2, 20, func() error { _, err := s.Hints(ctx, "e", 64); return err }},
		{"next time", 1, 20, func() error { _, err := s.NextDue(ctx, at); return err }},
		{"who drives a project", 1, 20, func() error { _, err := s.Holders(ctx, core.ClaimProject, "x50000"); return err }},
		{"position", 1, 20, func() error { _, err := s.Position(ctx); return err }},
		{"what moved", 1, 20, func() error { _, _, err := s.Moved(ctx, 19_990, 100); return err }},
		{"open runs of a project", 1, 250, func() error { _, err := s.Runs(ctx, store.Filter{Project: "p1", Open: true}); return err }},
		{"a page of runs", 2, 60, func() error { _, err := s.Runs(ctx, store.Filter{Before: "r15000", Limit: 50}); return err }},
		{"head", 1, 20, func() error { _, err := s.Head(ctx, core.RunStream("r15000")); return err }},
	} {
		r.sent = nil
		if err := c.ask(); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		touched := 0
		for _, statement := range r.sent {
			touched += pages(t, s.pool, statement)
		}
		if len(r.sent) > c.statements || touched > c.most {
			t.Errorf("%s: %d statements touch %d pages, expected are %d and %d at most", c.what, len(r.sent), touched, c.statements, c.most)
		}
	}
}
