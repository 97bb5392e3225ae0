package lossyfs

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
)

// bench is a disk that a test changes as programs do.
type bench struct {
	t *testing.T
	*Disk
}

func newBench(t *testing.T) bench { return bench{t, New()} }

func (b bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b bench) create(parent uint64, name string, mode uint32) *node {
	b.t.Helper()
	n, err := b.make(parent, name, mode)
	b.must(err)
	return n
}

func (b bench) file(parent uint64, name string) *node {
	b.t.Helper()
	return b.create(parent, name, syscall.S_IFREG|0o600)
}

func (b bench) at(parent *node, name string) *node { return parent.folder.now[name] }

func fill(n *node, at int64, c byte, size int) {
	n.file.change(write{at: at, data: bytes.Repeat([]byte{c}, size)})
}

// seeds are enough for every kind of loss to happen.
const seeds = 400

func random(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 1)) }

func TestWhatIsSyncedSurvives(t *testing.T) {
	for seed := range seeds {
		b := newBench(t)
		folder := b.create(rootID, "folder", syscall.S_IFDIR|0o700)
		n := b.file(folder.id, "file")
		fill(n, 0, 'a', 3000)
		for _, id := range []uint64{n.id, folder.id, rootID} {
			b.must(b.sync(id))
		}
		fill(n, 2000, 'b', 9000)
		b.must(b.remove(folder.id, "file", false))
		b.file(folder.id, "other")
		b.Restart(random(seed))
		folder = b.at(b.root, "folder")
		if folder == nil {
			t.Fatalf("seed %d: a synced name is lost", seed)
		}
		left := b.at(folder, "file")
		if left == nil {
			continue // that it was removed may survive
		}
		if got := left.file.now; len(got) < 3000 || !bytes.Equal(got[:2000], bytes.Repeat([]byte{'a'}, 2000)) {
			t.Fatalf("seed %d: synced bytes are lost", seed)
		}
		for at, c := range left.file.now[2000:] {
			if at += 2000; c != 'b' && (c != 'a' || at >= 3000) && (c != 0 || at < 3000) {
				t.Fatalf("seed %d: byte %d is %q", seed, at, c)
			}
		}
	}
}

// TestEveryLossHappens: a crash that loses too little would find nothing.
func TestEveryLossHappens(t *testing.T) {
	seen := map[string]int{}
	for seed := range seeds {
		b := newBench(t)
		source, target := b.create(rootID, "source", syscall.S_IFDIR|0o700), b.create(rootID, "target", syscall.S_IFDIR|0o700)
		n := b.file(source.id, "old")
		for _, id := range []uint64{source.id, rootID} {
			b.must(b.sync(id))
		}
		fill(n, 0, 'a', 1000)
		fill(n, 1000, 'b', 1000)
		b.must(b.rename(source.id, "old", target.id, "new", false))
		b.Restart(random(seed))
		old, renamed := b.at(b.at(b.root, "source"), "old"), b.at(b.at(b.root, "target"), "new")
		if old == nil && renamed == nil {
			t.Fatalf("seed %d: a rename lost the file", seed)
		}
		seen[fmt.Sprintf("old name %t, new name %t", old != nil, renamed != nil)]++
		left := old
		if left == nil {
			left = renamed
		}
		seen[shape(left.file.now)]++
	}
	for _, want := range []string{
		"old name true, new name false", "old name true, new name true", "old name false, new name true",
		"nothing", "all", "the first alone", "a hole before the second", "zeros", "torn",
	} {
		if seen[want] == 0 {
			t.Errorf("never happened: %s; but %v", want, seen)
		}
	}
}

// shape says what is left of 1000 times a and 1000 times b.
func shape(content []byte) string {
	as, bs := bytes.Count(content, []byte{'a'}), bytes.Count(content, []byte{'b'})
	switch {
	case len(content) == 0:
		return "nothing"
	case as == 1000 && bs == 1000:
		return "all"
	case as == 1000 && len(content) == 1000:
		return "the first alone"
	case as == 0 && bs == 1000:
		return "a hole before the second"
	case as+bs == 0:
		return "zeros"
	}
	return "torn"
}

func TestThePowerFailsAtTheChosenChange(t *testing.T) {
	b := newBench(t)
	b.file(rootID, "before")
	b.FailAfter(2)
	n := b.file(rootID, "first")
	b.must(b.sync(n.id))
	select {
	case <-b.Failed():
		t.Fatal("it failed too early")
	default:
	}
	if err := b.sync(rootID); !errors.Is(err, syscall.EIO) {
		t.Errorf("the change that finds no power: %v", err)
	}
	<-b.Failed()
	if _, err := b.make(rootID, "later", syscall.S_IFREG); !errors.Is(err, syscall.EIO) {
		t.Errorf("one after it: %v", err)
	}
	if _, _, err := b.list(rootID); !errors.Is(err, syscall.EIO) {
		t.Errorf("a question after it: %v", err)
	}
	b.Restart(random(1))
	b.file(rootID, "again")
}

func TestThePowerFailsAtASync(t *testing.T) {
	b := newBench(t)
	n := b.file(rootID, "before")
	b.FailAtSync(1)
	b.must(b.sync(n.id))
	b.file(rootID, "later")
	if err := b.sync(n.id); !errors.Is(err, syscall.EIO) {
		t.Errorf("the sync that finds no power: %v", err)
	}
}

// TestASeedChoosesTheLosses: the same disk loses the same for the same seed.
func TestASeedChoosesTheLosses(t *testing.T) {
	left := func(seed int) string {
		b := newBench(t)
		for i := range 20 {
			fill(b.file(rootID, fmt.Sprint(i)), 0, 'a', 5000)
		}
		loss := b.Restart(random(seed))
		told := loss.String()
		for i := range 20 {
			if n := b.at(b.root, fmt.Sprint(i)); n != nil {
				told += fmt.Sprint(i, " ", len(n.file.now), bytes.Count(n.file.now, []byte{0}))
			}
		}
		return told
	}
	different := 0
	for seed := range 20 {
		if first, second := left(seed), left(seed); first != second {
			t.Fatalf("seed %d: %s, and then %s", seed, first, second)
		}
		if left(seed) != left(seed+1) {
			different++
		}
	}
	if different == 0 {
		t.Error("every seed loses the same")
	}
}

// TestSyncOfAFolderDoesNotHideWhatMoved: the old name goes only with the new one.
func TestSyncOfAFolderDoesNotHideWhatMoved(t *testing.T) {
	for seed := range seeds {
		b := newBench(t)
		target := b.create(rootID, "target", syscall.S_IFDIR|0o700)
		b.file(rootID, "old")
		b.must(b.sync(rootID))
		b.must(b.rename(rootID, "old", target.id, "new", false))
		b.must(b.sync(rootID))
		b.Restart(random(seed))
		if b.at(b.root, "old") == nil && b.at(b.at(b.root, "target"), "new") == nil {
			t.Fatalf("seed %d: the file is gone", seed)
		}
	}
}
