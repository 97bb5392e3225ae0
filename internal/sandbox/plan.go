package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type access int

const (
	hidden access = iota
	readOnly
	writable
)

// mount is one rule of a plan: path and everything below it has this access.
type mount struct {
	path   string
	access access
}

// plan is the list of rules in the order they are applied: parents before what lies below them.
type plan struct{ mounts []mount }

func newPlan(system []string, spec Spec) (plan, error) {
	rules := map[string]access{}
	for _, p := range system {
		rules[p] = readOnly
	}
	given := map[string]access{}
	for _, list := range []struct {
		paths  []string
		access access
	}{{spec.ReadOnly, readOnly}, {spec.Writable, writable}, {spec.Masked, hidden}} {
		for _, p := range list.paths {
			if err := absolute(p); err != nil {
				return plan{}, err
			}
			if p == "/" {
				return plan{}, fmt.Errorf("sandbox: / cannot be shown as a whole; name the folders that are needed")
			}
			if before, twice := given[p]; twice && before != list.access {
				return plan{}, fmt.Errorf("sandbox: %s is listed twice with different access", p)
			}
			given[p], rules[p] = list.access, list.access
		}
	}
	var out plan
	for p, a := range rules {
		out.mounts = append(out.mounts, mount{p, a})
	}
	out.order()
	if err := out.check(given); err != nil {
		return plan{}, err
	}
	return out, out.checkFolders(spec)
}

// order puts parents before what lies below them.
func (p plan) order() {
	slices.SortFunc(p.mounts, func(a, b mount) int {
		return cmp.Or(cmp.Compare(depth(a.path), depth(b.path)), strings.Compare(a.path, b.path))
	})
}

func (p plan) checkFolders(spec Spec) error {
	if err := absolute(spec.Dir); err != nil {
		return err
	}
	if spec.Dir != "/" && spec.Dir != "/tmp" && p.accessTo(spec.Dir) == hidden {
		return fmt.Errorf("%w: the working directory %s", ErrNotVisible, spec.Dir)
	}
	if spec.Tmp == "" {
		return nil
	}
	return absolute(spec.Tmp)
}

func depth(path string) int { return strings.Count(path, "/") }

// check refuses a path that is missing, and a path below a writable one that is reached through a symbolic link: an earlier
// process could have written the link to choose the target of the mount.
func (p plan) check(given map[string]access) error {
	for _, m := range p.mounts {
		access, isGiven := given[m.path]
		if !isGiven {
			continue
		}
		if _, err := os.Stat(m.path); err != nil && access != hidden {
			return fmt.Errorf("sandbox: a path to show inside: %w", err)
		}
		for dir := filepath.Dir(m.path); dir != "/"; dir = filepath.Dir(dir) {
			if given[dir] == writable {
				if err := noLinkBelow(dir, m.path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func noLinkBelow(dir, path string) error {
	rest, err := filepath.Rel(dir, path)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	at := dir
	for part := range strings.SplitSeq(rest, "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return fmt.Errorf("sandbox: %s below the writable %s: %w", path, dir, err)
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("sandbox: %s below the writable %s is a symbolic link", at, dir)
		}
	}
	return nil
}

// accessTo is what a process gets at path, by the deepest rule above it.
func (p plan) accessTo(path string) access {
	best := hidden
	for _, m := range p.mounts {
		if within(path, m.path) {
			best = m.access
		}
	}
	return best
}

// masks tells whether a rule hides path, and none shows anything below it.
func (p plan) masks(path string) bool {
	shows := func(m mount) bool { return m.access != hidden && within(m.path, path) }
	return slices.Contains(p.mounts, mount{path, hidden}) && !slices.ContainsFunc(p.mounts, shows)
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
