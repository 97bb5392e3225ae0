package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// process is a running process of a scenario.
type process struct {
	pid  int
	args []string
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, strings.Join(p.args, " ")) }

// is reports a process of the program's subcommand.
func (p process) is(subcommand string) bool {
	return len(p.args) > 1 && filepath.Base(p.args[0]) == "stellwerk" && p.args[1] == subcommand
}

// world is everything a scenario has started: what names its folder in its
// command line or environment, whatever session it moved to.
type world struct{ dir string }

func (w world) processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // no such folder on this system: nothing can be said
	}
	var found []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process may end while it is looked at; then these are empty.
		cmdline, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if len(cmdline) > 0 && (w.in(string(cmdline)) || w.in(string(environ))) {
			found = append(found, process{pid, strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")})
		}
	}
	return found
}

// in reports a text that names the scenario's folder, and not one whose name
// only begins with it.
func (w world) in(text string) bool {
	for rest, found := text, true; found; {
		if _, rest, found = strings.Cut(rest, w.dir); found && (rest == "" || strings.ContainsRune("/\x00:", rune(rest[0]))) {
			return true
		}
	}
	return false
}

func (w world) running(subcommand string) []process {
	return slices.DeleteFunc(w.processes(), func(p process) bool { return !p.is(subcommand) })
}

// end leaves nothing behind: engines in the background are told to end, and
// whatever else is left is a fault of the program and ended by force.
func (w world) end(t testscript.T) {
	for _, engine := range w.running("serve") {
		_ = syscall.Kill(engine.pid, syscall.SIGTERM) // it may have ended by itself
	}
	failing, ok := t.(interface{ Failed() bool })
	failed := ok && failing.Failed()
	if failed {
		t.Log(w.engineLog())
	}
	if !failed && waittest.Until(func() bool { return len(w.processes()) == 0 }) {
		return
	}
	left := w.processes()
	for _, p := range left {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may have ended by itself
	}
	if !failed && len(left) > 0 {
		t.Log("processes outlived the scenario:", left)
		t.FailNow()
	}
}

// engineLog is the end of what engines in the background have logged.
func (w world) engineLog() string {
	const enough = 4000
	logs, _ := filepath.Glob(filepath.Join(w.dir, "*", "engine.log")) // the pattern is well-formed
	var all strings.Builder
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&all, "%s:\n%s\n", path, text[max(0, len(text)-enough):])
	}
	if len(logs) == 0 {
		return "no engine has logged anything"
	}
	return all.String()
}

func end(ts *testscript.TestScript, args []string) {
	signal := syscall.SIGTERM
	if len(args) == 2 {
		switch args[0] {
		case "-INT":
			signal = syscall.SIGINT
		case "-KILL":
			signal = syscall.SIGKILL
		case "-TERM":
		default:
			ts.Fatalf("unknown signal %s", args[0])
		}
		args = args[1:]
	}
	if len(args) != 1 {
		ts.Fatalf("usage: end [-TERM|-INT|-KILL] SUBCOMMAND")
	}
	w := world{dir: ts.Getenv("WORK")}
	found := w.running(args[0])
	if len(found) == 0 {
		ts.Fatalf("no `stellwerk %s` runs here", args[0])
	}
	for _, p := range found {
		// One may have ended by itself, or is what an engine is about to start and had the engine's name for a moment.
		if err := syscall.Kill(p.pid, signal); !errors.Is(err, syscall.ESRCH) {
			ts.Check(err)
		}
	}
	if !waittest.Until(func() bool { return len(w.running(args[0])) == 0 && !slices.ContainsFunc(found, process.holds) }) {
		ts.Fatalf("still there: %v", w.running(args[0]))
	}
}

func argv(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: argv TEXT")
	}
	has := func(p process) bool { return strings.Contains(strings.Join(p.args, "\x00"), args[0]) }
	all := world{dir: ts.Getenv("WORK")}.processes()
	switch at := slices.IndexFunc(all, has); {
	case at >= 0 && neg:
		ts.Fatalf("%v has it", all[at])
	case at < 0 && !neg:
		ts.Fatalf("none of these has it: %v", all)
	}
}

// holds reports a process that may still hold its files and sockets: one that is
// ending has no command line any more, and closes them with its last thread.
func (p process) holds() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.pid))
	return err == nil && slices.ContainsFunc(threads, func(path string) bool {
		stat, err := os.ReadFile(path)
		_, state, found := strings.Cut(string(stat), ") ")
		return err == nil && found && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
	})
}

// noted holds the digest of every file in a folder.
type noted map[string]string

// memory is the key of what a scenario remembers, by folder.
type memory struct{}

func remember(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: remember DIR")
	}
	now, err := look(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Value(memory{}).(map[string]noted)[ts.MkAbs(args[0])] = now
}

func nochange(ts *testscript.TestScript, args []string) {
	published := len(args) == 2 && args[0] == "-published"
	if published {
		args = args[1:]
	}
	if len(args) != 1 {
		ts.Fatalf("usage: nochange [-published] DIR")
	}
	dir := ts.MkAbs(args[0])
	before, ok := ts.Value(memory{}).(map[string]noted)[dir]
	if !ok {
		ts.Fatalf("%s was not remembered", dir)
	}
	now, err := look(dir)
	ts.Check(err)
	for _, diff := range before.differences(now) {
		if !published || !branchChanges(diff) {
			ts.Fatalf("%s changed: %s", dir, diff)
		}
	}
}

// branchChanges reports a file that a new branch changes.
func branchChanges(path string) bool {
	for _, dir := range []string{".git/objects", ".git/refs/heads", ".git/logs/refs/heads"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

func (n noted) differences(now noted) []string {
	var all []string
	for path, digest := range n {
		if now[path] != digest {
			all = append(all, path)
		}
	}
	for path := range now {
		if _, known := n[path]; !known {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// look digests everything in a folder: names, kinds, permissions and contents.
func look(dir string) (noted, error) {
	all := noted{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case info.Mode().IsRegular():
			content, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(path)
			content = []byte(target)
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = fmt.Sprintf("%s %x", info.Mode(), sha256.Sum256(content))
		return err
	})
	return all, err
}
