// Package local runs attempts as processes of this machine. Each shim gets a session of its own, nothing of the
// engine's terminal and only an allow-list of its environment, so that it goes on when the engine ends. Nothing is
// kept but which shims are this process's own children, to reap them and to notice their end at once.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
)

// look is how often Wait looks at an attempt that another process started.
const look = 100 * time.Millisecond

// Options configures a Spawner.
type Options struct {
	// Worker and Salvage are the commands of a shim and of a salvage, to which the attempt folder is added. The program
	// should be the copy that shim.InstallSelf makes.
	Worker, Salvage []string
	// Spares has a worker that was started ahead of its attempt; nil to start each when it is needed.
	Spares *spare.Pool
	// Folder is where an attempt's folder is, absolute.
	Folder func(spawn.ID) string
}

// Spawner implements spawn.Spawner.
type Spawner struct {
	options Options

	mu       sync.Mutex
	children map[string][]*child
}

// New returns a spawner.
func New(options Options) *Spawner {
	return &Spawner{options: options, children: map[string][]*child{}}
}

// Capabilities implements spawn.Spawner.
func (s *Spawner) Capabilities() spawn.Capabilities {
	host, err := os.Hostname()
	if err != nil {
		host = "unnamed" // and so alike with other nameless machines of its kind
	}
	return spawn.Capabilities{
		Name: "local", Platform: strings.Join([]string{runtime.GOOS, runtime.GOARCH, host}, "/"),
		Isolation: []string{"sandbox", "none"}, Resources: true, Sessions: true,
	}
}

// Start implements spawn.Spawner.
func (s *Spawner) Start(ctx context.Context, order spawn.Order) error {
	status, err := s.Probe(ctx, order.ID)
	if err != nil || status != spawn.Absent {
		return err
	}
	defer s.options.Spares.Refill()
	if err := s.start(s.options.Folder(order.ID), order.Env); err != nil {
		return fmt.Errorf("start attempt %s: %w", order.ID, err)
	}
	return nil
}

// start has the spare carry out the attempt in folder, or a shim of its own. Both write to the same log, which is opened here: a
// spare that cannot open it has nowhere to say so.
func (s *Spawner) start(folder string, secrets []string) error {
	log, err := openLog(folder)
	if err != nil {
		return err
	}
	if s.give(folder, secrets) {
		return log.Close()
	}
	return s.spawn(s.options.Worker, folder, log, secrets)
}

func openLog(folder string) (*os.File, error) {
	return os.OpenFile(filepath.Join(folder, shim.LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// Salvage implements spawn.Spawner.
func (s *Spawner) Salvage(ctx context.Context, id spawn.ID) error {
	status, err := s.Probe(ctx, id)
	if err != nil || status != spawn.Lost {
		return err
	}
	folder := s.options.Folder(id)
	log, err := openLog(folder)
	if err == nil {
		err = s.spawn(s.options.Salvage, folder, log, nil)
	}
	if err != nil {
		return fmt.Errorf("salvage attempt %s: %w", id, err)
	}
	return nil
}

// spawn starts a shim of its own for a folder. It closes the log.
func (s *Spawner) spawn(command []string, folder string, log *os.File, secrets []string) error {
	args := append(slices.Clone(command[1:]), folder)
	cmd := exec.Command(command[0], args...) //nolint:noctx // an attempt outlives the engine that starts it
	cmd.Dir = folder
	cmd.Stdout, cmd.Stderr = log, log
	word, err := spare.Start(cmd, secrets)
	if err = errors.Join(err, log.Close()); word == nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the folder says how the attempt went
		close(ended)
	}()
	s.adopt(folder, ended, word)
	return err
}

// give has the spare carry out the attempt in folder, and reports whether there was one.
func (s *Spawner) give(folder string, secrets []string) bool {
	taken := s.options.Spares.Give(shim.Order{Folder: folder, Env: secrets})
	if taken == nil {
		return false
	}
	s.adopt(folder, taken.Ended, taken.Word)
	return true
}

// child is a process of ours that is busy with a folder.
type child struct {
	idle  <-chan struct{} // closed when it has said that the agent has ended; a child that died has not
	spoke <-chan struct{} // closed when it has said how the attempt went, or has ended
	ended <-chan struct{} // closed when it has been reaped
}

// adopt notes a child until it has ended, and been reaped.
func (s *Spawner) adopt(folder string, reaped <-chan struct{}, word *os.File) {
	idle, spoke, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	own := &child{idle: idle, spoke: spoke, ended: ended}
	s.mu.Lock()
	s.children[folder] = append(s.children[folder], own)
	s.mu.Unlock()
	go func() {
		if saidIdle(word) {
			close(idle)
		}
		_, _ = io.Copy(io.Discard, word) // it ends when the child lets go
		close(spoke)
	}()
	go func() {
		<-reaped
		_ = word.SetReadDeadline(time.Unix(1, 0)) // ends the reading, whoever else may hold the other end
		<-spoke
		_ = word.Close() // only read from
		s.mu.Lock()
		defer s.mu.Unlock()
		s.children[folder] = slices.DeleteFunc(s.children[folder], func(c *child) bool { return c == own })
		if len(s.children[folder]) == 0 {
			delete(s.children, folder)
		}
		close(ended)
	}()
}

// saidIdle waits for a child's word that its agent has ended. The word of a child that has ended, too, may not have been read yet: the
// deadline of the reading passes then.
func saidIdle(word *os.File) bool {
	first := make([]byte, 1)
	n, err := word.Read(first)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if raw, err := word.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { n, _ = syscall.Read(int(fd), first) }) // there is nothing, or the word
		}
	}
	return n > 0
}

