package shim

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func entries(t *testing.T, folder string) string {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestASpecThatCannotBeWrittenIsNotFinished: whoever starts it would obey what is there by chance.
func TestASpecThatCannotBeWrittenIsNotFinished(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, specDraft), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteSpec(folder, goodSpec(t)); err == nil {
		t.Error("it is said to be written")
	}
	if found, err := has(folder, specFile); err != nil || found {
		t.Errorf("there is a spec: %v, %v", found, err)
	}
}

// TestEveryReadingOfAFolder: whatever a crash left, it is absent, running, exited or lost, and looking changes nothing.
func TestEveryReadingOfAFolder(t *testing.T) {
	for name, c := range map[string]struct {
		files string
		held  bool
		want  State
	}{
		"nothing":                           {"", false, StateAbsent},
		"a spec":                            {"spec.json", false, StateAbsent},
		"a shim that has not marked it yet": {"spec.json", true, StateAbsent},
		"a shim that died before its mark":  {"spec.json lock", false, StateAbsent},
		"a shim at work":                    {"spec.json started", true, StateRunning},
		"a shim that died":                  {"spec.json started lock out.jsonl", false, StateLost},
		"one whose lock is gone, too":       {"spec.json started", false, StateLost},
		"an end":                            {"spec.json started lock exit.json", false, StateExited},
		"an end before the lock is let go":  {"spec.json started exit.json", true, StateExited},
		"a cancelled one":                   {"spec.json cancel", false, StateAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for file := range strings.FieldsSeq(c.files) {
				put(t, folder, file, "{}\n")
			}
			if c.held {
				held, err := acquire(folder)
				if err != nil {
					t.Fatal(err)
				}
				defer release(held)
			}
			before := entries(t, folder)
			if got, err := Look(folder); err != nil || got != c.want {
				t.Errorf("it is %s, %v; want %s", got, err, c.want)
			}
			if after := entries(t, folder); after != before {
				t.Errorf("looking made %q of %q", after, before)
			}
			if _, err := Shell(folder, "true", ""); c.want != StateRunning && !errors.Is(err, ErrNotRunning) {
				t.Errorf("a tool of an attempt that is %s: %v", c.want, err)
			}
			if err := Salvage(t.Context(), folder, Options{}); c.want != StateLost && !errors.Is(err, ErrNotLost) {
				t.Errorf("salvaged was one that is %s: %v", c.want, err)
			}
		})
	}
	none := filepath.Join(prepared(t), specFile, "folder") // below a file
	if got, err := Look(none); err == nil {
		t.Errorf("what cannot be looked at is %s", got)
	}
	linked := t.TempDir()
	if err := os.Symlink("none", filepath.Join(linked, cancelFile)); err != nil {
		t.Fatal(err)
	}
	if !Cancelled(linked) {
		t.Error("what is there, if only as a link, is not there")
	}
	if Cancelled(none) {
		t.Error("what cannot be looked at is cancelled")
	}
}

