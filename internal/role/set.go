package role

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
)

// Set is roles by name.
type Set map[string]Role

// Names lists the roles in alphabetical order.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Over is the roles of both sets; if both have a name, that of s counts.
func (s Set) Over(base Set) Set {
	merged := maps.Clone(base)
	if merged == nil {
		merged = Set{}
	}
	maps.Copy(merged, s)
	return merged
}

// Load reads every Markdown file of a folder. A folder that does not exist has no roles. All problems of all files are
// reported together, as yamlfile.Problems.
func Load(fsys fs.FS, dir string) (Set, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Set{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the roles in %s: %w", dir, err)
	}
	set, problems := Set{}, yamlfile.Problems(nil)
	for _, entry := range entries {
		file := path.Join(dir, entry.Name())
		if path.Ext(file) != ".md" || !entry.Type().IsRegular() {
			continue
		}
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("read the role %s: %w", file, err)
		}
		r, err := Parse(file, data)
		var found yamlfile.Problems
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
			continue
		case err != nil:
			return nil, err
		}
		if other, taken := set[r.Name]; taken {
			problems = append(problems, yamlfile.Problem{File: file, Line: 1, Column: 1,
				Message: fmt.Sprintf("the role %q is already defined in %s", r.Name, other.Origin)})
			continue
		}
		set[r.Name] = r
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return set, nil
}