// child is a process of ours that is busy with folder; nil when there is none.
func (s *Spawner) child(folder string) *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own := s.children[folder]; len(own) > 0 {
		return own[0]
	}
	return nil
}

// Drain waits until every process this spawner started has ended and been reaped. It ends none of them but a spare; an engine
// that stops need not wait, a test does.
func (s *Spawner) Drain(ctx context.Context) error {
	if ended := s.options.Spares.Close(); ended != nil {
		if err := await(ctx, ended); err != nil {
			return err
		}
	}
	for child := s.anyChild(); child != nil; child = s.anyChild() {
		if err := await(ctx, child.ended); err != nil {
			return err
		}
	}
	return nil
}

func await(ctx context.Context, ended <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for shims to end: %w", ctx.Err())
	case <-ended:
		return nil
	}
}

func (s *Spawner) anyChild() *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, own := range s.children {
		return own[0]
	}
	return nil
}

// Probe implements spawn.Spawner.
func (s *Spawner) Probe(_ context.Context, id spawn.ID) (spawn.Status, error) {
	folder := s.options.Folder(id)
	// Asked first: a child that ends in between has left its mark in the folder by then.
	child := s.child(folder)
	state, err := shim.Look(folder)
	if err != nil {
		return "", err
	}
	switch {
	case state == shim.StateAbsent && child != nil:
		return spawn.Starting, nil
	case state == shim.StateAbsent:
		return spawn.Absent, nil
	case state == shim.StateRunning:
		return spawn.Running, nil
	case state == shim.StateExited:
		return spawn.Exited, nil
	default:
		return spawn.Lost, nil
	}
}

// Kill implements spawn.Spawner. One that was not prepared yet gets a folder for the word that it must not start.
func (s *Spawner) Kill(_ context.Context, id spawn.ID) error {
	folder := s.options.Folder(id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the attempt's folder: %w", err)
	}
	return shim.Cancel(folder)
}

// Wait implements spawn.Spawner.
func (s *Spawner) Wait(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	folder := s.options.Folder(id)
	tick := time.NewTicker(look)
	defer tick.Stop()
	var heard *child
	for {
		child := s.child(folder)
		status, err := s.Probe(ctx, id)
		// A salvage of ours that has not taken the lock yet finds the attempt lost, as it was.
		if err != nil || status.Final() && (status != spawn.Lost || child == nil) {
			return status, err
		}
		select {
		case <-ctx.Done():
			return status, fmt.Errorf("wait for attempt %s: %w", id, ctx.Err())
		case <-child.news(heard):
			heard = child
		case <-tick.C:
		}
	}
}

// Idle implements spawn.Spawner. Only a child of ours is heard.
func (s *Spawner) Idle(id spawn.ID) <-chan struct{} {
	if own := s.child(s.options.Folder(id)); own != nil {
		return own.idle
	}
	return nil
}

// news is what a child does next, nil for no child: it speaks and, where that was heard, ends.
func (c *child) news(heard *child) <-chan struct{} {
	switch c {
	case nil:
		return nil
	case heard:
		return c.ended
	}
	return c.spoke
}
