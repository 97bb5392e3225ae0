package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/folder"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	objectfolder "github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

const hiddenWord = "hunter2"

type discreet struct{}

func (discreet) String(s string) string { return strings.ReplaceAll(s, hiddenWord, "[redacted]") }
func (discreet) Thread() *redact.Thread {
	return redact.New(redact.Options{Rules: redact.NewRuleSet(nil)}).Thread()
}

func (discreet) Bytes(b []byte) []byte {
	return bytes.ReplaceAll(b, []byte(hiddenWord), []byte("[redacted]"))
}

// surf is a run in waves with a worker's attempt, its yard and its objects.
type surf struct {
	*Dispatcher
	run    *core.Run
	commit string
}

// here exchanges with attempts on this machine.
func here(state string) exchange.Exchange {
	return folder.Exchange{Folder: Layout{State: state}.Folder}
}

func newSurf(t *testing.T) *surf {
	t.Helper()
	dir := t.TempDir()
	base := sh(t, dir, `git init -q -b main person && cd person && git config user.name A && git config user.email a@example.org
		echo one >old.txt && echo same >kept.txt && git add . && git commit -q -m first && git rev-parse HEAD`)
	commit := sh(t, filepath.Join(dir, "person"), `git mv old.txt new.txt && echo two >more.txt && git add . && git commit -q -m work && git rev-parse HEAD`)
	y, err := yard.Open(t.Context(), filepath.Join(dir, "yard.git"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.Close() })
	if err := y.Fetch(t.Context(), filepath.Join(dir, "person")); err != nil {
		t.Fatal(err)
	}
	objects, err := objectfolder.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	s := &surf{commit: commit, Dispatcher: New(nil, Options{
		Commands: local.New(local.Options{}),
		Layout:   Layout{State: dir}, Exchange: here(dir), Yards: oneYard{y}, Objects: objects, Log: slog.New(slog.DiscardHandler), Redactors: func([]string) Redactor { return discreet{} },
	})}
	t.Cleanup(s.Close)
	task := &core.Task{ID: "api.r1", Stage: "api", Role: "developer", Writes: core.WritesCode, Limit: 3, Outputs: []string{core.OutputArtifact}, Attempts: []*core.Attempt{{ID: "api.r1.a1", N: 1, Base: base}}}
	plan := &core.Task{ID: "planner.r2", Stage: core.PlannerStage, Kind: core.KindWave, Role: "planner", Limit: 3, Attempts: []*core.Attempt{{ID: "planner.r2.a1", N: 1, Base: base}}}
	s.run = &core.Run{
		ID: "run-1", Alias: "brisk-otter", Goal: "A cart.", Branch: "feature/x", Base: "main", BaseCommit: base, Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{
			Kind: "waves", Roles: map[string]core.Role{"developer": {Prompt: "Write."}, "planner": {Prompt: "Plan."}},
			Project: &core.Management{Roles: map[core.TaskKind]string{core.KindWave: "planner"}, Waves: &core.WaveRules{Writes: core.WritesCode, Waves: 9, Delegations: 9}},
		},
		Waves: &core.Waves{
			N: 2, Open: true,
			Works: []*core.Delegated{{
				Wave: 2, Status: core.DelegationOpen,
				Brief: core.Brief{ID: "api", Agent: "developer", Task: "Write it, not " + hiddenWord + ".", Requires: []string{"schema.md"}, Criteria: []core.Criterion{{Text: "It answers"}}},
			}},
			Documents: []core.Document{{Detail: core.Detail{ID: "d1", Title: "schema.md"}, Name: "schema.md", Digest: s.put(t, "three tables"), Wave: 1}},
			Ends:      []core.WaveEnd{{Wave: 1, Compact: s.put(t, strings.Repeat("What holds.\n", 2000))}},
		},
		Stages: []*core.Stage{
			{ID: core.PlannerStage, Round: 2, Base: base, Tasks: []*core.Task{plan}},
			{ID: "api", Round: 1, Base: base, Branch: "feature/x-api-1", Tasks: []*core.Task{task}},
		},
	}
	return s
}

