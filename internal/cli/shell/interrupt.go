package shell

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// exitInterrupted is the shell's code for a process that an interrupt ended.
const exitInterrupted = 128 + int(syscall.SIGINT)

// Interruptible ends the returned context at the first interrupt, with
// errInterrupted as its cause, and the process at the second.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel(ErrInterrupted)
		case <-done:
			return
		}
		select {
		case <-signals:
			os.Exit(exitInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
