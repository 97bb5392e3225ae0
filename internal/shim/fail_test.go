package shim

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestWhatStandsInTheWayIsSaid: a folder in the place of a file, a file in the place of a folder, a link to itself. No step
// goes on as if it had succeeded.
func TestWhatStandsInTheWayIsSaid(t *testing.T) {
	loop := func(t *testing.T, folder, name string) {
		t.Helper()
		if err := os.Symlink(name, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	stands := func(t *testing.T, folder, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, name, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		lay  func(t *testing.T, folder string)
		do   func(folder string) error
		want string
	}{
		"a lock, looked at":   {func(t *testing.T, f string) { put(t, f, startedFile, "{}"); loop(t, f, lockFile) }, func(f string) error { _, err := Look(f); return err }, "read the attempt's lock: "},
		"a lock, taken":       {func(t *testing.T, f string) { mkdir(t, f, lockFile) }, func(f string) error { _, err := acquire(f); return err }, "lock the attempt: "},
		"a lock, claimed":     {func(t *testing.T, f string) { mkdir(t, f, lockFile) }, func(f string) error { _, err := claim(t.Context(), f); return err }, "lock the attempt: "},
		"a lock, salvaged":    {func(t *testing.T, f string) { put(t, f, startedFile, "{}"); mkdir(t, f, lockFile) }, func(f string) error { return Salvage(t.Context(), f, Options{}) }, "lock the attempt: "},
		"a file, salvaged":    {func(*testing.T, string) {}, func(f string) error { return Salvage(t.Context(), filepath.Join(f, specFile, "x"), Options{}) }, "look into the attempt folder: "},
		"a file, run in":      {func(*testing.T, string) {}, func(f string) error { _, err := Shell(filepath.Join(f, specFile, "x"), "true", ""); return err }, "look into the attempt folder: "},
		"the mark of a start": {func(t *testing.T, f string) { stands(t, f, "."+startedFile+"."+strconv.Itoa(os.Getpid())) }, markStarted, "mark the attempt as started"},
		"a draft":             {func(t *testing.T, f string) { mkdir(t, f, specDraft) }, func(f string) error { return DraftSpec(f, goodSpec(t)) }, "write "},
		"a wish to cancel":    {func(t *testing.T, f string) { stands(t, f, cancelFile) }, Cancel, "write "},
		"a request":           {func(*testing.T, string) {}, func(f string) error { _, err := ReadHandInRequest(filepath.Join(f, "none")); return err }, "read the hand-in request: "},
		"a folder to hand in": {func(*testing.T, string) {}, func(f string) error { return handing(t, filepath.Join(f, "none"), goodSpec(t)) }, "make the hand-in folder: "},
		"one below a file":    {func(*testing.T, string) {}, func(f string) error { return handing(t, filepath.Join(f, specFile), goodSpec(t)) }, "the hand-in folder: "},
		"a log": {func(t *testing.T, f string) { mkdir(t, f, "log") }, func(f string) error {
			return runHandIn(t.Context(), goodSpec(t), Options{HandIn: []string{"/bin/true"}}, f, "")
		}, "hand in: open "},
		"a workspace that is gone": {func(*testing.T, string) {}, func(f string) error {
			spec := goodSpec(t)
			spec.Isolation, spec.Workspace = sandbox.Sandbox, filepath.Join(f, "none")
			return handing(t, f, spec)
		}, "hand in: sandbox: a path to show inside: "},
		"nothing handed in":     {func(*testing.T, string) {}, func(f string) error { _, err := acceptHandIn(f, filepath.Join(f, handInDir)); return err }, "hand in: "},
		"a result that is none": {func(t *testing.T, f string) { mkdir(t, f, handInDir); put(t, f, handInDir+"/result.json", "{") }, func(f string) error { _, err := acceptHandIn(f, filepath.Join(f, handInDir)); return err }, "hand in: its result: "},
		"a bundle": {func(t *testing.T, f string) {
			mkdir(t, f, handInDir)
			put(t, f, handInDir+"/result.json", `{"commit": "c1"}`)
			put(t, f, handInDir+"/"+bundleFile, "pack")
			stands(t, f, bundleFile)
		}, func(f string) error { _, err := acceptHandIn(f, filepath.Join(f, handInDir)); return err }, "hand in: keep the bundle: "},
		"a program that is a folder": {func(*testing.T, string) {}, func(f string) error {
			file, err := os.Open(f)
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			_, err = install(file, filepath.Join(f, "bin"), programName)
			return err
		}, "read "},
		"a program that is closed": {func(*testing.T, string) {}, func(f string) error {
			file, err := os.Open(f)
			if err != nil {
				return err
			}
			if err := file.Close(); err != nil {
				return err
			}
			_, err = install(file, filepath.Join(f, "bin"), programName)
			return err
		}, "stat "},
		"a transcript, before":  {func(t *testing.T, f string) { stands(t, f, journalFile) }, func(f string) error { _, err := PageBefore(JournalPath(f), 0, 1); return err }, "read the transcript: "},
		"a transcript, after":   {func(t *testing.T, f string) { stands(t, f, journalFile) }, func(f string) error { _, err := PageAfter(JournalPath(f), 0, 1); return err }, "read the transcript: "},
		"a transcript, tailed":  {func(t *testing.T, f string) { stands(t, f, journalFile) }, func(f string) error { _, err := Tail(f, 1); return err }, "read the transcript: "},
		"one below a file, too": {func(*testing.T, string) {}, func(f string) error { _, err := Tail(filepath.Join(f, specFile), 1); return err }, "read the transcript: "},
		"an entry": {func(*testing.T, string) {}, func(f string) error {
			j, err := openJournal(f, unredacted{}, 1)
			if err != nil {
				return err
			}
			return errors.Join(j.put([]byte("{"), "notice"), j.close())
		}, "encode an entry of the transcript: "},
		"a folder to look into": {func(*testing.T, string) {}, func(f string) error {
			_, err := ReadOnlyShell(filepath.Join(f, "none"), f, "true", Resources{})
			return err
		}, "sandbox: a path to show inside: "},
	} {
		t.Run(name, func(t *testing.T) {
			folder := prepared(t)
			c.lay(t, folder)
			if err := c.do(folder); err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrAlreadyStarted) || errors.Is(err, ErrNotLost) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func handing(t *testing.T, folder string, spec Spec) error {
	t.Helper()
	out := handIn(t.Context(), folder, spec, Options{HandIn: []string{"/bin/true"}})
	if out.Error == "" {
		return nil
	}
	return errors.New(out.Error)
}

// TestALineOfShellThatCannotBegin, although its attempt runs.
func TestALineOfShellThatCannotBegin(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, folder string, spec *Spec)
		want   string
	}{
		"no timeout":       {func(_ *testing.T, _ string, s *Spec) { s.Timeout = 0 }, "spec has no timeout"},
		"no output folder": {func(_ *testing.T, f string, s *Spec) { s.Job.Out = filepath.Join(f, lockFile, "out") }, "make a folder for the agent: "},
		"no /tmp": {func(t *testing.T, f string, _ *Spec) {
			mkdir(t, f, "home")
			put(t, f, "home/tmp", "")
		}, "make a temporary folder: "},
		"no such isolation": {func(_ *testing.T, _ string, s *Spec) { s.Isolation = "prison" }, "isolation is not available: "},
		"no workspace":      {func(_ *testing.T, f string, s *Spec) { s.Job.Dir = filepath.Join(f, "none") }, "enter the workspace: "},
		"no wall": {func(_ *testing.T, f string, s *Spec) {
			s.Isolation, s.Writable = sandbox.Sandbox, []string{filepath.Join(f, "none")}
		}, "sandbox: a path to show inside: "},
	} {
		t.Run(name, func(t *testing.T) {
			folder, spec := t.TempDir(), goodSpec(t)
			held, err := acquire(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer release(held)
			put(t, folder, startedFile, "{}")
			c.change(t, folder, &spec)
			if err := WriteSpec(folder, spec); err != nil {
				t.Fatal(err)
			}
			if _, err := Shell(folder, "exit 99", ""); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := ReadOnlyShell("/usr", "/usr", "exit 99", Resources{}); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("without bubblewrap: %v", err)
	}
}

// TestOnlyOneSalvages: another that has begun to look is left alone.
func TestOnlyOneSalvages(t *testing.T) {
	folder := prepared(t)
	put(t, folder, startedFile, "{}")
	looking := flock.New(filepath.Join(folder, lockFile))
	if got, err := looking.TryRLock(); err != nil || !got {
		t.Fatal(got, err)
	}
	if err := Salvage(t.Context(), folder, Options{}); !errors.Is(err, ErrNotLost) || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
	if err := looking.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, exitFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an end was written: %v", err)
	}
}

// meddling changes the output folder while it is read.
type meddling struct {
	masking
	dir, at, remove string
}

func (m meddling) Redact(text string) string {
	if text == m.at {
		if err := os.RemoveAll(filepath.Join(m.dir, m.remove)); err != nil {
			panic(err)
		}
	}
	return m.masking.Redact(text)
}

// TestAnOutputFolderThatChanges while it is read: what is gone is refused by name, and the rest is taken.
func TestAnOutputFolderThatChanges(t *testing.T) {
	for name, c := range map[string]struct{ at, remove, refused, reason string }{
		"a folder":             {"b", "b", "b", "no such file"},
		"a file":               {"b/f", "b/f", "b/f", "no such file"},
		"a file with a secret": {"a SECRET", "b/f", "b/f", "a secret in it could not be removed: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mkdir(t, dir, "b")
			put(t, dir, "b/f", "a SECRET")
			put(t, dir, "a", "first")
			put(t, dir, "c", "last")
			outputs, refused := collect(dir, outputLimits{100, 100}, meddling{dir: dir, at: c.at, remove: c.remove})
			if len(outputs) != 2 || outputs[0].Name != "a" || outputs[1].Name != "c" || len(refused) != 1 || refused[0].Name != c.refused || !strings.Contains(refused[0].Reason, c.reason) {
				t.Errorf("taken are %+v, refused %+v", outputs, refused)
			}
		})
	}
}

// TestADamagedTranscript is named with the place of its damage; a page ends before what is not there yet.
func TestADamagedTranscript(t *testing.T) {
	path := transcript(t, 3, 10)
	page, err := PageAfter(path, 0, 1000)
	if first, last := numbers(t, page); err != nil || first != 1 || last != 3 || page.Begin != 0 {
		t.Fatalf("%d to %d, %v", first, last, err)
	}
	if again, err := PageAfter(path, page.End, 1000); err != nil || again.Entries != nil || again.Begin != page.End || again.End != page.End {
		t.Errorf("what follows is %+v, %v", again, err)
	}
	text := mustRead(t, filepath.Dir(path), filepath.Base(path))
	entries := 0
	count := func(e Entry) {
		if entries++; e.N != int64(entries) {
			t.Errorf("entry %d comes as number %d", e.N, entries)
		}
	}
	if err := EachEntry(bytes.NewReader(text), count); err != nil || entries != 3 {
		t.Errorf("one by one: %d entries, %v", entries, err)
	}
	entries = 0
	if err := EachEntry(strings.NewReader(string(text[:page.End])+"{\n"), count); err == nil || entries != 3 || !strings.Contains(err.Error(), " at byte "+strconv.FormatInt(page.End, 10)+": not an entry") {
		t.Errorf("one by one up to the damage: %d entries, %v", entries, err)
	}
	put(t, filepath.Dir(path), filepath.Base(path), string(text[:page.End])+"{\n")
	if _, err := PageAfter(path, 0, 1000); err == nil || !strings.Contains(err.Error(), path+" at byte "+strconv.FormatInt(page.End, 10)+": not an entry") {
		t.Errorf("forwards: %v", err)
	}
	if _, err := PageBefore(path, 0, 2); err == nil || !strings.Contains(err.Error(), path+" after byte ") {
		t.Errorf("backwards: %v", err)
	}
	tailer := NewFileTailer(path, 2)
	if got, err := tailer.Next(); err == nil || !strings.Contains(err.Error(), path+" at byte "+strconv.FormatInt(page.End, 10)) || len(got) != 2 || tailer.From() != 4 {
		t.Errorf("tailed: %d entries, then from %d, %v", len(got), tailer.From(), err)
	}
}

// TestOrphansAreReaped, and the agent itself is not: somebody else awaits it.
func TestOrphansAreReaped(t *testing.T) {
	if !isLinux {
		t.Skip("only Linux gives orphans to the shim")
	}
	if err := becomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	orphan := func() int {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/sh", "-c", "cat <&3 >/dev/null 2>&1 & echo $!")
		cmd.ExtraFiles = []*os.File{read}
		out, err := cmd.Output()
		if err := errors.Join(err, read.Close(), write.Close()); err != nil { // its parent is gone, and now it ends
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		if !waittest.Until(func() bool {
			p, ok := resource.ReadProcess(pid)
			return ok && p.Zombie && p.Parent == os.Getpid()
		}) {
			t.Fatal("the orphan did not come")
		}
		return pid
	}
	root, one, two := orphan(), orphan(), orphan()
	tree := processTree{root: root}
	for _, reaping := range []func(){tree.reapOrphans, func() { tree.members() }} {
		reaping()
		children := ownChildren()
		if !slices.Contains(children, root) || slices.Contains(children, one) || slices.Contains(children, two) {
			t.Errorf("of %d, %d and %d there are %v", root, one, two, children)
		}
		one, two = orphan(), orphan()
	}
	processTree{}.reapOrphans()
	if children := ownChildren(); slices.Contains(children, root) || slices.Contains(children, one) || slices.Contains(children, two) {
		t.Errorf("left are %v", children)
	}
	if _, ok := resource.ReadProcess(root); ok {
		t.Error("a process that is gone is read")
	}
	if send(root, syscall.Signal(0)) {
		t.Error("a process that is gone was reached")
	}
}
