package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// attemptFor is the most time that an attempt of a figure may take.
const attemptFor = 10 * time.Minute

// modelSecret is where the worker finds modelKey, the credential of the figures' model.
const (
	modelSecret = "ANTHROPIC_API_KEY"
	modelKey    = "sk-ant-api03-a-key-that-no-provider-has-given-out"
)

// benchOwner is whose groups those of the figures' attempts are.
const benchOwner = "stellwerk-bench"

// walls are what stands around an attempt. The zero value is a sandbox with the machine's network, its own credentials and
// no limits.
type walls struct {
	closed bool     // a network of its own, with a gateway
	hosts  []string // that it leads to, all of them at 127.0.0.2
	model  string   // where the broker finds the model, "" for no broker
	bound  bool     // limits of memory, processes, processor and disk
}

// openAttempt makes the folder of an attempt and a folder that agent and figure share. The agent is a command.
func openAttempt(shop *workshop, w walls, command func(shared string) []string) (folder, shared string, err error) {
	dir, err := shop.folder("attempt")
	if err != nil {
		return "", "", err
	}
	folder, shared = filepath.Join(dir, "a1"), filepath.Join(dir, "shared")
	work, prompt := filepath.Join(dir, "work"), filepath.Join(folder, "prompt.md")
	for _, d := range []string{folder, shared, work} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return "", "", err
		}
	}
	if err := os.WriteFile(prompt, []byte("Work.\n"), 0o600); err != nil {
		return "", "", err
	}
	spec := shim.Spec{
		Project: "bench", Run: "r1", Task: "t1", Attempt: "a1", Agent: agent.Command, Writes: core.WritesArtifacts,
		Job:       agent.Job{Dir: work, Prompt: prompt, Command: command(shared)},
		Isolation: sandbox.Sandbox, Timeout: shim.Duration(attemptFor), Writable: []string{shared}, Private: []string{}, Bubblewrap: sandbox.FindBubblewrap(),
	}
	if err := w.around(&spec, folder, dir); err != nil {
		return "", "", err
	}
	return folder, shared, shim.WriteSpec(folder, spec)
}

// around puts the walls into a spec, as the dispatcher does.
func (w walls) around(spec *shim.Spec, folder, dir string) error {
	spec.Network.Open = !w.closed
	for _, host := range w.hosts {
		spec.Network.Allow = append(spec.Network.Allow, host)
		spec.Network.Private = append(spec.Network.Private, host+"=127.0.0.2")
	}
	if w.bound {
		limits := resource.Limits{Memory: 4 << 30, Processes: 4096, CPU: 2, Disk: 8 << 30}
		spec.Resources = shim.Resources{Limits: limits, Total: limits, Owner: benchOwner, Shared: filepath.Join(dir, "resources")}
	}
	if w.model == "" {
		return nil
	}
	spec.Model = &shim.Model{Provider: "anthropic", Upstream: w.model, Kind: broker.APIKey, Secret: modelSecret}
	return ledger.WriteGrant(folder, ledger.Grant{Amount: ledger.Amount{USD: 1e6, Tokens: 1e12}})
}

// worker is the real program, about to carry out an attempt.
func worker(ctx context.Context, shop *workshop, folder string) (*exec.Cmd, error) {
	program, err := shop.worker(ctx)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "worker", "run", folder)
	cmd.Env = append(shim.HostEnvironment(os.Environ()), modelSecret+"="+modelKey)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout, cmd.Stderr = shop.log, shop.log
	return cmd, nil
}

// ended says how an attempt went.
func ended(folder string) error {
	exit, err := shim.ReadExit(folder)
	if err != nil {
		return err
	}
	if exit.Reason != shim.ReasonExited || exit.ExitCode != 0 {
		return fmt.Errorf("the attempt ended as %s with %d: %s %s", exit.Reason, exit.ExitCode, exit.Detail, exit.Outcome.Summary)
	}
	return nil
}

// insider is a client in a sandbox that does what it is asked.
type insider struct {
	folder      string
	asked, told *os.File
	orders      *json.Encoder
	reports     *json.Decoder
	hangUp      func() error // closes asked, once
	over        chan error
}

// order and report are what the client speaks; see bench/inside.
type order struct {
	Host   string
	TLS    bool
	Bytes  int64
	Model  string
	Query  string
	Prompt int
}

type report struct {
	First, All time.Duration
	Error      string
}

// openInsider starts a client behind walls.
func openInsider(ctx context.Context, shop *workshop, w walls) (*insider, error) {
	client, err := shop.build(ctx, "inside", "github.com/stellwerk-dev/stellwerk/bench/inside")
	if err != nil {
		return nil, err
	}
	pipes := func(shared string) (string, string) {
		return filepath.Join(shared, "asked"), filepath.Join(shared, "told")
	}
	folder, shared, err := openAttempt(shop, w, func(shared string) []string {
		asked, told := pipes(shared)
		return []string{client, asked, told}
	})
	if err != nil {
		return nil, err
	}
	i := &insider{folder: folder, over: make(chan error, 1)}
	asked, told := pipes(shared)
	if i.asked, err = openPipe(asked); err != nil {
		return nil, err
	}
	if i.told, err = openPipe(told); err != nil {
		return nil, errors.Join(err, i.asked.Close())
	}
	i.orders, i.reports = json.NewEncoder(i.asked), json.NewDecoder(i.told)
	i.hangUp = sync.OnceValue(i.asked.Close)
	cmd, err := worker(ctx, shop, folder)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, i.hangUp(), i.told.Close())
	}
	go func() {
		err := errors.Join(cmd.Wait(), ended(folder))
		i.over <- errors.Join(err, i.hangUp(), i.told.Close()) // whoever waits for a report learns that none comes
	}()
	return i, nil
}

// openPipe makes a named pipe. It is open for both directions, so that opening it waits for nobody.
func openPipe(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
}

// do has the client do something.
func (i *insider) do(o order) (report, error) {
	var r report
	if err := i.orders.Encode(o); err != nil {
		return r, err
	}
	if err := i.reports.Decode(&r); err != nil {
		return r, fmt.Errorf("the client in the sandbox says nothing: %w", err)
	}
	if r.Error != "" {
		return r, errors.New("the client in the sandbox: " + r.Error)
	}
	return r, nil
}

// close lets the client end, and says how its attempt went.
func (i *insider) close() error {
	return errors.Join(i.hangUp(), <-i.over)
}
