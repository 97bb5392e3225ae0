// Package servertest starts the servers that tests need as processes of their own, which end with the tests, however those end. It
// knows no particular server, and must not be used by the program.
package servertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Process is a server under way.
type Process struct {
	cmd    *exec.Cmd
	last   syscall.Signal
	log    string
	exited chan struct{}
}

// Start starts cmd in a session of its own, with its output at the end of the file log. The signal last ends it at once: Kill sends it,
// and so does the kernel if the tests are killed.
func Start(cmd *exec.Cmd, last syscall.Signal, log string) (*Process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = file, file
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	endWithParent(cmd.SysProcAttr, last)
	p := &Process{cmd: cmd, last: last, log: log, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: for the kernel, the parent that dies is the thread that started the process
		defer close(p.exited)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in cmd.ProcessState
		}
	}()
	return p, errors.Join(<-started, file.Close())
}

// Await waits until try succeeds, which asks the server for something. It fails if the server ends.
func (p *Process) Await(try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			said, _ := os.ReadFile(p.log)
			return fmt.Errorf("the server ended: %s: %s", p.cmd.ProcessState, said)
		case <-ctx.Done():
			return err
		case <-again.C:
		}
	}
}

// Exited is closed when the server has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill ends the server at once, and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Signal(p.last) // it may have ended already
	<-p.exited
}

// FreeAddress is one at which nobody listens yet.
func FreeAddress() (string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
