package takeover

import (
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// pieces are everything that was a file.
func pieces() []piece {
	return []piece{
		{"access.json", one("access.json"), people},
	}
}

// people are those who may come in. A file that others could have written is refused.
func people(o Options, files []string) ([]store.Document, error) {
	path := filepath.Join(o.Dir, files[0])
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return nil, core.Errorf(core.CodeForbidden, "it is open to others (mode %04o), who could have let themselves in", perm)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return access.Old(data, o.Engine)
}
