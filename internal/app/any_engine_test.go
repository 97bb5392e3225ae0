package app_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAnyEngineShowsARun: an engine that never owned the project follows the run, and shows its diff, what its agent said and
// its output, after the owner has tidied up.
func TestAnyEngineShowsARun(t *testing.T) { stores(t, testAnyEngineShowsARun) }

func testAnyEngineShowsARun(t *testing.T, database string) {
	shared := t.TempDir()
	dir := repository(t, map[string]string{".stellwerk/playbooks/far.yaml": `
name: far
kind: phases
agents: {c: {use: command, run: ["sh", "-c", "echo I was here; echo done > hello.txt"]}}
roles: {dev: {agent: c, prompt: work}}
phases:
  - id: build
    role: dev
    done:
      - changed: "*.txt"
  - id: publish
    act: pull-request
`})
	ctx := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")})
	var engines []*app.App
	for range 2 {
		a, err := app.Open(t.Context(), app.Options{
			State: t.TempDir(), Version: "test", Database: database, Objects: filepath.Join(shared, "blobs"),
			Lease: 10 * time.Second, Look: 50 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}()
		engines = append(engines, a)
	}
	owner, other := engines[0].Service, engines[1].Service
	run, err := owner.StartRun(ctx, api.StartRun{Dir: dir, Goal: "one", Playbook: "far", Isolation: "none", Trust: true, Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	var last core.Type
	if err := other.Follow(ctx, run.ID, 0, func(e core.Event) error { last = e.Type; return nil }); err != nil || last != core.TypeRunCompleted {
		t.Fatalf("it followed to %s, %v", last, err)
	}
	said, err := other.Transcript(ctx, run.ID, "build.r1.a1", api.TranscriptQuery{})
	if err != nil || len(said.Records) == 0 || !said.Done {
		t.Errorf("it shows of the transcript %+v, %v", said, err)
	}
	out, err := other.Output(ctx, run.ID, "build.r1.a1", 0)
	if err != nil || len(out.Records) == 0 {
		t.Errorf("it shows of the output %+v, %v", out, err)
	}
	var diff strings.Builder
	if err := other.Diff(ctx, run.ID, api.DiffQuery{}, &diff); err != nil || !strings.Contains(diff.String(), "hello.txt") {
		t.Errorf("it shows the diff %q, %v", diff.String(), err)
	}
}
