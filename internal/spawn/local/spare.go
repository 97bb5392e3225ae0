package local

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// spareTime is how long a spare waits for an attempt. While attempts follow one another there is one; a machine at rest
// has none.
const spareTime = 30 * time.Second

// orderTime is how long a spare may take to read an order that its pipe does not hold.
const orderTime = 5 * time.Second

// spare is a shim that was started ahead of its attempt, which saves the attempt the time that takes. It has seen nothing of
// any attempt. It ends when its orders are closed, so it outlives neither its use nor the engine.
type spare struct {
	cmd    *exec.Cmd
	orders *os.File
	word   *os.File
	ended  <-chan struct{} // closed when it has been reaped
	timer  *time.Timer
}

// spares keeps at most one spare.
type spares struct {
	command []string // empty for none ever
	wait    time.Duration
	reading time.Duration // orderTime

	mu      sync.Mutex
	waiting *spare
	making  chan struct{} // closed when the one that is being started can be taken; nil if none is
	closed  bool
}

// refill starts a spare in the background, if there is none.
func (s *spares) refill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.command) == 0 || s.closed || s.waiting != nil || s.making != nil {
		return
	}
	done := make(chan struct{})
	s.making = done
	go func() {
		defer close(done)
		made, err := startSpare(s.command)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.making = nil
		if err != nil {
			return // the next attempt starts its shim itself, and says why that fails
		}
		made.timer = time.AfterFunc(s.wait, func() { s.drop(made) })
		s.waiting = made
	}()
}

// take is the spare, nil if there is none that lives. It waits for one that is being started: another would take longer.
func (s *spares) take() *spare {
	s.mu.Lock()
	defer s.mu.Unlock()
	if making := s.making; making != nil {
		s.mu.Unlock()
		<-making
		s.mu.Lock()
	}
	made := s.waiting
	s.waiting = nil
	if made == nil {
		return nil
	}
	made.timer.Stop()
	select {
	case <-made.ended:
		made.dismiss()
		return nil
	default:
		return made
	}
}

// drop ends a spare that nobody needed.
func (s *spares) drop(made *spare) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == made {
		s.waiting = nil
		made.dismiss()
	}
}

// close ends the spare and returns it, nil if there is none. No other is started.
func (s *spares) close() *spare {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	made := s.take()
	if made != nil {
		made.dismiss()
	}
	return made
}

func startSpare(command []string) (*spare, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // an attempt outlives the engine that starts it
	cmd.Dir = "/"
	reads, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin = reads
	word, err := startShim(cmd, nil)
	err = errors.Join(err, reads.Close())
	if err != nil {
		return nil, errors.Join(err, orders.Close())
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // what it ended with does not matter
		close(ended)
	}()
	return &spare{cmd: cmd, orders: orders, word: word, ended: ended}, nil
}

// order gives the spare its attempt. If it fails, the spare has a part of the order at most, and ends: with a whole one it would
// find the attempt claimed.
func (s *spare) order(folder string, secrets []string, within time.Duration) error {
	err := s.orders.SetWriteDeadline(time.Now().Add(within))
	if err == nil {
		err = shim.Order{Folder: folder, Env: secrets}.Give(s.orders)
	}
	if err != nil {
		s.dismiss()
		return err
	}
	_ = s.orders.Close() // it has its order
	return nil
}

// dismiss ends a spare that has no attempt.
func (s *spare) dismiss() { _ = errors.Join(s.orders.Close(), s.word.Close()) } // both only end it

// startShim starts a shim in a session of its own. It returns the end of the pipe that the shim lets go of when it has said
// how its attempt went.
func startShim(cmd *exec.Cmd, secrets []string) (*os.File, error) {
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
