package takeover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
)

// pieces are everything that was a file.
func pieces() []piece {
	return []piece{
		{"access.json", one("access.json"), people},
		{"drafts", each("drafts/*/*.json"), drafts},
		{"pulls", each("pulls/*/*.json"), pulls},
		{"tool.key", one("tool.key"), toolKey},
		{"notices.json", one("notices.json"), forgiving(notify.Old)},
		{"traces.json", one("traces.json"), forgiving(telemetry.Old)},
	}
}

// forgiving reads a file that nothing depends on: if it is damaged, it is left out.
func forgiving(old func([]byte) ([]store.Document, error)) func(Options, []string) ([]store.Document, error) {
	return func(o Options, files []string) ([]store.Document, error) {
		data, err := os.ReadFile(filepath.Join(o.Dir, files[0]))
		if err != nil {
			return nil, err
		}
		all, err := old(data)
		if err != nil {
			o.Log.Warn("a file of an earlier version cannot be read and is left out", "file", files[0], "error", err)
			return nil, nil
		}
		return all, nil
	}
}

func toolKey(o Options, files []string) ([]store.Document, error) {
	return api.OldToolKey(filepath.Join(o.Dir, files[0]))
}

func drafts(o Options, files []string) (all []store.Document, err error) {
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(o.Dir, file))
		if err != nil {
			return nil, err
		}
		d, err := draft.Old(filepath.Base(filepath.Dir(file)), file, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// pulls are the pull requests of the local forge. Their pages stay where they are.
func pulls(o Options, files []string) (all []store.Document, err error) {
	for _, file := range files {
		record, err := os.ReadFile(filepath.Join(o.Dir, file))
		if err != nil {
			return nil, err
		}
		page, err := os.ReadFile(filepath.Join(o.Dir, strings.TrimSuffix(file, ".json")+".md"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		docs, err := local.Old(filepath.Base(filepath.Dir(file)), record, page)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, docs...)
	}
	return all, nil
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
