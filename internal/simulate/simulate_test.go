package simulate

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

var (
	seed  = flag.Uint64("seed", 0, "simulate this seed alone, and say what happens")
	seeds = flag.Uint64("seeds", 300, "how many seeds to simulate")
	first = flag.Uint64("first", 1, "the first of them")
	twice = flag.Uint64("twice", 10, "how many seeds to simulate twice, to see that each does the same again")
)

// TestMain has one goroutine run at a time, so that fewer things depend on the order in which they begin.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// outcome is what came of a seed.
type outcome struct {
	broken []string
	trace  string
	steps  int
	tidied int           // objects that were removed because nobody names them
	took   time.Duration // in virtual time
}

// simulate runs one seed in a folder of its own.
func simulate(t *testing.T, seed uint64, out io.Writer) (o outcome) {
	t.Helper()
	dir, err := os.MkdirTemp(shared(), "simulate")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}()
	path := filepath.Join(dir, "stellwerk.db")
	content, err := empty()
	if err == nil {
		err = errors.Join(os.WriteFile(path, content, 0o600), os.Mkdir(filepath.Join(dir, "runs"), 0o700))
	}
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		s := newSim(ctx, seed, out)
		db, err := sqlite.Open(ctx, path, sqlite.Options{LazyLooks: true, Clock: s.now})
		if err != nil {
			t.Fatal(err)
		}
		s.db, s.state = db, dir
		s.story()
		s.run(s.over)
		if !s.isBroken() {
			s.ended()
		}
		for _, id := range engines {
			if s.members[id] != nil {
				s.kill(id)
			}
		}
		stop()
		s.lives.Wait()
		s.people.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		o = outcome{s.broken, s.trace.String(), s.steps, s.tidied, time.Since(s.begun)}
	})
	return o
}

// empty is the file of an empty store. Each seed has a copy: to migrate one takes a tenth of a seed's time.
var empty = sync.OnceValues(func() (_ []byte, err error) {
	dir, err := os.MkdirTemp(shared(), "simulate")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "stellwerk.db")
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// shared is a folder in memory if there is one: a simulation does not ask what a disk keeps.
func shared() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// TestSeeds simulates seeds until one breaks a law.
func TestSeeds(t *testing.T) {
	if *seed != 0 {
		report(t, *seed, simulate(t, *seed, os.Stdout))
		return
	}
	var steps, tidied int
	var took time.Duration
	for n := *first; n < *first+*seeds; n++ {
		o := simulate(t, n, nil)
		report(t, n, o)
		steps, tidied, took = steps+o.steps, tidied+o.tidied, took+o.took
	}
	t.Logf("%d seeds, %d steps, %d objects removed, %v of virtual time", *seeds, steps, tidied, took)
	if *seeds >= 100 && tidied == 0 {
		t.Error("no object was ever removed")
	}
}

func report(t *testing.T, seed uint64, o outcome) {
	t.Helper()
	if len(o.broken) > 0 {
		t.Fatalf("seed %d: %s\nsee it again with: go test ./internal/simulate -run TestSeeds -seed %d", seed, strings.Join(o.broken, "\n"), seed)
	}
}

// TestASeedReplays: the same seed does the same, step by step, also when somebody reads along.
func TestASeedReplays(t *testing.T) {
	for n := *first; n < *first+*twice; n++ {
		replay(t, n)
	}
}

func replay(t *testing.T, seed uint64) {
	t.Helper()
	a, b := simulate(t, seed, nil), simulate(t, seed, io.Discard)
	if a.trace == b.trace {
		return
	}
	x, y := strings.Split(a.trace, "\n"), strings.Split(b.trace, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			t.Errorf("seed %d: line %d is %q and %q\nbefore: %s", seed, i, x[i], y[i], strings.Join(x[max(0, i-10):i], "\n"))
			return
		}
	}
	t.Errorf("seed %d: one trace ends before the other", seed)
}
