package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// VisiblePath keeps those entries of a PATH that exist and that spec shows; the others would only be misses inside.
func VisiblePath(path string, spec Spec) (string, error) {
	p, err := newPlan(systemPaths(runtime.GOOS), spec)
	if err != nil {
		return "", err
	}
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && p.shows(filepath.Clean(dir)) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator)), nil
}

// shows tells whether path exists and can be read inside, by its own name and by what its links lead to.
func (p plan) shows(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && p.accessTo(real) != hidden && p.accessTo(path) != hidden
}

// findProgram fails when the program cannot be started inside, and says which of the two reasons it is. Without this
// the only trace would be a line on standard error and an exit code the program itself could have had.
func (p plan) findProgram(spec Spec) error {
	name := spec.Argv[0]
	if strings.Contains(name, "/") {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(spec.Dir, full)
		}
		return p.startable(filepath.Clean(full))
	}
	var outside error
	for _, dir := range filepath.SplitList(variable(spec.Env, "PATH")) {
		err := p.startable(filepath.Join(dir, name))
		if err == nil {
			return nil
		}
		if outside == nil && isExecutable(filepath.Join(dir, name)) {
			outside = err
		}
	}
	if outside != nil {
		return outside
	}
	return fmt.Errorf("%w: %q is in no directory of PATH=%s", ErrNoProgram, name, variable(spec.Env, "PATH"))
}

func (p plan) startable(path string) error {
	switch {
	case !isExecutable(path):
		return fmt.Errorf("%w: %s", ErrNoProgram, path)
	case !p.shows(path):
		return fmt.Errorf("%w: %s; add its folder to the read-only paths", ErrNotVisible, path)
	default:
		return nil
	}
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func variable(env []string, name string) string {
	value := ""
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// LookPath finds the file that name stands for, by the directory and the PATH of spec rather than by this process's.
func LookPath(spec Spec, name string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(spec.Dir, name)
		}
		return name, nil
	}
	path := variable(spec.Env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if full := filepath.Join(dir, name); filepath.IsAbs(dir) && isExecutable(full) {
			return full, nil
		}
	}
	return "", fmt.Errorf("%w: %q is in no directory of PATH=%s", ErrNoProgram, name, path)
}
