package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// TestMain lets the test binary be the program that runs beside agents: the
// engine copies and starts it as it would the real one.
func TestMain(m *testing.M) {
	worker.Intercept()
	wall.Intercept()
	if len(os.Args) > 2 && slices.Contains([]string{"worker", "scripted-agent", "serve", "host", "apart", "member"}, os.Args[1]) {
		os.Exit(program(os.Args[1:]))
	}
	code := m.Run()
	s3test.Stop()
	pgtest.Stop()
	os.Exit(code)
}

func program(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	var code int
	switch strings.Join(args[:2], " ") {
	case "serve --state":
		err = app.Serve(ctx, app.Options{State: args[2]})
	case "host --state":
		err = hosted(ctx, args[2])
	case "apart --state":
		err = app.Serve(ctx, apartOptions(args[2], args[3], args[4], args[5]))
	case "member --state":
		err = app.Serve(ctx, memberOptions(args[2], args[3], args[4]))
	case "worker await":
		err = worker.Await(ctx, args[2])
	case "worker shell":
		code, err = worker.AttemptShell(args[2], args[3])
	case "worker look":
		code, err = worker.LookShell(args[3], args[4], args[5], args[6])
	default:
		return worker.ScriptedAgent(ctx, args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// hosted is a command that is its own engine, and waits for something.
func hosted(ctx context.Context, state string) error {
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	_, end, err := app.Connect(ctx, app.Options{State: state, Lost: lost})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return end()
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "config", "user.name", "Test")
	git(t, dir, "config", "user.email", "test@example.org")
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

const playbookText = `
name: tiny
kind: phases
agents: {s: {use: scripted, scenario: scenario.yaml}}
roles: {dev: {agent: s, prompt: work}}
phases:
  - id: build
    role: dev
    outputs: [build.md]
    done:
      - changed: "*.txt"
      - command: test -f hello.txt
  - id: publish
    act: pull-request
    gate: approval
`

const scenarioText = `
attempts:
  - task: build
    attempt: 1
    do:
      - say: "I am done."
      - lie: "Done."
  - task: build
    do:
      - write: {path: hello.txt, content: "hi\n"}
      - write: {path: "out:build.md", content: "did it\n"}
`

func TestRunReachesAPullRequest(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{
		"README.md": "x\n", "scenario.yaml": scenarioText, ".stellwerk/playbooks/tiny.yaml": playbookText,
	})
	ctx := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")})
	state := stateFolder(t)
	a, err := app.Open(ctx, app.Options{State: state, Version: "test", Log: t.Output(), Verbose: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	run, err := a.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: "say hello", Playbook: "tiny", Trust: true, Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, waittest.Limit)
	defer cancel()
	if err := a.Service.Follow(ctx, run.ID, 0, func(e core.Event) error {
		t.Logf("%d %s %s %.300s", e.Seq, e.Actor.Kind, e.Type, e.Body)
		if e.Type == core.TypeRunPaused {
			return fmt.Errorf("paused: %s", e.Body)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "show", run.Branch+":hello.txt"); got != "hi" {
		t.Fatalf("the branch has %q", got)
	}
	// The list of projects counts the tasks of a run that drives none, too.
	if list, err := a.Service.Projects(ctx, api.ProjectQuery{}); err != nil || len(list) != 1 || list[0].Tasks == 0 || list[0].CompletedTasks != list[0].Tasks || !list[0].LastActivity.After(run.StartedAt) {
		t.Errorf("%+v, %v", list, err)
	}
	readsBackAndForth(ctx, t, a, run.ID)
	readsWhatWasPruned(ctx, t, a, run.ID, filepath.Join(state, "attempts", run.ID))
	detail, err := a.Service.Run(ctx, run.ID)
	if err != nil {
		t.Fatal(err)
	}
	showsOneHugeTranscript(ctx, t, a, run.ID, filepath.Join(detail.Folder, "transcripts", "build.r1.a1.jsonl"))
}

// showsOneHugeTranscript looks at a transcript of 100 MB in the cockpit: the page
// stays one that a browser can show, and takes no more memory than it must.
func showsOneHugeTranscript(ctx context.Context, t *testing.T, a *app.App, run, transcript string) {
	t.Helper()
	pages, err := cockpit.New(a.Service, cockpit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(transcript, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	entry := shim.Entry{N: 1000, At: time.Now(), Record: agent.Record{Kind: agent.KindText, Text: strings.Repeat("so it went on, ", 7000)}}
	for range 1000 {
		entry.N++
		line, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	// Tests beside this one take memory as well, which can only add to what is
	// counted: one look in bounds is proof, and several are tried for it.
	const mb, looks = 1 << 20, 20
	least := uint64(math.MaxUint64)
	for range looks {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/runs/"+run+"/attempts/build.r1.a1/transcript", nil))
		runtime.ReadMemStats(&after)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "so it went on") || w.Body.Len() > 4*mb {
			t.Fatalf("%d, %d bytes: %.300s", w.Code, w.Body.Len(), w.Body)
		}
		if least = min(least, after.TotalAlloc-before.TotalAlloc); least <= 100*mb {
			return
		}
	}
	t.Errorf("a page takes %d MB", least/mb)
}

// readsWhatWasPruned reads what the first attempt said after its folder is gone:
// the run's own has it.
func readsWhatWasPruned(ctx context.Context, t *testing.T, a *app.App, run, attempts string) {
	t.Helper()
	const attempt = "build.r1.a1"
	before, err := a.Service.Output(ctx, run, attempt, 0)
	if err != nil || len(before.Records) < 2 {
		t.Fatalf("%+v, %v", before, err)
	}
	if err := os.RemoveAll(attempts); err != nil {
		t.Fatal(err)
	}
	after, err := a.Service.Output(ctx, run, attempt, 0)
	if err != nil || !reflect.DeepEqual(after.Records, before.Records) {
		t.Errorf("its output, pruned: %+v, %v\nbefore: %+v", after, err, before)
	}
	if end, err := a.Service.Output(ctx, run, attempt, after.Next); err != nil || !end.Done || len(end.Records) > 0 {
		t.Errorf("after its end: %+v, %v", end, err)
	}
	if _, err := a.Service.Output(ctx, run, "build.r1.a9", 0); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an attempt that there was not: %v", err)
	}
	readsBackAndForth(ctx, t, a, run)
}

// readsBackAndForth reads what the first attempt said, record by record.
func readsBackAndForth(ctx context.Context, t *testing.T, a *app.App, run string) {
	t.Helper()
	const attempt = "build.r1.a1"
	newest, err := a.Service.Transcript(ctx, run, attempt, api.TranscriptQuery{})
	if err != nil || !newest.Done || newest.Begin != 0 || len(newest.Records) < 2 || newest.Records[0].Text != "I am done." {
		t.Fatalf("the newest: %+v, %v", newest, err)
	}
	last, err := a.Service.Transcript(ctx, run, attempt, api.TranscriptQuery{Limit: 1})
	if err != nil || len(last.Records) != 1 || last.Records[0].N != int64(len(newest.Records)) || last.Begin == 0 {
		t.Fatalf("the last: %+v, %v", last, err)
	}
	again, err := a.Service.Transcript(ctx, run, attempt, api.TranscriptQuery{At: last.Begin, Forward: true})
	if err != nil || again.Done || len(again.Records) != 1 || again.End != newest.End {
		t.Fatalf("from there on: %+v, %v", again, err)
	}
	after, err := a.Service.Transcript(ctx, run, attempt, api.TranscriptQuery{At: again.End, Forward: true})
	if err != nil || !after.Done || len(after.Records) != 0 {
		t.Fatalf("after the end: %+v, %v", after, err)
	}
	for _, q := range []api.TranscriptQuery{{At: 3}, {At: 1 << 40, Forward: true}} {
		if _, err := a.Service.Transcript(ctx, run, attempt, q); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, name := range []string{"build.r1.a9", "../" + attempt, "", "."} {
		if _, err := a.Service.Transcript(ctx, run, name, api.TranscriptQuery{}); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
}
