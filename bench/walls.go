package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// wallsStart compares the start of an attempt behind all walls with one in a sandbox that has none of them: from the start
// of the worker until the agent runs. Both take turns.
func wallsStart(ctx context.Context, shop *workshop) (outcome, error) {
	if kind, reason := sandbox.Detect(ctx); kind != sandbox.Sandbox {
		return outcome{skipped: "no sandbox: " + reason}, nil
	}
	all := walls{closed: true, hosts: []string{"127.0.0.2:8443"}, model: "http://127.0.0.2:8080", bound: true}
	var measured, base []time.Duration
	for range shop.times(40) {
		m, err := startBehind(ctx, shop, all)
		if err != nil {
			return outcome{}, err
		}
		b, err := startBehind(ctx, shop, walls{})
		if err != nil {
			return outcome{}, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(measured, base, short), nil
}

// startBehind is the time until the agent of an attempt has said that it runs. The attempt then ends.
func startBehind(ctx context.Context, shop *workshop, w walls) (took time.Duration, err error) {
	pipe := func(shared string) string { return filepath.Join(shared, "runs") }
	folder, shared, err := openAttempt(shop, w, func(shared string) []string {
		return []string{"/bin/sh", "-c", "echo >" + pipe(shared)}
	})
	if err != nil {
		return 0, err
	}
	runs, err := openPipe(pipe(shared))
	if err != nil {
		return 0, err
	}
	cmd, err := worker(ctx, shop, folder)
	if err != nil {
		return 0, errors.Join(err, runs.Close())
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, errors.Join(err, runs.Close())
	}
	over := make(chan error, 1)
	go func() {
		err := errors.Join(cmd.Wait(), ended(folder))
		if err != nil {
			err = errors.Join(err, runs.Close()) // nobody will say that it runs
		}
		over <- err
	}()
	_, err = runs.Read(make([]byte, 1))
	took = time.Since(began)
	if err := <-over; err != nil {
		return 0, err
	}
	return took, errors.Join(err, runs.Close(), os.RemoveAll(filepath.Dir(folder)))
}
