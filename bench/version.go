package main

import (
	"context"
	"os/exec"
	"time"
)

// version compares `stellwerk version`, from fork to exit, with a Go program
// that prints one line. Both are built with the same flags and take turns.
func version(ctx context.Context, shop *workshop) (outcome, error) {
	program, err := shop.stellwerk(ctx)
	if err != nil {
		return outcome{}, err
	}
	hello, err := shop.hello(ctx)
	if err != nil {
		return outcome{}, err
	}
	var measured, base []time.Duration
	for range shop.times(200) {
		m, err := timed(exec.CommandContext(ctx, program, "version").Run)
		if err != nil {
			return outcome{}, err
		}
		b, err := timed(exec.CommandContext(ctx, hello).Run)
		if err != nil {
			return outcome{}, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(measured, base, short), nil
}
