package capacity

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

var (
	sizes = flag.String("projects", "", "how many projects, for a table with a column for each: 10,1000,100000")
	busy  = flag.Int("busy", 100, "of how many projects one has a run")
)

const engines = 4

// spend has a company of this size, of which one in so many projects has a run, live through a day in virtual time.
func spend(t *testing.T, projects, oneIn int) (d *day) {
	t.Helper()
	folder := memory(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		db, err := sqlite.Open(ctx, filepath.Join(folder, "stellwerk.db"), sqlite.Options{LazyLooks: true})
		if err != nil {
			t.Fatal(err)
		}
		co := &company{t: t, ctx: ctx, db: db, projects: projects, runs: max(min(10, projects), projects/oneIn), engines: engines, hurry: 1, tally: newTally()}
		defer func() {
			stop()
			co.end()
			co.signals.Wait()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
		d = co.live(folder)
	})
	return d
}

// memory is a folder in memory if there is one: it is not asked how fast a disk is.
func memory(t *testing.T) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	folder, err := os.MkdirTemp("/dev/shm", "capacity")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// TestCapacity prints what companies of several sizes cost.
func TestCapacity(t *testing.T) {
	if *sizes == "" {
		t.Skip("make capacity")
	}
	var days []*day
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		d := spend(t, n, *busy)
		for part, f := range d.figures {
			t.Logf("%d projects: %s took %v: %s", n, part, f.took, f.calls())
		}
		days = append(days, d)
	}
	if err := table(t.Output(), days); err != nil {
		t.Error(err)
	}
}

// TestNothingGrowsWithTheCompany: four times as many projects and runs cost four times as much, and engines that have nothing
// to do cost the same.
func TestNothingGrowsWithTheCompany(t *testing.T) {
	small, large := spend(t, 500, 20), spend(t, 2000, 20)
	same := func(what string, was, is float64) {
		t.Helper()
		if is > was*1.3+0.01 { // engines that look at one moment find together what each would find alone
			t.Errorf("%s: %.2f among %d projects, and %.2f among %d", what, was, small.projects, is, large.projects)
		}
	}
	for _, part := range []string{"idle", "wait"} {
		wasCalls, wasRows := small.perSecond(part)
		isCalls, isRows := large.perSecond(part)
		if part == "wait" { // an engine reads what it owns whenever it renews its lease
			wasRows, isRows = wasRows/float64(small.runs), isRows/float64(large.runs)
		}
		same(part+": calls an engine and second", wasCalls, isCalls)
		same(part+": rows an engine and second", wasRows, isRows)
	}
	was, is := small.perRun(), large.perRun()
	same("calls a run", was.calls, is.calls)
	same("rows a run", was.rows, is.rows)
	same("event bytes a run", was.sent, is.sent)
	same("bytes a run", was.stored, is.stored)
	same("bytes a project", float64(small.figures["register"].bytes)/float64(small.projects), float64(large.figures["register"].bytes)/float64(large.projects))
	if most := lease + 5*time.Second; large.takenOver > most {
		t.Errorf("others own an engine's projects after %v, expected are %v at most", large.takenOver, most)
	}
	for part, f := range large.figures {
		t.Logf("%s took %v: %s", part, f.took, f.calls())
	}
	if err := table(t.Output(), []*day{small, large}); err != nil {
		t.Error(err)
	}
}
