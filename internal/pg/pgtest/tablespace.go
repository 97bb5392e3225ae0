package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tablespace has the server of this process use an empty folder for the databases that are moved there. It is to be asked for before
// those databases are, so that it goes after them.
func Tablespace(t testing.TB, folder string) (name string) {
	t.Helper()
	s := shared(t)
	if s.user != nil {
		if err := os.Chown(folder, int(s.user.Uid), int(s.user.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(folder), 0o711); err != nil { //nolint:gosec // the server passes through it as another user
		t.Fatal(err)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	server.n++
	name = fmt.Sprintf("space_%d", server.n)
	s.admin(t, fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s'", name, folder))
	t.Cleanup(func() { s.admin(t, "DROP TABLESPACE "+name) })
	return name
}

// Move moves a database that nobody uses to a tablespace.
func Move(t testing.TB, address, space string) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	shared(t).admin(t, fmt.Sprintf("ALTER DATABASE %s SET TABLESPACE %s", strings.TrimPrefix(at.Path, "/"), space))
}
