package yard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lens lets git look at a person's work tree without the repository's configuration, which may come from anybody: a filter
// named there would run as soon as git compares a file. Index and HEAD are the person's. A folder made here replaces
// configuration, attributes and hooks; it borrows the objects and carries over only the settings that decide how files
// compare.
type lens struct {
	git
	dir string
}

// newLens makes the lens for a worktree whose git directory is gitDir; ref is what its HEAD stands for. It must be closed.
func newLens(ctx context.Context, g git, repo Repository, gitDir, ref string) (_ *lens, err error) {
	settings, err := g.compareSettings(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "stellwerk-lens-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := fillLens(dir, repo, ref); err != nil {
		return nil, err
	}
	g.dir = repo.Top
	g = g.with("GIT_DIR="+gitDir, "GIT_COMMON_DIR="+dir, "GIT_WORK_TREE="+repo.Top).withConfig(settings...)
	return &lens{git: g, dir: dir}, nil
}

func (l *lens) Close() error { return os.RemoveAll(l.dir) }

func fillLens(dir string, repo Repository, ref string) error {
	shallow, err := shallowList(repo.CommonDir)
	if err != nil {
		return err
	}
	err = layRepository(dir, layout{
		head: "ref: refs/heads/main", config: "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
		alternates: []string{filepath.Join(repo.CommonDir, "objects")}, shallow: shallow,
	})
	if err != nil {
		return err
	}
	common, err := os.OpenRoot(repo.CommonDir)
	if err != nil {
		return err
	}
	defer func() { _ = common.Close() }() // only read from
	files := map[string]string{
		"info/exclude": readRegular(common, "info/exclude"),
		// The last line outranks those before it and every .gitattributes: the person's own filters do not run either.
		"info/attributes": readRegular(common, "info/attributes") + "\n* -filter\n",
	}
	if ref != "" && repo.Head != "" {
		files[ref] = repo.Head + "\n"
	}
	return writeLens(dir, files)
}

// writeLens writes through an os.Root, because a name among files is what the repository's HEAD says.
func writeLens(dir string, files map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	for name, content := range files {
		err = errors.Join(err, root.MkdirAll(filepath.Dir(name), 0o755), root.WriteFile(name, []byte(content), 0o644))
	}
	return errors.Join(err, root.Close())
}

// compareSettings returns the repository's settings that say how git compares its files.
func (g git) compareSettings(ctx context.Context) ([]string, error) {
	out, err := g.run(ctx, "config", "--null", "--get-regexp",
		`^core\.(filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|trustctime|checkstat|sparsecheckout|sparsecheckoutcone)$`)
	if err != nil && exitCode(err) != 1 {
		return nil, fmt.Errorf("read the diff settings: %w", err)
	}
	var settings []string
	for record := range records(out) {
		key, value, isSet := strings.Cut(record, "\n")
		if !isSet {
			value = "true" // a name without a value
		}
		settings = append(settings, key+"="+value)
	}
	return settings, nil
}
