package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// bubblewrapProgram is the bwrap of this machine.
type bubblewrapProgram struct {
	path         string
	major, minor int
	setuid       bool
	file         string
}

// Bubblewrap is the version of a file that was asked for it, so that others need not ask again. The zero value is of none.
type Bubblewrap struct {
	Version string `json:"version"`
	File    string `json:"file"` // path, identity and time of its last change
}

// FindBubblewrap asks the bubblewrap of this machine for its version. It returns the zero value if there is none.
func FindBubblewrap() Bubblewrap {
	found, err := findBubblewrap(Bubblewrap{})
	if err != nil {
		return Bubblewrap{}
	}
	return Bubblewrap{Version: fmt.Sprintf("%d.%d", found.major, found.minor), File: found.file}
}

// fileOf names a file and its present content: every write to it, and every other file in its place, changes that.
func fileOf(path string, info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d:%d:%s", path, stat.Dev, stat.Ino, info.Size(), changed(stat))
}

// findBubblewrap finds the program, and asks it for its version unless it is the file that is known.
func findBubblewrap(known Bubblewrap) (bubblewrapProgram, error) {
	path, err := program.Look(os.Getenv("PATH"), "bwrap")
	if err != nil {
		return bubblewrapProgram{}, fmt.Errorf("%w: bubblewrap is not installed (%w)", ErrUnavailable, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return bubblewrapProgram{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	found := bubblewrapProgram{path: path, setuid: info.Mode()&os.ModeSetuid != 0, file: fileOf(path, info)}
	if known.File != "" && known.File == found.file {
		if _, err := fmt.Sscanf(known.Version, "%d.%d", &found.major, &found.minor); err == nil {
			return found, nil
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return bubblewrapProgram{}, fmt.Errorf("%w: cannot read the version of %s: %w: %s", ErrUnavailable, path, err, firstLine(out))
	}
	if _, err := fmt.Sscanf(string(out), "bubblewrap %d.%d", &found.major, &found.minor); err != nil {
		return bubblewrapProgram{}, fmt.Errorf("%w: %s reports the version %q", ErrUnavailable, path, firstLine(out))
	}
	return found, nil
}

// disablesUserns tells whether bubblewrap itself can keep the processes inside from making user namespaces.
func (b bubblewrapProgram) disablesUserns() bool {
	return !b.setuid && (b.major > 0 || b.minor >= 8)
}

// startsFirst tells whether bubblewrap can leave out the process that it otherwise puts first, to reap. Older ones may know the
// option; nobody has tried.
func (b bubblewrapProgram) startsFirst() bool { return b.major > 0 || b.minor >= 8 }

// boundsMemory tells whether bubblewrap can bound a folder that it keeps in memory.
func (b bubblewrapProgram) boundsMemory() bool { return b.major > 0 || b.minor >= 7 }

// memoryFolder is the arguments for a folder that is kept in memory.
type memoryFolder func(path string) []string

// inMemory bounds such folders if bubblewrap can. A size of zero bounds nothing.
func (b bubblewrapProgram) inMemory(size int64) memoryFolder {
	var bound []string
	if size > 0 && b.boundsMemory() {
		bound = []string{"--size", strconv.FormatInt(size, 10)}
	}
	return func(path string) []string { return append(slices.Clone(bound), "--tmpfs", path) }
}

// Weakness tells a person who may mend it what the isolation of this machine lacks. It is empty if nothing is missing, or if
// there is no isolation at all.
func Weakness() string {
	bwrap, err := findBubblewrap(Bubblewrap{})
	switch {
	case err == nil && !bwrap.boundsMemory():
		return fmt.Sprintf("%s is version %d.%d and cannot limit the folders that it keeps in memory; 0.7 can", bwrap.path, bwrap.major, bwrap.minor)
	case err != nil || bwrap.disablesUserns():
		return ""
	case bwrap.setuid:
		return bwrap.path + " is installed setuid and cannot forbid user namespaces inside; only the filter of system calls does"
	default:
		return fmt.Sprintf("%s is version %d.%d and cannot forbid user namespaces inside, as 0.8 can; only the filter of system calls does",
			bwrap.path, bwrap.major, bwrap.minor)
	}
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
