package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// idle measures what `stellwerk serve` takes with 50 projects and nothing to do:
// its share of one core over twenty seconds, as the kernel counts it, and its
// resident memory at their end. The limits are absolute, and the worse of the two
// counts.
func idle(ctx context.Context, shop *workshop) (o outcome, err error) {
	if runtime.GOOS != "linux" {
		return outcome{skipped: "this system has no /proc"}, nil
	}
	dir, err := shop.folder("idle")
	if err != nil {
		return o, err
	}
	if err := manyProjects(ctx, shop, dir, 50); err != nil {
		return o, err
	}
	f, err := openFace(ctx, shop, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if _, err := f.get(ctx, "/"); err != nil { // somebody has looked
		return o, err
	}
	const settle = 3 * time.Second
	if err := sleep(ctx, settle); err != nil {
		return o, err
	}
	during := 20 * time.Second
	if shop.quick {
		during = 5 * time.Second
	}
	before, err := ticks(f.cmd.Process.Pid)
	if err != nil {
		return o, err
	}
	if err := sleep(ctx, during); err != nil {
		return o, err
	}
	after, err := ticks(f.cmd.Process.Pid)
	if err != nil {
		return o, err
	}
	memory, err := resident(f.cmd.Process.Pid)
	if err != nil {
		return o, err
	}
	const perSecond = 100 // the kernel's ticks, on every Linux that Go knows
	share := float64(after-before) / perSecond / during.Seconds()
	return outcome{
		ratio:    max(share/0.01, float64(memory)/150e6),
		measured: fmt.Sprintf("%.2f%%, %d MB", 100*share, memory/1e6),
	}, nil
}

func manyProjects(ctx context.Context, shop *workshop, dir string, n int) (err error) {
	l, err := openLine(ctx, shop, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	for i := range n {
		if _, err := l.project(ctx, shop, fmt.Sprintf("shop-%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// ticks is the processor time that a process has used.
func ticks(pid int) (int, error) {
	used, err := statOf(pid, 11, 12)
	if err != nil {
		return 0, err
	}
	return used[0] + used[1], nil
}

// resident is how much memory a process holds, in bytes.
func resident(pid int) (int64, error) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/statm has %d fields", pid, len(fields))
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}
