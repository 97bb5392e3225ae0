package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// script is a worker, and a salvage, whose $1 is the attempt folder.
func script(text string) *Spawner {
	command := []string{"/bin/sh", "-c", text, "sh"}
	return New(Options{Worker: command, Salvage: command, Folder: byName})
}

// byName has a folder stand for its attempt.
func byName(id spawn.ID) string { return id.Attempt }

func in(folder string) spawn.ID {
	return spawn.ID{Attempt: folder}
}

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func drained(t *testing.T, s *Spawner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Fatal(err)
	}
}

// untilGo waits for a file in the attempt folder.
const untilGo = `until [ -e "$1/go" ]; do sleep 0.02; done; `

// TestHowAShimIsStarted: in the attempt folder and a session of its own, with what is allowed of the environment, the
// secrets and the word; its log is added to and nobody else's.
func TestHowAShimIsStarted(t *testing.T) {
	t.Setenv("LANG", "C")
	t.Setenv("GITHUB_TOKEN", "leak")
	t.Setenv("PATH", "/usr/bin:/bin")
	s := script(`{ pwd; echo "$1"; ps -o sid= -p $$ | tr -d ' '; echo $$; readlink /proc/$$/fd/0; readlink /proc/$$/fd/3 | cut -d: -f1
		echo "$LANG $TOKEN $GITHUB_TOKEN $STELLWERK_SHIM_DONE"; } > told; echo out; echo err >&2`)
	folder := t.TempDir()
	put(t, folder, shim.LogFile, "before\n")
	if err := s.Start(t.Context(), spawn.Order{ID: in(folder), Env: []string{"TOKEN=s3cret"}}); err != nil {
		t.Fatal(err)
	}
	drained(t, s)
	told := strings.Split(get(t, folder, "told"), "\n")
	if len(told) != 8 || told[2] != told[3] {
		t.Fatalf("it says %q", told)
	}
	if want := []string{folder, folder, told[3], told[3], "/dev/null", "pipe", "C s3cret  3", ""}; !slices.Equal(told, want) {
		t.Errorf("it says %q, want %q", told, want)
	}
	if got := get(t, folder, shim.LogFile); got != "before\nout\nerr\n" {
		t.Errorf("its log is %q", got)
	}
	fresh := t.TempDir()
	put(t, fresh, "started", "{}") // it is lost
	if err := s.Salvage(t.Context(), in(fresh)); err != nil {
		t.Fatal(err)
	}
	drained(t, s)
	if told := get(t, fresh, "told"); !strings.HasSuffix(told, "\nC   3\n") {
		t.Errorf("a salvage says %q", told)
	}
	if info, err := os.Stat(filepath.Join(fresh, shim.LogFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v, %v", info, err)
	}
}

// TestWhatAChildTells before it has made its mark, and of an attempt that it is to salvage: there is no end to be seen as
// long as it lives.
func TestWhatAChildTells(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		files        string
		during, then spawn.Status
	}{
		"a start":   {"", spawn.Starting, spawn.Absent},
		"a salvage": {"started", spawn.Lost, spawn.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			s, folder := script(untilGo), t.TempDir()
			for file := range strings.FieldsSeq(c.files) {
				put(t, folder, file, "{}")
			}
			if err := errors.Join(s.Start(t.Context(), spawn.Order{ID: in(folder)}), s.Salvage(t.Context(), in(folder))); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Probe(t.Context(), in(folder)); err != nil || got != c.during {
				t.Errorf("it is %s, %v", got, err)
			}
			if got, err := s.Wait(gone, in(folder)); !errors.Is(err, context.Canceled) || got != c.during {
				t.Errorf("waiting gives %s, %v", got, err)
			}
			if err := s.Drain(gone); !errors.Is(err, context.Canceled) {
				t.Errorf("drained: %v", err)
			}
			if n := len(s.children[folder]); n != 1 {
				t.Errorf("%d children are busy with it", n)
			}
			put(t, folder, "go", "")
			if got, err := s.Wait(t.Context(), in(folder)); err != nil || got != c.then {
				t.Errorf("in the end it is %s, %v", got, err)
			}
			drained(t, s)
			if len(s.children) != 0 {
				t.Errorf("remembered are %v", s.children)
			}
		})
	}
}

