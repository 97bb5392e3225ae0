package snapshot_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

func full(session, branch string) snapshot.Snapshot {
	return snapshot.Snapshot{
		Proto: snapshot.Proto, Session: session, Run: "r1", Alias: "brisk-otter", Root: "/p", Branch: branch,
		Offers: []snapshot.Offer{{Type: "stellwerk:developer", Prompt: "Read it.", Model: "opus"}},
		Agents: map[string]snapshot.Agent{"a1": {Attempt: "x", Dir: "/w", Readable: []string{"/in"}, Writable: []string{"/out"}, Shell: []string{"sh"}}},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	state := t.TempDir()
	if _, err := snapshot.Read(state, "s1"); !errors.Is(err, snapshot.ErrNone) {
		t.Errorf("before: %v", err)
	}
	if err := snapshot.Remove(state, "s1"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(state, "sessions")); err == nil {
		t.Error("a session that never owned a run was given a folder")
	}
	want := full("s1", "feature/x")
	if err := snapshot.Write(state, want); err != nil {
		t.Fatal(err)
	}
	got, err := snapshot.Read(state, "s1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	journal := filepath.Join(state, "sessions", "s1", "hooks.jsonl")
	if err := os.WriteFile(journal, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Remove(state, "s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Read(state, "s1"); !errors.Is(err, snapshot.ErrNone) {
		t.Errorf("after: %v", err)
	}
	if _, err := os.Stat(journal); err != nil {
		t.Errorf("the journal is gone: %v", err)
	}
}

// TestReadersSeeNoHalf reads while others write.
func TestReadersSeeNoHalf(t *testing.T) {
	state := t.TempDir()
	if err := snapshot.Write(state, full("s1", "a")); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, branch := range []string{"a", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"} {
		writers.Go(func() {
			for range 200 {
				if err := snapshot.Write(state, full("s1", branch)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 400 {
		if _, err := snapshot.Read(state, "s1"); err != nil {
			t.Fatal(err)
		}
	}
	writers.Wait()
	left, err := os.ReadDir(filepath.Join(state, "sessions", "s1"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestNamesThatArePathsAreNone(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b", "../x", "a.b", "a b", "a\x00", string(make([]byte, 200))} {
		if _, err := snapshot.Dir("/s", name); err == nil || snapshot.IsSession(name) {
			t.Errorf("%q is taken for a session", name)
		}
	}
}

func TestTheStateFolderIsThatOfTheCommandLine(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"/a":                             {"STELLWERK_STATE": "/a", "XDG_STATE_HOME": "/b", "HOME": "/c"},
		"/b/stellwerk":                   {"XDG_STATE_HOME": "/b", "HOME": "/c"},
		"/c/.local/state/stellwerk":      {"XDG_STATE_HOME": "relative", "HOME": "/c"},
		"/home/x/.local/state/stellwerk": {"HOME": "/home/x"},
	} {
		if got, err := snapshot.State(func(n string) string { return env[n] }); err != nil || got != want {
			t.Errorf("%v: %s %v, want %s", env, got, err, want)
		}
	}
	if got, err := snapshot.State(func(string) string { return "" }); err == nil {
		t.Errorf("without anything: %s", got)
	}
}
