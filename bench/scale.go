package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

const (
	farAway    = 20 * time.Millisecond // what an answer of the database takes longer
	farClients = 128                   // that speak all the time, several times as many as keep one engine busy
	farTurn    = 3 * time.Second
	farShare   = 0.2 // of all processors, that one engine and the server may use together
)

// scale compares how many words a second several engines take with how many one does, when the database is far away: an engine then waits
// for answers most of the time, and its machine is not what limits it. As many clients speak to the one engine as to all the others
// together, each about a project of the engine that it speaks to. The one and the others have databases of their own on one server, and
// take turns.
func scale(engines int) func(context.Context, *workshop) (outcome, error) {
	return func(ctx context.Context, shop *workshop) (outcome, error) {
		if runtime.GOOS != "linux" {
			return outcome{skipped: "this system has no /proc"}, nil
		}
		return withServer(func(server *pgtest.Server) (o outcome, err error) {
			one, err := openFar(ctx, shop, server, 1)
			if err != nil {
				return o, err
			}
			defer func() { err = errors.Join(err, one.close()) }()
			several, err := openFar(ctx, shop, server, engines)
			if err != nil {
				return o, err
			}
			defer func() { err = errors.Join(err, several.close()) }()
			return scaled(ctx, shop, one, several)
		})
	}
}

func scaled(ctx context.Context, shop *workshop, one, several *far) (o outcome, err error) {
	var measured, base, shares []float64
	for n := range shop.times(6) + 1 {
		alone, share, err := one.speak(ctx)
		if err != nil {
			return o, err
		}
		together, _, err := several.speak(ctx)
		if err != nil {
			return o, err
		}
		if n > 0 { // first, everything is read for the first time
			measured, base, shares = append(measured, together), append(base, alone), append(shares, share)
		}
	}
	share := median(shares)
	o = compare(measured, base, func(rate float64) string { return fmt.Sprintf("%.0f/s", rate) })
	o.base += fmt.Sprintf(" at %s, %.0f%% CPU", farAway, 100*share)
	if share > farShare {
		return o, fmt.Errorf("one engine and the server use %.0f%% of the processors: the database must be further away", 100*share)
	}
	return o, nil
}

// far is engines whose database is far away, and who speaks to them.
type far struct {
	*cluster
	*words
	end func()
}

func openFar(ctx context.Context, shop *workshop, server *pgtest.Server, engines int) (*far, error) {
	c, err := openCluster(ctx, shop, server, fmt.Sprint("far-", engines))
	if err != nil {
		return nil, err
	}
	f := &far{cluster: c, end: func() {}}
	if err := f.open(ctx, engines); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *far) open(ctx context.Context, engines int) error {
	runs, err := f.settle(ctx, farClients)
	if err != nil {
		return err
	}
	if f.reached, f.end, err = pgtest.Far(f.address, farAway); err != nil {
		return err
	}
	if err := f.join(ctx, engines); err != nil {
		return err
	}
	if err := f.until(ctx, len(runs), "SELECT count(*) FROM owners WHERE held"); err != nil {
		return err
	}
	if err := f.until(ctx, 0, "SELECT count(*) FROM wakes WHERE wake_seq > done_seq"); err != nil {
		return err
	}
	if err := f.share(ctx); err != nil {
		return err
	}
	f.words, err = openWords(ctx, f.members, runs)
	return err
}

// share gives each member as many projects as the others, and waits until they know: they ask with each renewal of their leases.
func (f *far) share(ctx context.Context) error {
	const renewals = 7 * time.Second // two of them
	_, err := f.db.Exec(ctx, `UPDATE owners o SET engine = ($1::text[])[1 + p.n % cardinality($1::text[])], fence = fence + 1
		FROM (SELECT project, row_number() OVER (ORDER BY project) - 1 AS n FROM owners) p WHERE p.project = o.project`, f.ids)
	if err != nil {
		return err
	}
	return sleep(ctx, renewals)
}

// speak has all clients speak for a while. It returns how many words a second were durable, and which share of all processors the
// engines and the server used.
func (f *far) speak(ctx context.Context) (rate, share float64, err error) {
	before, err := f.used(ctx)
	if err != nil {
		return 0, 0, err
	}
	var said atomic.Int64
	var clients errgroup.Group
	began := time.Now()
	for n := range farClients {
		clients.Go(func() error {
			for time.Since(began) < farTurn {
				if err := f.say(ctx, f.members[n%len(f.members)], n); err != nil {
					return err
				}
				said.Add(1)
			}
			return nil
		})
	}
	if err := clients.Wait(); err != nil {
		return 0, 0, err
	}
	took := time.Since(began).Seconds()
	after, err := f.used(ctx)
	const perSecond = 100 // the kernel's ticks
	return float64(said.Load()) / took, float64(after-before) / perSecond / took / float64(runtime.NumCPU()), err
}

// used are the ticks that the engines and the server have used so far.
func (f *far) used(ctx context.Context) (int, error) {
	var backend int
	if err := f.db.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return 0, err
	}
	server, err := statOf(backend, 1)
	if err != nil {
		return 0, err
	}
	total, err := family(server[0])
	for _, m := range f.members {
		if err == nil {
			var used int
			used, err = ticks(m.cmd.Process.Pid)
			total += used
		}
	}
	return total, err
}

func (f *far) close() error {
	if f.words != nil {
		f.words.close()
	}
	err := f.cluster.close()
	f.end()
	return err
}

// family is what a process and its children have used, those included that have ended.
func family(parent int) (total int, err error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, dir := range all {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			return 0, err
		}
		stat, err := statOf(pid, 1, 11, 12, 13, 14)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if pid == parent || stat[0] == parent {
			total += stat[1] + stat[2]
		}
		if pid == parent {
			total += stat[3] + stat[4]
		}
	}
	return total, nil
}

// statOf are fields of what the kernel says of a process, counted from the one after its name.
func statOf(pid int, fields ...int) ([]int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The name, in brackets, may hold anything.
	all := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	values := make([]int, len(fields))
	for i, field := range fields {
		if field >= len(all) {
			return nil, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(all))
		}
		if values[i], err = strconv.Atoi(all[field]); err != nil {
			return nil, err
		}
	}
	return values, nil
}
