// Package pgtest gives tests a PostgreSQL server of their own: the real one, started once in a process on a free port with a
// temporary folder, as another user where the tests run as root. It must not be used by the program.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/servertest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// server is the one of this process.
var server struct {
	once sync.Once
	*Server
	err error

	mu   sync.Mutex
	seed map[string]bool
	n    int
}

// Server is a PostgreSQL server.
type Server struct {
	dir, bin string
	address  string
	user     *syscall.Credential
	options  []string
	process  *servertest.Process
}

// Database makes an empty database for t, and returns its address. It is dropped when t ends.
func Database(t testing.TB) string { return Planted(t, "", nil) }

// Planted makes a database for t that begins as a copy of one that make filled, once in a process for each name.
func Planted(t testing.TB, name string, make func(ctx context.Context, address string) error) string {
	t.Helper()
	s := shared(t)
	server.mu.Lock()
	defer server.mu.Unlock()
	template := "template0"
	if name != "" {
		template = "seed_" + name
		if !server.seed[name] {
			s.admin(t, "CREATE DATABASE "+template+" TEMPLATE template0")
			if err := make(t.Context(), s.Address(template)); err != nil {
				t.Fatalf("fill the database %s: %v", template, err)
			}
			server.seed[name] = true
		}
	}
	server.n++
	database := fmt.Sprintf("test_%d", server.n)
	s.admin(t, "CREATE DATABASE "+database+" TEMPLATE "+template)
	t.Cleanup(func() { s.admin(t, "DROP DATABASE "+database+" WITH (FORCE)") })
	return s.Address(database)
}

// shared is the server of this process. It ends with the process.
func shared(t testing.TB) *Server {
	t.Helper()
	postgres := tooltest.Need(t, tooltest.PostgreSQL)
	server.once.Do(func() {
		server.seed = map[string]bool{}
		server.Server, server.err = start(filepath.Dir(postgres))
	})
	if server.err != nil {
		t.Fatalf("start PostgreSQL: %v", server.err)
	}
	return server.Server
}

// Address is that of a database on the server.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://stellwerk@%s/%s?sslmode=disable", s.address, database)
}

// admin runs a statement outside any test's database. The test's context may have ended.
func (s *Server) admin(t testing.TB, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.Address("postgres"))
	if err == nil {
		_, err = conn.Exec(ctx, statement)
		err = errors.Join(err, conn.Close(ctx))
	}
	if err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}

// New is a server of its own for t, for tests that end it, with further options.
func New(t testing.TB, options ...string) *Server {
	t.Helper()
	s, err := start(filepath.Dir(tooltest.Need(t, tooltest.PostgreSQL)), append([]string{"-c", "fsync=on", "-c", "full_page_writes=on"}, options...)...)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	s.endWith(t)
	return s
}

func (s *Server) endWith(t testing.TB) {
	t.Cleanup(func() {
		s.Kill()
		if err := os.RemoveAll(s.dir); err != nil {
			t.Error(err)
		}
	})
}

// start makes a server and begins it. It does not wait for the disk unless it is told to: only a failure of the machine would matter.
func start(bin string, options ...string) (*Server, error) {
	dir, err := os.MkdirTemp("/tmp", "stellwerk-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, options: options}
	if err := s.asAnother(); err != nil {
		return nil, err
	}
	if s.address, err = servertest.FreeAddress(); err != nil {
		return nil, err
	}
	made, err := s.command("initdb", "-D", s.data(), "-U", "stellwerk", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, made)
	}
	return s, s.Begin()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Begin begins the server, also after Kill, and waits until it takes connections.
func (s *Server) Begin() error {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	cmd := s.command("postgres", append([]string{
		"-D", s.data(), "-p", port, "-c", "listen_addresses=" + host, "-c", "unix_socket_directories=" + s.dir,
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "fsync=off", "-c", "full_page_writes=off",
	}, s.options...)...)
	// SIGQUIT is `pg_ctl stop -m immediate`: connections break, and the next begin recovers from its log.
	if s.process, err = servertest.Start(cmd, syscall.SIGQUIT, filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	return s.process.Await(func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, s.Address("postgres"))
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
}

// Kill ends the server at once.
func (s *Server) Kill() {
	if s.process != nil {
		s.process.Kill()
	}
}

// asAnother has the server run as another user if this is root, which it refuses to run as.
func (s *Server) asAnother() error {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return err
		}
		s.user = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return os.Chown(s.dir, int(uid), int(gid))
	}
	return errors.New("there is neither a user postgres nor a user nobody to run the server as")
}

// command runs a program of the server's as its user.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	return s.program(filepath.Join(s.bin, name), args...)
}

func (s *Server) program(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...) //nolint:noctx // it lasts as long as the process
	cmd.Dir, cmd.Env = s.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	return cmd
}

// Stop ends the server of this process, if it runs, and removes its folder. It is for TestMain.
func Stop() {
	if s := server.Server; s != nil {
		s.Kill()
		_ = os.RemoveAll(s.dir) // a folder for temporary files
	}
}
