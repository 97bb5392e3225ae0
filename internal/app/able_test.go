package app_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
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
	if !waittest.Until(func() bool { return saysStranded(ctx, t, second, run.ID, robot) }) {
		t.Error("lists, inbox and run do not say that no engine can work on the run")
	}
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
	if saysStranded(ctx, t, third, run.ID, "") {
		t.Error("the run still says that no engine can work on it")
	}
	if err := third.Close(); err != nil || !atGate {
		t.Errorf("the run came to its gate: %t, %v", atGate, err)
	}
}

// saysStranded reports that the run, the project, the lists and the inbox all say why no engine can work on a run.
func saysStranded(ctx context.Context, t *testing.T, a *app.App, run, why string) bool {
	t.Helper()
	detail, err := a.Service.Run(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	list, err := a.Service.Runs(ctx, api.RunQuery{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	inbox, err := a.Service.Inbox(ctx)
	if err != nil {
		t.Fatal(err)
	}
	told := slices.ContainsFunc(inbox, func(w api.Waiting) bool {
		return w.Kind == api.WaitStranded && strings.Contains(w.Reason, why) && w.Next != "" && w.Project != ""
	})
	projects, err := a.Service.Projects(ctx, api.ProjectQuery{})
	if err != nil || len(projects) != 1 {
		t.Fatalf("%+v, %v", projects, err)
	}
	project, err := a.Service.Project(ctx, projects[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	told = told && projects[0].State == api.ProjectStranded && projects[0].Reason == detail.Stranded && project.State == api.ProjectStranded
	return told && detail.Stranded != "" && strings.Contains(detail.Stranded, why) && list[0].Stranded == detail.Stranded
}
