// Package program says what file a name on a PATH stands for, and why a file cannot be started: it is missing, it may not
// be executed, or what its first line names is missing. It looks at files and starts nothing.
package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Why a program cannot be started. None of it changes by waiting.
var (
	ErrMissing       = errors.New("program not found")
	ErrNotExecutable = errors.New("is not executable")
	ErrInterpreter   = errors.New("its interpreter is missing")
)

// Look finds the file that name stands for on a PATH. If it finds none, but a file
// with that name that is not executable, the error names that file: whoever put it
// there meant it.
func Look(path, name string) (string, error) {
	var met error
	for _, dir := range filepath.SplitList(path) {
		full := filepath.Join(dir, name)
		if !filepath.IsAbs(dir) {
			continue
		}
		err := Executable(full)
		if err == nil {
			return full, nil
		}
		if met == nil && errors.Is(err, ErrNotExecutable) {
			met = err
		}
	}
	if met != nil {
		return "", met
	}
	return "", fmt.Errorf("%w: %q is in no directory of PATH=%s", ErrMissing, name, path)
}

// OnPath reports whether a program on path has a name.
func OnPath(path string) func(name string) bool {
	return func(name string) bool {
		_, err := Look(path, name)
		return err == nil
	}
}

// Executable fails if file cannot be started as a program.
func Executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s", ErrMissing, file)
	case info.IsDir():
		return fmt.Errorf("%w: %s is a folder", ErrMissing, file)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a file", ErrMissing, file)
	case info.Mode()&0o111 == 0:
		return NotExecutable(file)
	}
	return nil
}

// NotExecutable is the error for a file that lacks its execute bit.
func NotExecutable(file string) error {
	return fmt.Errorf("%s %w: chmod +x %s", file, ErrNotExecutable, file)
}

// maxLine bounds the first line of a script; the kernel reads less.
const maxLine = 512

// Interpreter is what the first line of a script names, with its arguments; empty for
// any other file, and for one that cannot be read.
func Interpreter(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read from
	line, _ := bufio.NewReader(io.LimitReader(f, maxLine)).ReadString('\n')
	return Shebang(line)
}

// Shebang reads the first line of a script.
func Shebang(line string) []string {
	words, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil
	}
	line, _, _ = strings.Cut(words, "\n")
	return strings.Fields(line)
}

// CheckInterpreter fails if what a script's first line names does not exist. It looks
// for the name behind env on path.
func CheckInterpreter(script string, words []string, path string) error {
	if len(words) == 0 {
		return nil
	}
	if err := Executable(words[0]); err != nil {
		return fmt.Errorf("%w: the first line of %s names %s", ErrInterpreter, script, words[0])
	}
	if filepath.Base(words[0]) != "env" || len(words) < 2 || strings.HasPrefix(words[1], "-") || strings.Contains(words[1], "=") {
		return nil
	}
	if _, err := Look(path, words[1]); err != nil {
		return fmt.Errorf("%w: the first line of %s names %s, which is in no directory of PATH=%s", ErrInterpreter, script, words[1], path)
	}
	return nil
}

// Hopeless reports a failed start that waiting cannot fix.
func Hopeless(err error) bool {
	return errors.Is(err, ErrMissing) || errors.Is(err, ErrNotExecutable) || errors.Is(err, ErrInterpreter)
}
