package powercut

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/disktest"
	"github.com/stellwerk-dev/stellwerk/internal/lossyfs"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Settings of these tests. STELLWERK_CUTS is how often the power is cut, STELLWERK_CUT_SEED the seed of the first disk.
const (
	cutsVariable = "STELLWERK_CUTS"
	seedVariable = "STELLWERK_CUT_SEED"
)

// cutsPerDisk is how often one disk loses its power before the next, which is empty, takes its place. The first cuts meet
// a database that is being made, the others also what is done to recover from the one before.
const cutsPerDisk = 8

func setting(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 {
		t.Fatalf("%s must be a number above zero, not %q", variable, value)
	}
	return n
}

// TestCuts: whatever was acknowledged survives each cut, and nothing is half there. The moment and the losses of a cut come
// from the disk's seed. What the writer was doing at that moment does not: its goroutines run as they like.
func TestCuts(t *testing.T) {
	cuts, first := setting(t, cutsVariable, 48), setting(t, seedVariable, 1)
	for seed := first; cuts > 0; seed++ {
		share := min(cuts, cutsPerDisk)
		cuts -= share
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			newArena(t, uint64(seed)).cut(share)
		})
	}
}

// arena is one disk, and what was acknowledged on it.
type arena struct {
	t     *testing.T
	seed  uint64
	r     *rand.Rand
	disk  *lossyfs.Disk
	mount string
	copy  string // what survived is copied here: examining it changes it, and the next writer must meet it as the cut left it
	known *known
}

func newArena(t *testing.T, seed uint64) *arena {
	return &arena{
		t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 0)), disk: lossyfs.New(), mount: t.TempDir(), copy: disktest.Mount(t, "size=1g"),
		known: newKnown(),
	}
}

func (a *arena) cut(times int) {
	for n := range times {
		made := a.live(a.moment(n))
		loss := a.disk.Restart(a.r)
		survived := filepath.Join(a.copy, fmt.Sprint(n))
		err := os.Mkdir(survived, 0o700)
		if err == nil {
			err = a.disk.Export(survived)
		}
		if err != nil {
			a.t.Fatal(err)
		}
		told := fmt.Sprintf("cut %d came after %d changes: %s; %d acknowledgements in all", n+1, made, loss, a.known.words)
		a.t.Log(told)
		if wrong := examine(a.t.Context(), survived, a.known); len(wrong) > 0 {
			for _, w := range wrong {
				a.t.Error(w)
			}
			a.t.Fatalf("%s\nTo repeat it, as far as time allows: %s=%d %s=%d go test ./internal/powercut -count 20 -run TestCuts",
				told, seedVariable, a.seed, cutsVariable, cutsPerDisk)
		}
		if err := os.RemoveAll(survived); err != nil {
			a.t.Fatal(err)
		}
	}
}

// moment is after how many changes the power fails: while the writer starts, or at work.
func (a *arena) moment(n int) int64 {
	starting := 60
	if n == 0 {
		starting = 600 // it makes the database
	}
	if a.r.IntN(3) == 0 {
		return int64(a.r.IntN(starting))
	}
	return int64(starting + a.r.IntN(2500))
}

// live has a writer work until the power fails, and says after how many changes that was.
func (a *arena) live(changes int64) int64 {
	a.t.Helper()
	unmount := lossyfs.Mount(a.t, a.disk, a.mount)
	if a.r.IntN(2) == 0 {
		a.disk.FailAfter(changes)
	} else {
		a.disk.FailAtSync(changes)
	}
	exe, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	cmd := exec.CommandContext(a.t.Context(), exe, roleWriter, filepath.Join(a.mount, "state"))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	heard := make(chan error, 1)
	go func() { heard <- a.known.hear(out) }()
	var ended error
	early := false
	select {
	case <-a.disk.Failed():
		_ = cmd.Process.Kill() // it may have ended at the first thing that failed
		ended = <-heard
	case ended = <-heard:
		select {
		case <-a.disk.Failed():
		default:
			early = true
		}
	case <-waittest.Over():
		a.t.Fatalf("the writer made fewer than %d changes\n%s", changes, &complaints)
	}
	_ = cmd.Wait() // it was killed
	made := a.disk.Fail()
	unmount()
	if early || ended != nil {
		a.t.Fatalf("the writer ended before the power failed: %v\n%s", ended, &complaints)
	}
	return made
}
