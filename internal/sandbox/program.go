package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// VisiblePath keeps those entries of a PATH that exist and that spec shows. It does not search for private files: those that
// spec.Private names are not shown.
func VisiblePath(path string, spec Spec) (string, error) {
	p, err := newPlan(systemPaths(runtime.GOOS), spec)
	if err == nil {
		err = p.hide(spec.Private, spec)
	}
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

// findProgram fails if the program cannot be started inside, and says whether it is missing or not shown. Without this the
// only trace would be a line on standard error and an exit code that the program itself could have had.
func (p plan) findProgram(spec Spec) error {
	name := spec.Argv[0]
	path := variable(spec.Env, "PATH")
	if strings.Contains(name, "/") {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(spec.Dir, full)
		}
		err := p.startable(filepath.Clean(full), path)
		if errors.Is(err, program.ErrNotExecutable) {
			return program.NotExecutable(name) // by the name that the person knows it by
		}
		return err
	}
	var outside error
	for _, dir := range filepath.SplitList(path) {
		err := p.startable(filepath.Join(dir, name), path)
		if err == nil {
			return nil
		}
		if outside == nil && !errors.Is(err, ErrNoProgram) {
			outside = err
		}
	}
	if outside != nil {
		return outside
	}
	return fmt.Errorf("%w: %q is in no directory of PATH=%s", ErrNoProgram, name, path)
}

func (p plan) startable(file, path string) error {
	if err := program.Executable(file); err != nil {
		return err
	}
	if !p.shows(file) {
		return fmt.Errorf("%w: %s; add its folder to the read-only paths", ErrNotVisible, file)
	}
	words := program.Interpreter(file)
	if len(words) > 0 && program.Executable(words[0]) == nil && !p.shows(words[0]) {
		return fmt.Errorf("%w: %s, which the first line of %s names; add its folder to the read-only paths", ErrNotVisible, words[0], file)
	}
	return program.CheckInterpreter(file, words, path)
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
// It fails if the file could not be started.
func LookPath(spec Spec, name string) (string, error) {
	path := variable(spec.Env, "PATH")
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(spec.Dir, name)
		}
	} else {
		full, err := program.Look(path, name)
		if err != nil {
			return "", err
		}
		name = full
	}
	if err := program.Executable(name); err != nil {
		return "", err
	}
	return name, program.CheckInterpreter(name, program.Interpreter(name), path)
}
