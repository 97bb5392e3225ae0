package spare

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Process is a worker that was started ahead of its attempt. It ends when its orders are closed, so it outlives neither its use
// nor the engine.
type Process struct {
	// Ended is closed when it has been reaped.
	Ended <-chan struct{}
	// Word is what it says of its attempt (Start). Whoever gave the order closes it.
	Word *os.File

	cmd    *exec.Cmd
	orders *os.File
	timer  *time.Timer
}

// Code is what a process that has ended did so with.
func (p *Process) Code() int { return p.cmd.ProcessState.ExitCode() }

// Begin starts a worker of its own for an order, with a log.
func Begin(command []string, log *os.File, order shim.Order) (*Process, error) {
	made, err := start(command, log)
	if err != nil {
		return nil, err
	}
	if err := made.order(order, orderTime); err != nil {
		return nil, fmt.Errorf("tell the worker what to do: %w", err)
	}
	return made, nil
}

func start(command []string, log *os.File) (*Process, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // an attempt outlives the engine that starts it
	cmd.Dir = "/"
	if log != nil {
		cmd.Stdout, cmd.Stderr = log, log
	}
	reads, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin = reads
	word, err := Start(cmd, nil)
	err = errors.Join(err, reads.Close())
	if err != nil {
		return nil, errors.Join(err, orders.Close())
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its state says how it ended
		close(ended)
	}()
	return &Process{cmd: cmd, orders: orders, Word: word, Ended: ended}, nil
}

// order gives the spare its attempt and, if the order asks for it, waits for the answer. If it fails, the spare is killed before
// it has done anything for the attempt; one that answers in this very moment is stopped by the attempt's lock or claim.
func (p *Process) order(order shim.Order, within time.Duration) error {
	deadline := time.Now().Add(within)
	err := p.orders.SetWriteDeadline(deadline)
	if err == nil {
		err = order.Give(p.orders)
	}
	if err == nil && order.Answer {
		err = awaitAnswer(p.Word, deadline)
	}
	if err != nil {
		p.kill()
		p.letGo()
		return err
	}
	_ = p.orders.Close() // it has its order
	return nil
}

// pipe is the reading end of a pipe, whose reads can have a deadline.
type pipe interface {
	io.Reader
	SetReadDeadline(at time.Time) error
}

// awaitAnswer reads the one byte of an answer. Later reads have no deadline.
func awaitAnswer(word pipe, deadline time.Time) error {
	err := word.SetReadDeadline(deadline)
	if err == nil {
		_, err = word.Read(make([]byte, 1))
	}
	if err != nil {
		return fmt.Errorf("wait until the worker has its order: %w", err)
	}
	return word.SetReadDeadline(time.Time{})
}

// dismiss ends a spare that has no attempt, by force if it does not end within the time.
func (p *Process) dismiss(within time.Duration) {
	p.letGo()
	select {
	case <-p.Ended:
	case <-time.After(within):
		p.kill()
	}
}

// letGo closes both pipes, which ends a spare that runs.
func (p *Process) letGo() { _ = errors.Join(p.orders.Close(), p.Word.Close()) } // both only end it

// kill ends the process, also one that is stopped.
func (p *Process) kill() { _ = p.cmd.Process.Kill() } // fails for one that has ended

// Start starts a worker in a session of its own, with an allow-list of this environment and the secrets. It returns the end of
// the pipe on which the worker says that its agent has ended, and which it lets go of when it has said how its attempt went.
func Start(cmd *exec.Cmd, secrets []string) (*os.File, error) {
	word, giver, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Env = append(shim.SupervisorEnvironment(os.Environ()), secrets...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{giver} // descriptor 3
	cmd.Env = append(cmd.Env, shim.VariableDone+"=3")
	if err := errors.Join(cmd.Start(), giver.Close()); err != nil {
		return nil, errors.Join(err, word.Close())
	}
	return word, nil
}