// TestTwoChildrenOfOneFolder: the second is still there when the first has ended, and only folders of living ones are
// remembered.
func TestTwoChildrenOfOneFolder(t *testing.T) {
	s, folder, other := script(`until [ -e "$1/$WAIT" ]; do sleep 0.02; done`), t.TempDir(), t.TempDir()
	for _, c := range [][2]string{{folder, "one"}, {folder, "two"}, {other, "one"}} {
		if err := s.start(c[0], []string{"WAIT=" + c[1]}); err != nil {
			t.Fatal(err)
		}
	}
	first, second := s.children[folder][0], s.children[folder][1]
	if s.child(folder) != first || s.child(other) == first || s.child(folder+"/none") != nil {
		t.Error("a child is taken for another")
	}
	put(t, folder, "one", "")
	<-first.ended
	if <-first.spoke; s.child(folder) != second {
		t.Error("the second child is forgotten with the first")
	}
	put(t, folder, "two", "")
	<-second.ended
	if s.child(folder) != nil || s.child(other) == nil || s.anyChild() != s.child(other) {
		t.Error("a child that has ended is remembered, or one that has not is forgotten")
	}
	put(t, other, "one", "")
	drained(t, s)
	if len(s.children) != 0 {
		t.Errorf("remembered are %v", s.children)
	}
	if (*child)(nil).news(first) != nil || first.news(first) != first.ended || first.news(nil) != first.spoke || first.news(second) != first.spoke {
		t.Error("a child tells what was heard before")
	}
}

// TestAnAgentsEndIsHeard from a child that says so, and from no other.
func TestAnAgentsEndIsHeard(t *testing.T) {
	s, told, silent := script(`if [ -e "$1/tell" ]; then printf x >&3; fi; `+untilGo), t.TempDir(), t.TempDir()
	put(t, told, "tell", "")
	for _, folder := range []string{told, silent} {
		if err := s.Start(t.Context(), spawn.Order{ID: in(folder)}); err != nil {
			t.Fatal(err)
		}
	}
	idle, never := s.Idle(in(told)), s.Idle(in(silent))
	select {
	case <-idle:
	case <-time.After(waittest.Limit):
		t.Error("it was not heard")
	}
	put(t, told, "go", "")
	put(t, silent, "go", "")
	own := s.child(silent)
	drained(t, s)
	if own != nil {
		<-own.spoke
	}
	select {
	case <-never:
		t.Error("one that said nothing was heard")
	default:
	}
	if s.Idle(in(told)) != nil {
		t.Error("a child that is gone is listened to")
	}
}

// TestAWordThatIsReadLate: a child says that its agent has ended, and ends itself before anybody has read that.
func TestAWordThatIsReadLate(t *testing.T) {
	s := script("")
	for n := range 200 {
		word, child, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := child.Write([]byte{0}); err != nil {
			t.Fatal(err)
		}
		reaped := make(chan struct{})
		close(reaped)
		s.adopt("a", reaped, word)
		if own := s.child("a"); own != nil {
			<-own.ended
			select {
			case <-own.idle:
			default:
				t.Fatalf("the word of child %d was not heard", n)
			}
		}
		if err := child.Close(); err != nil { // somebody else held it
			t.Fatal(err)
		}
	}
}

// TestAChildThatLeavesSomebodyBehind has spoken when it ends, whoever else holds its end of the pipe.
func TestAChildThatLeavesSomebodyBehind(t *testing.T) {
	s, folder := script(untilGo+`sleep 1000 >/dev/null 2>&1 & echo $! > pid`), t.TempDir()
	if err := s.Start(t.Context(), spawn.Order{ID: in(folder)}); err != nil {
		t.Fatal(err)
	}
	own := s.child(folder)
	put(t, folder, "go", "")
	drained(t, s)
	pid, err := strconv.Atoi(strings.TrimSpace(get(t, folder, "pid")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	select {
	case <-own.spoke:
	case <-ctx.Done():
		t.Error("its end was not heard")
	}
}

// TestWhatCannotBeStarted is an error that names the attempt; nothing is left open or waited for. What cannot be looked at
// is neither started, salvaged nor waited for.
func TestWhatCannotBeStarted(t *testing.T) {
	s := New(Options{Worker: []string{"/no/such/program"}, Salvage: []string{"/no/such/program"}, Folder: byName})
	folder, lost := t.TempDir(), t.TempDir()
	put(t, lost, "started", "{}")
	if err := s.Start(t.Context(), spawn.Order{ID: in(folder)}); err == nil {
		t.Fatal("it was started")
	}
	before := descriptors(t) // after the first, which opens what the runtime keeps
	for name, err := range map[string]error{
		"start attempt " + in(folder).String(): s.Start(t.Context(), spawn.Order{ID: in(folder)}), "salvage attempt " + in(lost).String(): s.Salvage(t.Context(), in(lost)),
		"start attempt " + in(filepath.Join(folder, "none")).String(): s.Start(t.Context(), spawn.Order{ID: in(filepath.Join(folder, "none"))}),
	} {
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := descriptors(t); after != before || len(s.children) != 0 {
		t.Errorf("%d descriptors are open, before there were %d; children are %v", after, before, s.children)
	}
	below := filepath.Join(lost, "started", "folder")
	_, probed := s.Probe(t.Context(), in(below))
	_, waited := s.Wait(t.Context(), in(below))
	for what, err := range map[string]error{
		"probed": probed, "waited for": waited, "started": s.Start(t.Context(), spawn.Order{ID: in(below)}), "salvaged": s.Salvage(t.Context(), in(below)), "killed": s.Kill(t.Context(), in(below)),
	} {
		if !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
