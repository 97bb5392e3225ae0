package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // registers the "sqlite" driver

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// bare is the yardstick of durable writing: the store's database program and
// settings, one writer, one INSERT per transaction of the size of an event,
// and nothing else.
type bare struct {
	db     *sql.DB
	insert *sql.Stmt
	body   []byte
}

func openBare(ctx context.Context, dir string) (*bare, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "busy_timeout(5000)", "journal_size_limit(67108864)",
	}}
	source := url.URL{Scheme: "file", Path: filepath.Join(dir, "bare.db"), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	b := &bare{db: db, body: make([]byte, 400)}
	_, err = db.ExecContext(ctx, "CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
	if err == nil {
		b.insert, err = db.PrepareContext(ctx, "INSERT INTO events (body) VALUES (?)")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return b, nil
}

func (b *bare) commit(ctx context.Context) error {
	_, err := b.insert.ExecContext(ctx, b.body)
	return err
}

// rate is how many commits a second are possible, one after the other.
func (b *bare) rate(ctx context.Context, during time.Duration) (float64, error) {
	return rate(ctx, during, b.commit)
}

// rate is how often a second something can be done, one after the other.
func rate(ctx context.Context, during time.Duration, do func(context.Context) error) (float64, error) {
	began, n := time.Now(), 0
	for ; time.Since(began) < during; n++ {
		if err := do(ctx); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

func (b *bare) close() error { return errors.Join(b.insert.Close(), b.db.Close()) }

// bareServer is the same on a PostgreSQL server: one connection, one INSERT per transaction.
type bareServer struct {
	conn *pgx.Conn
	body []byte
}

func openBareServer(ctx context.Context, server *pgtest.Server) (*bareServer, error) {
	address, err := server.Create(ctx, "bare")
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	b := &bareServer{conn: conn, body: make([]byte, 400)}
	_, err = conn.Exec(ctx, "CREATE TABLE events (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea NOT NULL)")
	if err != nil {
		return nil, errors.Join(err, b.close(ctx))
	}
	return b, nil
}

func (b *bareServer) commit(ctx context.Context) error {
	_, err := b.conn.Exec(ctx, "INSERT INTO events (body) VALUES ($1)", b.body)
	return err
}

func (b *bareServer) close(ctx context.Context) error { return b.conn.Close(ctx) }
