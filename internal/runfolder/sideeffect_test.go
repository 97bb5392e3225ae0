package runfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func sideEffectLines(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path, SideEffectsFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// calls are records of every sort, of two attempts.
func calls() []SideEffect {
	return []SideEffect{
		{Run: "r", Attempt: "a", N: 2, Tool: "Bash", Input: json.RawMessage(`{"command":"make && echo <ok>"}`), Outcome: OutcomeOK},
		{Run: "r", Attempt: "b", N: 1, Tool: "Read", Outcome: OutcomeError},
		{Run: "r", Attempt: "b", Seq: 7, Tool: "send-message", Outcome: OutcomeRefused, Reason: "it is over"},
		{Run: "r", Attempt: "b", N: 10, Tool: "Write", Outcome: OutcomeDenied},
		{Run: "r", Attempt: "c", Outcome: OutcomeUnobserved},
	}
}

// TestSideEffectsAreWrittenOnce repeats a write after every point at which a crash could have cut it short.
func TestSideEffectsAreWrittenOnce(t *testing.T) {
	whole := openTemp(t)
	if err := whole.SideEffects(calls()...); err != nil {
		t.Fatal(err)
	}
	want := sideEffectLines(t, whole.path)
	if strings.Count(want, "\n") != len(calls()) || !strings.Contains(want, "make && echo <ok>") {
		t.Fatalf("written were\n%s", want)
	}
	for cut := range len(want) {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, SideEffectsFile), []byte(want[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		f := openAt(t, path)
		for range 2 {
			if err := f.SideEffects(calls()...); err != nil {
				t.Fatal(err)
			}
		}
		if got := sideEffectLines(t, path); got != want {
			t.Fatalf("cut at %d: got\n%s", cut, got)
		}
	}
}

// TestSideEffectsBehindAHole: of records that were written at once the later ones may have reached the disk alone.
func TestSideEffectsBehindAHole(t *testing.T) {
	whole := openTemp(t)
	if err := whole.SideEffects(calls()...); err != nil {
		t.Fatal(err)
	}
	want := sideEffectLines(t, whole.path)
	for from := range len(want) - 30 {
		path := t.TempDir()
		holed := []byte(want)
		clear(holed[from : from+30])
		if err := os.WriteFile(filepath.Join(path, SideEffectsFile), holed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := EachSideEffect(path, func(SideEffect) error { return nil }); err != nil {
			t.Fatalf("a hole at %d: %v", from, err)
		}
		if err := openAt(t, path).SideEffects(calls()...); err != nil {
			t.Fatal(err)
		}
		if got := sideEffectLines(t, path); got != want {
			t.Fatalf("a hole at %d: got\n%s", from, got)
		}
	}
}

func TestSideEffectsOfSeveralWriters(t *testing.T) {
	path := t.TempDir()
	var writers sync.WaitGroup
	for w := range 4 {
		f := openAt(t, path)
		writers.Go(func() {
			for n := range int64(20) {
				if err := f.SideEffects(SideEffect{Attempt: fmt.Sprint(w / 2), N: n + 1, Outcome: OutcomeOK}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if n := strings.Count(sideEffectLines(t, path), "\n"); n != 40 {
		t.Errorf("%d lines, want 40", n)
	}
}

// TestSideEffectsAreNotReadAgain blanks out what was written: who has the folder open knows it all the same, and
// somebody else's lines behind it are seen.
func TestSideEffectsAreNotReadAgain(t *testing.T) {
	path := t.TempDir()
	f := openAt(t, path)
	first := SideEffect{Attempt: "a", N: 1, Outcome: OutcomeOK}
	if err := f.SideEffects(first); err != nil {
		t.Fatal(err)
	}
	blank := strings.Repeat(" ", len(sideEffectLines(t, path))-1) + "\n"
	other := `{"attempt":"b","n":1,"outcome":"ok"}` + "\n"
	if err := os.WriteFile(filepath.Join(path, SideEffectsFile), []byte(blank+other), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.SideEffects(first, SideEffect{Attempt: "b", N: 1, Outcome: OutcomeOK}, SideEffect{Attempt: "b", N: 2, Outcome: OutcomeOK}); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimPrefix(sideEffectLines(t, path), blank+other); !strings.Contains(got, `"n":2`) || strings.Count(got, "\n") != 1 {
		t.Errorf("added were\n%s", got)
	}
}

func TestSideEffectsAreReadBack(t *testing.T) {
	f := openTemp(t)
	read := func() (got []SideEffect, err error) {
		err = EachSideEffect(f.path, func(e SideEffect) error {
			got = append(got, e)
			return nil
		})
		return got, err
	}
	if got, err := read(); err != nil || len(got) != 0 {
		t.Errorf("before anything was written: %v %v", got, err)
	}
	if err := f.SideEffects(calls()...); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.path, SideEffectsFile)
	whole := sideEffectLines(t, f.path)
	if err := os.WriteFile(path, []byte(whole+`{"torn":`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := read()
	if err != nil || len(got) != len(calls()) || got[3].Outcome != OutcomeDenied || string(got[0].Input) != string(calls()[0].Input) {
		t.Errorf("%+v %v", got, err)
	}
	if err := os.WriteFile(path, []byte(whole+"no record\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d", len(calls())+1)) {
		t.Errorf("a damaged line: %v", err)
	}
	stop := errors.New("enough")
	if err := EachSideEffect(f.path, func(SideEffect) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped with %v", err)
	}
}

// BenchmarkSideEffects ends an attempt of a run that has many behind it.
func BenchmarkSideEffects(b *testing.B) {
	f, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	attempt := func(i int) []SideEffect {
		var batch []SideEffect
		for n := range int64(100) {
			batch = append(batch, SideEffect{Attempt: fmt.Sprint(i), N: n + 1, Tool: "Bash", Outcome: OutcomeOK})
		}
		return batch
	}
	for i := range 1000 {
		if err := f.SideEffects(attempt(i)...); err != nil {
			b.Fatal(err)
		}
	}
	next := 1000
	for b.Loop() {
		if err := f.SideEffects(attempt(next)...); err != nil {
			b.Fatal(err)
		}
		next++
	}
}

// TestAFolderThatIsNotThereHasNoSideEffects: somebody asks before the first call was recorded.
func TestAFolderThatIsNotThereHasNoSideEffects(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if err := EachSideEffect(path, func(SideEffect) error { t.Error("there is one"); return nil }); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