func (s *surf) put(t *testing.T, content string) string {
	t.Helper()
	digest, _, err := s.Objects.Put(t.Context(), strings.NewReader(content), 0)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// layOutInputs lays out the inputs of an attempt and lists them.
func (s *surf) layOutInputs(t *testing.T, attempt string) (text string, in string, names []string) {
	t.Helper()
	stage, task, a := s.run.Attempt(attempt)
	room := attemptRoom{d: s.Dispatcher, run: s.run, stage: stage, task: task, attempt: a, folder: s.Layout.Attempt(s.run.ID, attempt)}
	if err := renew(room.in(), room.out()); err != nil {
		t.Fatal(err)
	}
	prompted, err := room.inputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(room.in(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(room.in(), path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(prompted), room.in(), names
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// stored is the content of an object.
func stored(t *testing.T, objects object.Objects, digest string) string {
	t.Helper()
	r, err := objects.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAWorkersInputs: every file that the prompt names is there, without secrets
// and without more than is to be read.
func TestAWorkersInputs(t *testing.T) {
	s := newSurf(t)
	text, in, names := s.layOutInputs(t, "api.r1.a1")
	if want := []string{"context.json", "delegation.json", "goal.md", "inputs/schema.md", "wave_01_compact.md"}; !slices.Equal(names, want) {
		t.Errorf("laid out %v, want %v", names, want)
	}
	for _, name := range names {
		if !strings.Contains(text, filepath.Join(in, name)) {
			t.Errorf("the prompt does not name %s", name)
		}
	}
	if got := content(t, filepath.Join(in, "inputs/schema.md")); got != "three tables" {
		t.Error(got)
	}
	compact := content(t, filepath.Join(in, "wave_01_compact.md"))
	if len(compact) > prompt.MaxCompact || !strings.HasSuffix(compact, "`fetch-detail wave_01_compact.md`\n") || !strings.HasPrefix(compact, "What holds.\n") {
		t.Errorf("%d bytes, ends %q", len(compact), compact[len(compact)-80:])
	}
	if strings.Contains(text+content(t, filepath.Join(in, "delegation.json")), hiddenWord) {
		t.Error("a secret is told")
	}
	var packet core.ContextPacket
	if err := json.Unmarshal([]byte(content(t, filepath.Join(in, "context.json"))), &packet); err != nil || packet.Compact != "wave_01_compact.md" || packet.Details[0].ID != "d1" {
		t.Errorf("%+v, %v", packet, err)
	}
}

func TestAPlannersInputs(t *testing.T) {
	s := newSurf(t)
	d := s.run.Waves.Works[0]
	d.Status, d.Detail, d.Answer = core.DelegationDone, "d2", &core.WorkerOutput{Status: core.OutputCompleted, Compact: "It stands.", Coverage: core.Coverage{Met: []string{d.Brief.Criteria[0].Text}}}
	s.run.Waves.Documents = append(s.run.Waves.Documents, core.Document{Detail: core.Detail{ID: "d2", Title: "api"}, Name: "api", Digest: s.put(t, `{"status":"completed"}`), Wave: 2})
	text, in, names := s.layOutInputs(t, "planner.r2.a1")
	if want := []string{"context.json", "goal.md", "outputs/api.json", "pool.json", "questions.json", "wave_01_compact.md"}; !slices.Equal(names, want) {
		t.Errorf("laid out %v, want %v", names, want)
	}
	if !strings.Contains(text, "# Close wave 2") || content(t, filepath.Join(in, "outputs/api.json")) != `{"status":"completed"}` {
		t.Error(text)
	}
}

// TestShelfOf: a delegation that is worked on again does not overwrite what it handed
// in before.
func TestShelfOf(t *testing.T) {
	s := newSurf(t)
	first, again := &core.Task{Stage: "api"}, &core.Task{Stage: "api", Name: "again2"}
	if s.run.Shelf(first) != "api" || s.run.Shelf(again) != "api.again2" || (&core.Run{}).Shelf(again) != "api" {
		t.Error(s.run.Shelf(first), s.run.Shelf(again), (&core.Run{}).Shelf(again))
	}
}

// TestReadWave: what was handed in becomes part of the verdict, with the files
// that were touched; a secret that only reading puts together is removed.
func TestReadWave(t *testing.T) {
	s := newSurf(t)
	stage, task, _ := s.run.Attempt("api.r1.a1")
	answer := `{"status":"completed","compact_md":"the word is hunter\u0032","detailed_md":"","blocking_questions":[],"optional_questions":[],
		"missing_info_requests":[],"assumptions_made":[{"content":"hunter\u0032"}],"coverage":{"criteria_met":["It answers"],"criteria_unmet":[]}}`
	delivery := &core.Delivery{Commit: s.commit, Artifacts: []core.Artifact{{Name: core.OutputArtifact, Digest: s.put(t, answer)}}}
	var body core.VerifyConcluded
	if err := s.readHandedIn(t.Context(), s.run, stage, task, delivery, &body); err != nil {
		t.Fatal(err)
	}
	if body.Output == nil || body.Output.Compact != "the word is [redacted]" || body.Output.Assumptions[0].Content != "[redacted]" || body.Output.Coverage.Met[0] != "It answers" {
		t.Errorf("%+v", body.Output)
	}
	if want := []string{"more.txt", "new.txt", "old.txt"}; !slices.Equal(body.Touched, want) {
		t.Errorf("touched %v, want %v", body.Touched, want)
	}

	stage, task, _ = s.run.Attempt("planner.r2.a1")
	delivery = &core.Delivery{Artifacts: []core.Artifact{{Name: core.DecisionArtifact, Digest: s.put(t, `{"decision":"finish","reason":"hunter\u0032 is done"}`)}}}
	body = core.VerifyConcluded{}
	if err := s.readHandedIn(t.Context(), s.run, stage, task, delivery, &body); err != nil {
		t.Fatal(err)
	}
	if body.Decision == nil || body.Decision.Decision != core.CourseFinish || body.Decision.Reason != "[redacted] is done" || body.Output != nil {
		t.Errorf("%+v", body)
	}
	delivery.Artifacts[0].Name = "other.json"
	if err := s.readHandedIn(t.Context(), s.run, stage, task, delivery, &body); err == nil {
		t.Error("a decision that is not there was read")
	}
}
