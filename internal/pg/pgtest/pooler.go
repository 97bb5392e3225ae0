package pgtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/servertest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// Pooler starts PgBouncer in transaction mode in front of the server of this process until t ends: a connection to it gets one of the
// server's for a transaction at a time. The function returned is the address of a database through it.
func Pooler(t testing.TB) func(address string) string {
	t.Helper()
	program := tooltest.Need(t, tooltest.PgBouncer)
	s := shared(t)
	address, err := s.pool(t, program)
	if err != nil {
		t.Fatalf("start PgBouncer: %v", err)
	}
	return func(direct string) string { return strings.Replace(direct, s.address, address, 1) }
}

func (s *Server) pool(t testing.TB, program string) (address string, err error) {
	dir, err := os.MkdirTemp(s.dir, "pooler-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the pooler runs as another user
		return "", err
	}
	if address, err = servertest.FreeAddress(); err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	serverHost, serverPort, err := net.SplitHostPort(s.address)
	if err != nil {
		return "", err
	}
	settings := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
* = host=%s port=%s user=stellwerk
[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
`, serverHost, serverPort, host, port)
	if err := os.WriteFile(settings, []byte(text), 0o644); err != nil { //nolint:gosec // the pooler runs as another user
		return "", err
	}
	process, err := servertest.Start(s.program(program, settings), syscall.SIGKILL, filepath.Join(dir, "log"))
	if err != nil {
		return "", err
	}
	t.Cleanup(process.Kill)
	return address, process.Await(func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, strings.Replace(s.Address("postgres"), s.address, address, 1))
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
}
