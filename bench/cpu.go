package main

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime is what this process has used of the processors so far.
func cpuTime() (time.Duration, error) { return timeOf(syscall.RUSAGE_SELF) }

// allTime is what this process and those that it has started have used, as far as they have ended.
func allTime() (time.Duration, error) {
	own, err := cpuTime()
	if err != nil {
		return 0, err
	}
	others, err := timeOf(syscall.RUSAGE_CHILDREN)
	return own + others, err
}

func timeOf(who int) (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0, fmt.Errorf("ask for the processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// spent is what fn uses of the processors, the collection of its garbage included. Unlike the time that passes, it says
// the same on a busy machine.
func spent(fn func()) (time.Duration, error) {
	before, err := cpuTime()
	if err != nil {
		return 0, err
	}
	fn()
	after, err := cpuTime()
	return after - before, err
}
