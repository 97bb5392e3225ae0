package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
)

// loaded is the time that a worker has to load its program and to reserve its group before its attempt comes. One that was
// started ahead has the whole attempt before it.
const loaded = 100 * time.Millisecond

// wallsStart compares the start of an attempt behind all walls with one in a sandbox that has none of them: from the order to a
// worker that waits for it, as the program keeps one, until the agent runs. Both take turns.
func wallsStart(ctx context.Context, shop *workshop) (outcome, error) {
	if kind, reason := sandbox.Detect(ctx); kind != sandbox.Sandbox {
		return outcome{skipped: "no sandbox: " + reason}, nil
	}
	all := walls{closed: true, hosts: []string{"127.0.0.2:8443"}, model: "http://127.0.0.2:8080", bound: true}
	program, err := shop.worker(ctx)
	if err != nil {
		return outcome{}, err
	}
	bounded, unbounded := spare.New([]string{program, "worker", "ahead", benchOwner}), spare.New([]string{program, "worker", "ahead", ""})
	defer func() { bounded.Close(); unbounded.Close() }()
	var measured, base []time.Duration
	for range shop.times(40) {
		m, err := startBehind(shop, bounded, all)
		if err != nil {
			return outcome{}, err
		}
		b, err := startBehind(shop, unbounded, walls{})
		if err != nil {
			return outcome{}, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(measured, base, short), nil
}

// startBehind is the time until the agent of an attempt has said that it runs. The attempt then ends.
func startBehind(shop *workshop, spares *spare.Pool, w walls) (took time.Duration, err error) {
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
	spares.Refill()
	time.Sleep(loaded)
	began := time.Now()
	made := spares.Give(shim.Order{Folder: folder, Env: []string{modelSecret + "=" + modelKey}})
	if made == nil {
		return 0, errors.Join(errors.New("no worker took the attempt"), runs.Close())
	}
	over := make(chan error, 1)
	go func() {
		<-made.Ended
		err := errors.Join(made.Word.Close(), ended(folder))
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
	return took, errors.Join(err, runs.Close())
}
