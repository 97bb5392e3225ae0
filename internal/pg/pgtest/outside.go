package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// Start starts a server outside of a test, such as for a figure: one that waits for the disk. The caller closes it.
func Start() (*Server, error) {
	postgres, err := tooltest.Find(tooltest.PostgreSQL)
	if err != nil {
		return nil, err
	}
	return start(filepath.Dir(postgres), "-c", "fsync=on", "-c", "full_page_writes=on")
}

// Create makes an empty database, and returns its address.
func (s *Server) Create(ctx context.Context, database string) (address string, err error) {
	conn, err := pgx.Connect(ctx, s.Address("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{database}.Sanitize()+" TEMPLATE template0")
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return "", fmt.Errorf("make the database %s: %w", database, err)
	}
	return s.Address(database), nil
}

// Close ends the server and removes what it kept.
func (s *Server) Close() error {
	s.Kill()
	return os.RemoveAll(s.dir)
}
