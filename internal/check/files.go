package check

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// inTree passes if every pattern matches a regular file of the delivered tree.
func (v *evaluation) inTree(ctx context.Context, c core.Check) (core.CheckResult, error) {
	if v.subject.commit() == "" {
		return fail(noCommit), nil
	}
	files, err := v.list(ctx)
	if err != nil {
		return core.CheckResult{}, err
	}
	var found []string
	var missing []string
	for _, glob := range c.Globs {
		if hit := firstMatch(matcher(glob), files); hit != "" {
			found = append(found, show(hit))
			continue
		}
		missing = append(missing, missed(matcher(glob), files))
	}
	if len(missing) == 0 {
		return pass("Found: %s", strings.Join(found, ", ")), nil
	}
	return fail("%s", strings.Join(missing, "\n")), nil
}

func firstMatch(m matcher, files []yard.File) string {
	for _, f := range files {
		if f.Kind.IsFile() && m.match(f.Path) && local(f.Path) {
			return f.Path
		}
	}
	return ""
}

// missed says that nothing matches, and what comes close: entries that match and are not regular files, paths that differ in
// case, files of the right name elsewhere, and what is in the folder.
func missed(m matcher, files []yard.File) string {
	var near, elsewhere, beside []string
	dir, base := m.dir(), m.base()
	for _, f := range files {
		switch {
		case m.match(f.Path):
			near = append(near, fmt.Sprintf("%s is a %s, which does not count", show(f.Path), f.Kind))
		case m.folded(f.Path):
			near = append(near, show(f.Path)+" differs in upper and lower case")
		case len(elsewhere) < nearMisses && base != "**" && base != "*" && base.match(path.Base(f.Path)):
			elsewhere = append(elsewhere, show(f.Path))
		case len(beside) < nearMisses && dir != "" && strings.HasPrefix(f.Path, dir+"/"):
			beside = append(beside, show(f.Path))
		}
	}
	if near = append(append(near, elsewhere...), beside...); len(near) == 0 {
		return fmt.Sprintf("No file of the delivered tree (%s) matches %s.", count(len(files), "file"), m)
	}
	return fmt.Sprintf("No file of the delivered tree matches %s. What comes close:\n%s", m, bullets(near, nearMisses))
}

// list lists the delivered tree, and remembers it.
func (v *evaluation) list(ctx context.Context) ([]yard.File, error) {
	if v.listed {
		return v.files, nil
	}
	files, err := v.Tree.Files(ctx, v.subject.commit())
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", short(v.subject.commit()), err)
	}
	v.files, v.listed = files, true
	return files, nil
}