// TestAnAttemptIsClaimedOnce: also by a shim that finds the lock of a dead one free. Nothing is left beside the mark.
func TestAnAttemptIsClaimedOnce(t *testing.T) {
	folder := prepared(t)
	held, err := claim(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := entries(t, folder); got != "lock spec.json started" {
		t.Errorf("there are %q", got)
	}
	release(held)
	for range 2 { // the second shows that the first let go of the lock
		if _, err := claim(t.Context(), folder); !errors.Is(err, ErrAlreadyStarted) {
			t.Errorf("claimed again: %v", err)
		}
	}
	if again, err := acquire(folder); err != nil {
		t.Errorf("a claim that failed holds the lock: %v", err)
	} else {
		release(again)
	}
	empty := t.TempDir()
	if _, err := claim(t.Context(), empty); err == nil || errors.Is(err, ErrAlreadyStarted) {
		t.Errorf("without a spec: %v", err)
	}
	if state, err := Look(empty); err != nil || state != StateAbsent {
		t.Errorf("then it is %s, %v", state, err)
	}
}

func goodSpec(t *testing.T) Spec {
	return Spec{Attempt: "a1", Job: agent.Job{Dir: t.TempDir()}, Timeout: Duration(time.Minute), Isolation: "none", Writes: core.WritesCode}
}

// TestASpecIsReadStrictly: what it leaves out has a default, and what would run unbounded, unwalled or nowhere is refused.
func TestASpecIsReadStrictly(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a1")
	good := goodSpec(t)
	if err := DraftSpec(folder, good); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSpec(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a draft was read: %v", err)
	}
	if err := FinishSpec(folder); err != nil || entries(t, folder) != specFile {
		t.Errorf("there are %q, %v", entries(t, folder), err)
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, specFile): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is open to others: %v, %v", path, info.Mode(), err)
		}
	}
	got, err := ReadSpec(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got.Workspace != good.Job.Dir || got.Job.Out != filepath.Join(folder, "out") || got.Job.Home != filepath.Join(folder, "home") {
		t.Errorf("its places are %+v", got)
	}
	if got.Grace != Duration(defaultGrace) || got.HandInTimeout != Duration(defaultHandInTimeout) || got.CancelledHandIn != Duration(defaultCancelledHandIn) ||
		got.OutputBytes != defaultOutputBytes || got.limits() != (outputLimits{file: defaultFileBytes, total: defaultTotalBytes}) {
		t.Errorf("its limits are %+v", got)
	}
	set := good
	set.Workspace, set.Grace, set.HandInTimeout, set.CancelledHandIn, set.OutputBytes, set.FileBytes, set.TotalBytes = "/w", 1, 2, 3, 4, 5, 6
	if err := WriteSpec(folder, set); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadSpec(folder); err != nil || got.Workspace != "/w" || got.Grace != 1 || got.HandInTimeout != 2 || got.CancelledHandIn != 3 || got.OutputBytes != 4 || got.limits() != (outputLimits{5, 6}) {
		t.Errorf("what is set became %+v, %v", got, err)
	}
	for name, change := range map[string]func(*Spec){
		"no attempt": func(s *Spec) { s.Attempt = "" }, "a relative folder": func(s *Spec) { s.Job.Dir = "work" }, "no folder": func(s *Spec) { s.Job.Dir = "" },
		"no timeout": func(s *Spec) { s.Timeout = 0 }, "a timeout that is over": func(s *Spec) { s.Timeout = -1 },
		"no isolation": func(s *Spec) { s.Isolation = "" }, "nothing written": func(s *Spec) { s.Writes = "" },
	} {
		bad := good
		change(&bad)
		if err := WriteSpec(folder, bad); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSpec(folder); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	put(t, folder, specFile, strings.Replace(string(mustRead(t, folder, specFile)), `"proto": 1`, `"proto": 2`, 1))
	if _, err := ReadSpec(folder); err == nil || !strings.Contains(err.Error(), "protocol 2") {
		t.Errorf("another protocol: %v", err)
	}
}

func mustRead(t *testing.T, folder, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAnEndOfAnotherProtocolIsNotRead, nor is a request of one.
func TestAnEndOfAnotherProtocolIsNotRead(t *testing.T) {
	folder := t.TempDir()
	if _, err := ReadExit(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for text, ok := range map[string]bool{`{"proto": 1, "attempt": "a1"}`: true, `{"proto": 2}`: false, `{"attempt": "a1"}`: false, `{"proto": 1, "proto": 1}`: false, `{`: false} {
		put(t, folder, exitFile, text)
		if exit, err := ReadExit(folder); (err == nil) != ok || ok && exit.Attempt != "a1" {
			t.Errorf("%s: %+v, %v", text, exit, err)
		}
		if req, err := ReadHandInRequest(filepath.Join(folder, exitFile)); (err == nil) != ok || ok && req.Attempt != "a1" {
			t.Errorf("%s: %+v, %v", text, req, err)
		}
	}
}
