package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/journal"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
)

const (
	surfRun = "0199a000-0000-7000-8000-000000000001"
	howLong = "How long does a guest's cart live?"
)

// surfStory is a run in waves that is driven by law, decider and fold, and kept in
// a run folder as an engine keeps it.
type surfStory struct {
	t       *testing.T
	keep    *journal.Journal
	objects object.Objects
	run     *core.Run
	head    core.Head
	now     time.Time
}

func newSurfStory(t *testing.T, state, repository string) *surfStory {
	t.Helper()
	objects, err := folder.Open(filepath.Join(state, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	s := &surfStory{t: t, objects: objects, keep: journal.New(filepath.Join(state, "runs"), objects, slog.New(slog.DiscardHandler)), now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	out, err := exec.CommandContext(t.Context(), "git", "-C", repository, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	s.say(core.Person("ada"), core.RunStarted{
		Run: surfRun, Alias: "calm-fox", Project: find.New(nil, nil, "").ProjectID(repository), Goal: "A cart that stays.", Title: "A cart that stays", Limits: core.DefaultLimits(),
		Base: "main", BaseCommit: strings.TrimSpace(string(out)), Branch: "feature/cart", Remote: repository, Forge: "local", Isolation: "none",
		Identity: core.Identity{Name: "Ada", Email: "ada@example.org"},
		Playbook: core.Playbook{
			Name: "research", Kind: "waves", Roles: map[string]core.Role{"planner": {Prompt: "Plan."}, "analyst": {Prompt: "Look."}},
			Project: &core.Management{
				Roles: map[core.TaskKind]string{core.KindWave: "planner"}, Attempts: 3, Rounds: 1, Timeout: time.Hour,
				Waves: &core.WaveRules{Writes: core.WritesArtifacts, Waves: 9, Delegations: 9},
			},
		},
	})
	return s
}

func (s *surfStory) add(actor core.Actor, body core.Body) {
	s.t.Helper()
	if err := core.Law(s.run, actor, body); err != nil {
		s.t.Fatalf("%T: %v", body, err)
	}
	s.now = s.now.Add(time.Second)
	e, head, err := core.Seal(core.RunStream(surfRun), s.head, s.now, actor, "", body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.run, s.head = core.FoldBody(s.run.Clone(), e, body), head
	if err := s.keep.Append(s.t.Context(), s.run, []core.Event{e}, core.Bodies{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *surfStory) say(actor core.Actor, body core.Body) {
	s.t.Helper()
	s.add(actor, body)
	for {
		bodies := core.Decide(s.run, waves.Decider{})
		if len(bodies) == 0 {
			return
		}
		for _, b := range bodies {
			s.add(core.ActorFor(s.run, waves.Decider{}, b), b)
		}
	}
}

// tell carries the run to its end, with what its agents hand in.
func (s *surfStory) tell() {
	s.t.Helper()
	for range 200 {
		effects := core.Effects(s.run)
		if len(effects) == 0 {
			return
		}
		switch a := effects[0].(type) {
		case core.StartAttempt:
			s.say(core.Engine(), core.AttemptStarted{Attempt: a.Attempt, Agent: "command", Spawner: "local", Isolation: "none"})
		case core.WatchAttempt:
			s.say(core.Engine(), s.ended(a.Attempt))
		case core.Verify:
			s.say(core.Engine(), s.verified(a))
		case core.Notify:
			s.say(core.Engine(), core.PersonNotified(a))
		case core.MoveBranch:
			s.say(core.Engine(), core.BranchMoved(a))
		case core.Sweep:
			s.say(core.Engine(), core.RunSwept{})
		default:
			s.t.Fatalf("nothing is known of %T", a)
		}
	}
	s.t.Fatal("the run does not end")
}

// ended hands in a text for each document that a task asks for.
func (s *surfStory) ended(attempt string) core.AttemptExited {
	s.t.Helper()
	stage, task, _ := s.run.Attempt(attempt)
	delivery, place := &core.Delivery{}, stage.ID
	if task.Name != "" {
		place += "." + task.Name // as the dispatcher has it
	}
	for _, name := range task.Outputs {
		content := fmt.Sprintf("%s of %s\n", name, attempt)
		digest, size, err := s.objects.Put(s.t.Context(), strings.NewReader(content), 0)
		if err = errors.Join(err, s.keep.Artifact(surfRun, place, stage.Round, name, []byte(content))); err != nil {
			s.t.Fatal(err)
		}
		delivery.Artifacts = append(delivery.Artifacts, core.Artifact{Name: name, Digest: digest, Size: size})
	}
	return core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Duration: time.Minute, Delivery: delivery}
}

// verified is what a planner decided or a worker answered. Of the two delegations
// of the first wave one is blocked until a person answers, in the second.
func (s *surfStory) verified(a core.Verify) core.VerifyConcluded {
	_, task, _ := s.run.Attempt(a.Attempt)
	body := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: true, Duration: time.Second}
	brief := func(id string) core.Brief {
		return core.Brief{ID: id, Agent: "analyst", Task: "Look at " + id + ".", Criteria: []core.Criterion{{Text: "It was looked at"}}, Outputs: []string{id + ".md"}}
	}
	switch {
	case task.Kind != core.KindWave:
		body.Output = s.answered(task.Stage)
	case s.run.Waves.N == 0:
		body.Decision = &core.PlannerDecision{Decision: core.CourseContinue, Reason: "Two things.", Delegations: []core.Brief{brief("schema"), brief("cart")}}
	case s.run.Waves.N == 1:
		body.Decision = &core.PlannerDecision{Decision: core.CourseContinue, Reason: "One more.", Delegations: []core.Brief{brief("load")}}
		body.Decision.Answers = []core.Answering{{Question: s.run.QuestionID("Are the views of interest?"), Answer: "No.", Sources: []string{"d1"}}}
	default:
		body.Decision = &core.PlannerDecision{Decision: core.CourseFinish, Reason: "It is all there.", Facts: []core.Claimed{{Key: "cart.guests", Content: "none"}}}
	}
	return body
}

func (s *surfStory) answered(stage string) *core.WorkerOutput {
	out := &core.WorkerOutput{
		Status: core.OutputCompleted, Compact: "What " + stage + " is like.", Coverage: core.Coverage{Met: []string{"It was looked at"}},
		Facts: []core.Claimed{{Key: stage + ".size", Content: "small"}}, Assumptions: []core.Claimed{{Key: "cart.guests", Content: "as in " + stage}},
	}
	switch {
	case stage == "schema":
		out.Optional = []core.Asked{{Text: "Are the views of interest?"}}
	case stage == "cart" && s.run.Answered(s.run.QuestionID(howLong)) == nil:
		out.Status, out.Blocking, out.Coverage = core.OutputBlocked, []core.Asked{{Text: howLong, About: "cart.life"}}, core.Coverage{Unmet: []string{"It was looked at"}}
	case stage == "load":
		s.say(core.Person("ada"), core.QuestionAnswered{ID: s.run.QuestionID(howLong), Text: "30 <days> & no more."})
	}
	return out
}

// contents are the files of a folder by their names.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func shop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := `git init -q -b main && git config user.name Ada && git config user.email ada@example.org && git commit -q --allow-empty -m first`
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestARunInWavesIsRebuiltFromItsFolder: what was kept while a run in waves went on
// is, file for file and byte for byte, what follows from its manifest and its
// artifacts.
func TestARunInWavesIsRebuiltFromItsFolder(t *testing.T) {
	repository, state := shop(t), t.TempDir()
	s := newSurfStory(t, state, repository)
	s.tell()
	s.keep.Close()
	if s.run.Status != core.StatusCompleted || s.run.Waves.N != 2 {
		t.Fatalf("the run is %s in wave %d: %s", s.run.Status, s.run.Waves.N, s.run.Waits())
	}
	folder := filepath.Join(state, "runs", surfRun)
	want := contents(t, folder)
	for _, name := range []string{
		"manifest.jsonl", "metrics.jsonl", "workflow-state.json", "pool.json", "inbox.jsonl", "answers.jsonl", "waves/wave_01_compact.md", "waves/wave_01_detailed.md",
		"waves/wave_02_compact.md", "waves/wave_02_detailed.md", "artifacts/schema.r1/schema.md", "artifacts/latest/worker_output.json",
	} {
		if want[name] == "" {
			t.Errorf("there is no %s, or nothing in it", name)
		}
	}
	if n := strings.Count(want["inbox.jsonl"], "\n"); n != 2 {
		t.Errorf("inbox.jsonl has %d lines:\n%s", n, want["inbox.jsonl"])
	}
	if n := strings.Count(want["answers.jsonl"], "\n"); n != 2 || !strings.Contains(want["answers.jsonl"], `"by":"planner"`) || !strings.Contains(want["answers.jsonl"], `"by":"person"`) {
		t.Errorf("answers.jsonl has %d lines:\n%s", n, want["answers.jsonl"])
	}
	if !json.Valid([]byte(want["pool.json"])) {
		t.Errorf("pool.json: %s", want["pool.json"])
	}

	other := t.TempDir()
	ctx := api.WithCaller(context.Background(), api.Caller{Actor: core.Person("ada")})
	app, err := Open(ctx, Options{State: other, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.Service.Import(ctx, api.Import{Folder: folder, Trust: true})
	if err == nil {
		fetchAll(ctx, t, app)
		wantRows(ctx, t, app)
	}
	if err := errors.Join(err, app.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, filepath.Join(other, "runs", surfRun))); diff != "" {
		t.Errorf("the folders differ (-kept +rebuilt):\n%s", diff)
	}
}

// wantRows reads the rebuilt table of tasks: the planner's are the engine's wish,
// the others the planner's.
func wantRows(ctx context.Context, t *testing.T, app *App) {
	t.Helper()
	rows, err := app.store.Tasks(ctx, surfRun)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, row := range rows {
		if row.Prompt == "" || row.RepoURL == "" || row.CreatedAt.IsZero() || row.Status == "completed" && len(row.Result) == 0 {
			t.Errorf("%+v", row)
		}
		said[strings.TrimPrefix(row.ID, surfRun+"/")] = row.CreatedBy + " for " + row.Addressee
	}
	for task, want := range map[string]string{
		"planner.r1": "engine for planner-" + surfRun, "planner.r3": "engine for planner-" + surfRun,
		"schema.r1": "planner-" + surfRun + " for worker-code-981847fe-8e97-8fd1-830f-de8c6d22028f",
	} {
		if said[task] != want {
			t.Errorf("%s: %q, not %q", task, said[task], want)
		}
	}
}

// fetchAll reads details of the rebuilt run as a person does.
func fetchAll(ctx context.Context, t *testing.T, app *App) {
	t.Helper()
	index, err := app.Service.Details(ctx, surfRun)
	if err != nil || len(index.Details) < 6 || len(index.Waves) != 4 || len(index.Answers) != 2 {
		t.Errorf("%+v, %v", index, err)
	}
	for _, d := range index.Details { // also what a delegation handed in before it was blocked
		if _, err := app.Service.Detail(ctx, surfRun, api.FetchDetail{Name: d.ID}); err != nil {
			t.Errorf("%s: %v", d.ID, err)
		}
	}
	for name, want := range map[string]string{
		"schema.md": "schema.md of schema.r1.a1\n", "detail:load.md": "load.md of load.r1.a1\n", "cart": "worker_output.json of cart.r1.again2.a1\n",
		"wave_02_detailed.md": "wave_detailed.md of planner.r3.a1\n", index.Answers[0].Question: "Are the views of interest?\n\nNo.\n",
	} {
		got, err := app.Service.Detail(ctx, surfRun, api.FetchDetail{Name: name})
		if err != nil || got.Content != want || got.Size != int64(len(want)) || got.Next != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := app.Service.Detail(ctx, surfRun, api.FetchDetail{Name: "d99"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("what is not there: %v", err)
	}
}
