package yard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/disktest"
)

// TestNothingIsSaidBeforeTheDiskHasIt has a disk that takes nothing: whatever an event will speak of must not succeed on it.
// Git is started on the same thread, and has the same disk. What is handed in is synced by who accepts it: package shim.
func TestNothingIsSaidBeforeTheDiskHasIt(t *testing.T) {
	f, spec := handedIn(t)
	topic := f.commit(t, "topic", "echo x > x")
	other := f.commit(t, "other", "echo y > y")
	fresh := filepath.Join(folder(t), "yard.git")
	for name, act := range map[string]func() error{
		"open": func() error { return second(Open(ctx(t), fresh)) },
		"move": func() error { return f.yard.Move(ctx(t), "refs/heads/run", "", topic) },
		"commit": func() error {
			return second(f.yard.Commit(ctx(t), commitSpec(topic, map[string]string{"plan.md": "new"})))
		},
		"merge":  func() error { return second(f.yard.Merge(ctx(t), mergeSpec(topic, other))) },
		"import": func() error { return second(f.yard.Import(ctx(t), spec)) },
	} {
		var err error
		if refused := disktest.FailSyncs(func() { err = act() }); refused != nil {
			t.Fatal(refused)
		}
		if err == nil {
			t.Errorf("%s: a crash of the machine would take what it said", name)
		}
		must(t, act()) // the disk is well again
	}
	entries, err := os.ReadDir(filepath.Dir(fresh))
	must(t, err)
	equal(t, "what is left beside the yard", len(entries), 1)
	at, err := f.yard.Resolve(ctx(t), "refs/heads/run")
	must(t, errors.Join(err))
	equal(t, "the branch", at, topic)
}
