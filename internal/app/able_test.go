package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// heard is a log that is read while it is written.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) has(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(h.text.String(), text)
}

// TestAnEngineLeavesAProjectWhoseAgentItLacks to others, and says why. One that has the agent takes it.
func TestAnEngineLeavesAProjectWhoseAgentItLacks(t *testing.T) {
	shared, robot := t.TempDir(), filepath.Join(t.TempDir(), "robot")
	if err := os.WriteFile(robot, []byte("#!/bin/sh\necho done > hello.txt\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir := repository(t, map[string]string{".stellwerk/playbooks/far.yaml": `
name: far
kind: phases
agents: {c: {use: command, run: ["` + robot + `"]}}
roles: {dev: {agent: c, prompt: work}}
phases:
  - id: build
    role: dev
    gate: approval
    done:
      - changed: "*.txt"
`})
	log := &heard{}
	options := func(state string) app.Options {
		return app.Options{
			State: state, Version: "test", Log: log, Database: filepath.Join(shared, "stellwerk.db"), Objects: filepath.Join(shared, "blobs"),
			Lease: time.Second, Look: 50 * time.Millisecond,
		}
	}
	ctx := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")})
	first, err := app.Open(t.Context(), options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	run, err := first.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: "one", Playbook: "far", Isolation: "none", Trust: true})
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(robot, robot+".away"); err != nil {
		t.Fatal(err)
	}
	second, err := app.Open(t.Context(), options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	left := waittest.Until(func() bool { return log.has("a project is left to other engines") && log.has(robot) })
	if err := second.Close(); err != nil || !left {
		t.Fatalf("it was left to others: %t, %v", left, err)
	}
	if err := os.Rename(robot+".away", robot); err != nil {
		t.Fatal(err)
	}
	third, err := app.Open(t.Context(), options(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	atGate := waittest.Until(func() bool {
		detail, err := third.Service.Run(ctx, run.ID)
		return err == nil && detail.Gate != nil
	})
	if err := third.Close(); err != nil || !atGate {
		t.Errorf("the run came to its gate: %t, %v", atGate, err)
	}
}
