// Package apart runs attempts as processes of this machine that speak HTTP with whichever engine answers, and know no other
// way to one: engines that share a store run their attempts so, and each can watch and end what another has started. To show
// that workers need nothing of the engine's machine, they can have a mount namespace of their own in which its folders are
// empty. Like every spawner it keeps nothing but which workers are its own children, and looks at no others.
package apart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/remote"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
)

// Options configures a Spawner.
type Options struct {
	// Exchange is what the workers speak with, by way of URL.
	Exchange *remote.Exchange
	URL      func() string
	// Token is that of an attempt's worker. It is handed over on standard input, where no other process can read it.
	Token func(spawn.ID) string
	// Worker is the command of a worker that reads a shim.Order. The program must not lie in a folder of Empty.
	Worker []string
	// Spares has a worker that was started ahead of its attempt; nil to start each when it is needed.
	Spares *spare.Pool
	// Empty are folders that workers see empty, by a mount namespace of their own. No spare has one.
	Empty []string
	// Masked are folders of this machine that isolated agents do not see, and Resources is where attempts of this machine
	// tell each other what they take of it; "" for each on its own.
	Masked    []string
	Resources string
	// Dir is where workers make their folders.
	Dir string
	// Checkpoint is how often work in progress is handed in at most; 0 for the worker's own choice.
	Checkpoint time.Duration
}

// Spawner implements spawn.Spawner.
type Spawner struct {
	Options
	mu       sync.Mutex
	children map[spawn.ID]*child
}

// child is a worker that this process started.
type child struct {
	idle  <-chan struct{} // closed when it has said that the agent has ended
	ended <-chan struct{} // closed when it has been reaped
	late  func() bool     // another worker had claimed the attempt; asked after ended is closed
}

func (c *child) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// New returns a spawner.
func New(o Options) *Spawner { return &Spawner{Options: o, children: map[spawn.ID]*child{}} }

// Capabilities implements spawn.Spawner.
func (s *Spawner) Capabilities() spawn.Capabilities {
	host, err := os.Hostname()
	if err != nil {
		host = "unnamed" // and so alike with other nameless machines of its kind
	}
	return spawn.Capabilities{
		Name: "local/" + host, Platform: strings.Join([]string{runtime.GOOS, runtime.GOARCH, host}, "/"),
		Isolation: []string{"sandbox", "none"}, Resources: true,
	}
}

// Start implements spawn.Spawner.
func (s *Spawner) Start(ctx context.Context, order spawn.Order) error {
	status, err := s.Probe(ctx, order.ID)
	if err != nil || status != spawn.Absent {
		return err
	}
	if err := s.spawn(order); err != nil {
		return fmt.Errorf("start attempt %s: %w", order.ID, err)
	}
	return nil
}

// hide covers each of the folders named before "--" with an empty one, and becomes the command after it.
const hide = `while [ "$1" != -- ]; do mount -t tmpfs -o mode=0700 tmpfs "$1" || exit 1; shift; done; shift; exec "$@"`

func (s *Spawner) spawn(order spawn.Order) error {
	folder := s.Exchange.Folder(order.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(folder, shim.LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	told, err := s.order(order)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	var started *spare.Process
	if len(s.Empty) == 0 {
		defer s.Spares.Refill()
		told.Folder = folder // a spare has no log yet
		started = s.Spares.Give(told)
	}
	if started == nil {
		told.Folder = ""
		started, err = s.fresh(told, log)
	}
	if err = errors.Join(err, log.Close()); started == nil {
		return err
	}
	s.adopt(order.ID, started)
	return err
}

// order is what a worker is told.
func (s *Spawner) order(order spawn.Order) (shim.Order, error) {
	far, err := json.Marshal(wire.Order{
		URL: s.URL(), Token: s.Token(order.ID), Dir: s.Dir, Resources: s.Resources, Masked: s.Masked, Checkpoint: s.Checkpoint,
	})
	return shim.Order{Env: order.Env, Exchange: far}, err
}

// fresh starts a worker for an order.
func (s *Spawner) fresh(order shim.Order, log *os.File) (*spare.Process, error) {
	argv := s.Worker
	if len(s.Empty) > 0 {
		argv = append([]string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"}, s.Empty...)
		argv = append(append(argv, "--"), s.Worker...)
	}
	return spare.Begin(argv, log, order)
}

// adopt notes a worker until it is forgotten.
func (s *Spawner) adopt(id spawn.ID, started *spare.Process) {
	idle := make(chan struct{})
	own := &child{idle: idle, ended: started.Ended, late: func() bool { return started.Code() == wire.ExitClaimed }}
	s.mu.Lock()
	s.children[id] = own
	s.mu.Unlock()
	go func() {
		if n, _ := started.Word.Read(make([]byte, 1)); n > 0 {
			close(idle)
		}
		<-started.Ended
		_ = started.Word.Close() // it has said everything
	}()
}

func (s *Spawner) child(id spawn.ID) *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.children[id]
}

// Probe implements spawn.Spawner.
func (s *Spawner) Probe(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	status, _, err := s.probe(ctx, id)
	return status, err
}

// probe also returns what is closed when an own child ends.
func (s *Spawner) probe(ctx context.Context, id spawn.ID) (spawn.Status, <-chan struct{}, error) {
	own := s.child(id)
	alive := own != nil && own.alive() // asked first: one that ends in between has said everything by then
	status, err := s.Exchange.Status(ctx, id)
	switch {
	case err != nil:
		return "", nil, err
	case status == spawn.Absent && alive:
		return spawn.Starting, own.ended, nil
	case status == spawn.Running && alive:
		return status, own.ended, nil
	case status == spawn.Running && own != nil && !own.late():
		return spawn.Lost, nil, nil
	case status == spawn.Exited && own != nil && !alive:
		s.forget(id, own)
	}
	return status, nil, nil
}

// forget drops a worker that has ended, and about whose attempt nobody asks its process any more.
func (s *Spawner) forget(id spawn.ID, own *child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.children[id] == own {
		delete(s.children, id)
	}
}

// Kill implements spawn.Spawner.
func (s *Spawner) Kill(ctx context.Context, id spawn.ID) error { return s.Exchange.Cancel(ctx, id) }

// Wait implements spawn.Spawner.
func (s *Spawner) Wait(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	return s.Exchange.Wait(ctx, id, func() (spawn.Status, <-chan struct{}, error) { return s.probe(ctx, id) })
}

// Idle implements spawn.Spawner. Only a child of this process is heard.
func (s *Spawner) Idle(id spawn.ID) <-chan struct{} {
	if own := s.child(id); own != nil {
		return own.idle
	}
	return nil
}

// Salvage implements spawn.Spawner: what has arrived of a lost attempt is what there is.
func (s *Spawner) Salvage(ctx context.Context, id spawn.ID) error {
	status, err := s.Probe(ctx, id)
	if err != nil || status != spawn.Lost {
		return err
	}
	return s.Exchange.GiveUp(ctx, id)
}

// Living counts the workers that this spawner started and that have not ended.
func (s *Spawner) Living() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.children {
		if c.alive() {
			n++
		}
	}
	return n
}

// Drain waits until every worker that this spawner started has ended. It ends none of them but a spare.
func (s *Spawner) Drain(ctx context.Context) error {
	var all []<-chan struct{}
	if ended := s.Spares.Close(); ended != nil {
		all = append(all, ended)
	}
	s.mu.Lock()
	for _, c := range s.children {
		all = append(all, c.ended)
	}
	s.mu.Unlock()
	for _, ended := range all {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for workers to end: %w", ctx.Err())
		case <-ended:
		}
	}
	return nil
}
