package pgtest

import (
	"fmt"
	"testing"
)

// Role makes a role of the server of this process that may log in and nothing else. It is dropped when t ends, so it is to be asked
// for before the databases that it gets rights in, which go first.
func Role(t testing.TB, prefix string) (name string) {
	t.Helper()
	s := shared(t)
	server.mu.Lock()
	defer server.mu.Unlock()
	server.n++
	name = fmt.Sprintf("%s_%d", prefix, server.n)
	s.admin(t, "CREATE ROLE "+name+" LOGIN")
	t.Cleanup(func() { s.admin(t, "DROP ROLE "+name) })
	return name
}
