package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

const againRun = "0199a000-0000-7000-8000-000000000002"

// history is a run whose first stage was worked on by two attempts, and was then opened again.
type history struct {
	t       *testing.T
	objects object.Objects
	events  []core.Event
	states  []*core.Run // after each event
	head    core.Head
}

func openedAgain(t *testing.T) *history {
	t.Helper()
	objects, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &history{t: t, objects: objects}
	h.add(core.Person("ada"), core.RunStarted{Run: againRun, Alias: "calm-fox", Playbook: core.Playbook{
		Kind: "phases", Roles: map[string]core.Role{"writer": {}}, Phases: []core.Phase{{ID: "plan", Role: "writer", Writes: core.WritesArtifacts}},
	}})
	h.add(core.Engine(), core.StageOpened{Stage: "plan", Round: 1})
	h.add(core.Engine(), core.TaskAdmitted{Task: "plan.r1", Stage: "plan", Round: 1, Role: "writer", Outputs: []string{"plan.md"}, Attempts: 2})
	h.attempt("plan.r1", 1, true)
	h.attempt("plan.r1", 2, false)
	h.add(core.Person("ada"), core.FeedbackGiven{Stage: "plan", Text: "Shorter."})
	h.add(core.Engine(), core.StageOpened{Stage: "plan", Round: 2})
	h.add(core.Engine(), core.TaskAdmitted{Task: "plan.r2", Stage: "plan", Round: 2, Role: "writer", Outputs: []string{"plan.md"}, Attempts: 2})
	h.attempt("plan.r2", 1, true)
	if _, _, forgotten := h.run().Attempt("plan.r1.a1"); forgotten != nil {
		t.Fatal("the run still knows the attempts of its first round")
	}
	return h
}

func (h *history) run() *core.Run { return h.states[len(h.states)-1] }

func (h *history) add(actor core.Actor, body core.Body) {
	h.t.Helper()
	now := time.Date(2026, 3, 1, 8, 0, len(h.events), 0, time.UTC)
	e, head, err := core.Seal(core.RunStream(againRun), h.head, now, actor, "", body)
	if err != nil {
		h.t.Fatal(err)
	}
	var before *core.Run
	if len(h.states) > 0 {
		before = h.run().Clone()
	}
	h.events, h.states, h.head = append(h.events, e), append(h.states, core.FoldBody(before, e, body)), head
}

// attempt calls a tool of its own and one of Stellwerk's, and hands in a plan.
func (h *history) attempt(task string, n int, observed bool) {
	h.t.Helper()
	id := task + ".a" + string(rune('0'+n))
	exited := core.AttemptExited{Attempt: id, Kind: core.ExitFinished, Observed: observed, Delivery: &core.Delivery{}}
	exited.Transcript = h.put(said(id)).Digest
	plan := h.put("the plan of " + id)
	plan.Name = "plan.md"
	exited.Delivery.Artifacts = []core.Artifact{plan}
	h.add(core.Engine(), core.AttemptRequested{Task: task, Attempt: id, N: n})
	h.add(core.Engine(), core.AttemptStarted{Attempt: id, Agent: "claude"})
	h.add(core.Actor{Kind: core.ActorAgent, ID: id}, core.MessageSent{Text: "I am at it."})
	h.add(core.Engine(), exited)
}

// said is the transcript of an attempt.
func said(attempt string) string {
	return `{"n":1,"record":{"kind":"tool_call","tool_id":"1","tool":"Bash","text":"` + attempt + `"}}` + "\n"
}

func (h *history) put(content string) core.Artifact {
	h.t.Helper()
	digest, size, err := h.objects.Put(h.t.Context(), strings.NewReader(content), 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return core.Artifact{Digest: digest, Size: size}
}

// live has an engine write the events from one to another into the run folders below root. Its runs are at the newest event.
func (h *history) live(root string, from, to int) error {
	j := New(root, h.objects, slog.New(slog.DiscardHandler))
	defer j.Close()
	return j.Append(h.t.Context(), h.run(), h.events[from:to], core.Bodies{})
}

// left is what the run's folder has of its attempts.
func (h *history) left(root string) map[string]string {
	h.t.Helper()
	files := map[string]string{}
	dir := os.DirFS(filepath.Join(root, againRun))
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		top, _, _ := strings.Cut(name, "/")
		if err != nil || entry.IsDir() || top != runfolder.ArtifactsDir && top != runfolder.TranscriptsDir && top != runfolder.SideEffectsFile {
			return err
		}
		content, err := fs.ReadFile(dir, name)
		lines := strings.SplitAfter(string(content), "\n")
		slices.Sort(lines) // side effects come in the order in which they were seen
		files[name] = strings.Join(lines, "")
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return files
}

// TestAFolderThatWasLeftBehindIsCompleted: other engines collected what came after any event. One that comes back with
// its folder, or with none, brings what the folder lacks.
func TestAFolderThatWasLeftBehindIsCompleted(t *testing.T) {
	h := openedAgain(t)
	by := `{"run":"` + againRun + `","attempt":"plan.`
	const role = `","role":"writer","agent":"claude",`
	want := map[string]string{
		"artifacts/plan.r1/plan.md":    "the plan of plan.r1.a2",
		"artifacts/plan.r2/plan.md":    "the plan of plan.r2.a1",
		"artifacts/latest/plan.md":     "the plan of plan.r2.a1",
		"transcripts/plan.r1.a1.jsonl": said("plan.r1.a1"),
		"transcripts/plan.r1.a2.jsonl": said("plan.r1.a2"),
		"transcripts/plan.r2.a1.jsonl": said("plan.r2.a1"),
		runfolder.SideEffectsFile: by + `r1.a1` + role + `"n":1,"tool":"Bash","outcome":"unknown"}` + "\n" +
			by + `r1.a1` + role + `"seq":6,"at":"2026-03-01T08:00:05Z","tool":"send-message","input":{"text":"I am at it."},"outcome":"ok"}` + "\n" +
			by + `r1.a2` + role + `"at":"2026-03-01T08:00:10Z","outcome":"unobserved","reason":"the attempt was lost; what its agent did last is not known"}` + "\n" +
			by + `r1.a2` + role + `"n":1,"tool":"Bash","outcome":"unknown"}` + "\n" +
			by + `r1.a2` + role + `"seq":10,"at":"2026-03-01T08:00:09Z","tool":"send-message","input":{"text":"I am at it."},"outcome":"ok"}` + "\n" +
			by + `r2.a1` + role + `"n":1,"tool":"Bash","outcome":"unknown"}` + "\n" +
			by + `r2.a1` + role + `"seq":17,"at":"2026-03-01T08:00:16Z","tool":"send-message","input":{"text":"I am at it."},"outcome":"ok"}` + "\n",
	}
	for behind := range len(h.events) {
		root := t.TempDir()
		if behind > 0 {
			if err := h.live(root, 0, behind); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.live(root, behind, len(h.events)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, h.left(root)); diff != "" {
			t.Errorf("after event %d (-want +got)\n%s", behind, diff)
		}
	}
}

// TestDelegationsHaveShelvesOfTheirOwn: in waves, two of a stage may hand in documents of one name.
func TestDelegationsHaveShelvesOfTheirOwn(t *testing.T) {
	h, root := openedAgain(t), t.TempDir()
	run := &core.Run{ID: againRun, Playbook: &core.Playbook{Project: &core.Management{Waves: &core.WaveRules{}}}}
	parts := &cast{tasks: map[string]part{}, attempts: map[string]part{}}
	for attempt, task := range map[string]core.TaskAdmitted{
		"plan.r1.a1": {Task: "1", Name: "page", Stage: "plan", Round: 1}, "plan.r1.a2": {Task: "2", Name: "cart", Stage: "plan", Round: 1},
		"plan.r2.a1": {Task: "3", Stage: "plan", Round: 2},
	} {
		parts.add(task)
		parts.add(core.AttemptRequested{Task: task.Task, Attempt: attempt})
	}
	j := New(root, h.objects, slog.New(slog.DiscardHandler))
	defer j.Close()
	if err := j.Use(run.ID, func(f *runfolder.Folder) error { return j.recover(f, run, parts, h.events, core.Decode) }); err != nil {
		t.Fatal(err)
	}
	got := h.left(root)
	for name, attempt := range map[string]string{"plan.page.r1": "plan.r1.a1", "plan.cart.r1": "plan.r1.a2", "plan.r2": "plan.r2.a1"} {
		if content := got["artifacts/"+name+"/plan.md"]; content != "the plan of "+attempt {
			t.Errorf("%s: %q", name, content)
		}
	}
}

// TestRunsThatAreOverAreForgotten once what follows from them is written.
func TestRunsThatAreOverAreForgotten(t *testing.T) {
	h := openedAgain(t)
	h.add(core.Person("ada"), core.RunCancelled{Reason: "enough"})
	if !h.run().Status.Terminal() {
		t.Fatal("the run goes on")
	}
	j := New(t.TempDir(), h.objects, slog.New(slog.DiscardHandler))
	if err := j.Append(t.Context(), h.run(), h.events, core.Bodies{}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	if len(j.casts) > 0 || len(j.seqs) > 0 {
		t.Errorf("kept: %v, %v", j.casts, j.seqs)
	}
}

// torn objects cannot be read to their end the first time.
type torn struct {
	object.Objects
	digest string
	closed bool // it cannot be opened, rather than read
}

func (o *torn) Open(ctx context.Context, digest string) (io.ReadSeekCloser, error) {
	content, err := o.Objects.Open(ctx, digest)
	if err != nil || digest != o.digest {
		return content, err
	}
	o.digest = ""
	if o.closed {
		return nil, errors.Join(core.Errorf(core.CodeUnavailable, "the line is dead"), content.Close())
	}
	return unreadable{iotest.ErrReader(errors.New("the line is dead")), content}, nil
}

type unreadable struct {
	io.Reader
	io.ReadSeekCloser
}

func (u unreadable) Read(p []byte) (int, error) { return u.Reader.Read(p) }

// TestWhatFailedInTheMiddleIsRepeated: a folder is written anew, and an object cannot be read.
func TestWhatFailedInTheMiddleIsRepeated(t *testing.T) {
	h := openedAgain(t)
	whole := t.TempDir()
	if err := h.live(whole, 0, len(h.events)); err != nil {
		t.Fatal(err)
	}
	for i, e := range h.events {
		if e.Type != core.TypeAttemptExited {
			continue
		}
		body, err := core.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		exited := body.(core.AttemptExited)
		transcript, artifact := exited.Transcript, exited.Delivery.Artifacts[0].Digest
		for what, objects := range map[string]*torn{
			"transcript": {h.objects, transcript, false}, "artifact": {h.objects, artifact, false},
			"closed transcript": {h.objects, transcript, true}, "closed artifact": {h.objects, artifact, true},
		} {
			root := t.TempDir()
			j := New(root, objects, slog.New(slog.DiscardHandler))
			batches := [][]core.Event{h.events[:4], h.events[4:]}
			if err := j.Append(t.Context(), h.run(), batches[0], core.Bodies{}); err != nil {
				t.Fatal(err)
			}
			if err := j.Append(t.Context(), h.run(), batches[1], core.Bodies{}); err == nil || !strings.Contains(err.Error(), "the line is dead") {
				t.Errorf("event %d, %s: %v", i+1, what, err)
			}
			if err := j.Append(t.Context(), h.run(), batches[1], core.Bodies{}); err != nil {
				t.Error(err)
			}
			j.Close()
			if diff := cmp.Diff(h.left(whole), h.left(root)); diff != "" {
				t.Errorf("event %d, %s (-undisturbed +repeated)\n%s", i+1, what, diff)
			}
		}
	}
}

// TestATranscriptComesAfterItsCalls: whoever finds it does not look for them again.
func TestATranscriptComesAfterItsCalls(t *testing.T) {
	h := openedAgain(t)
	whole, root := t.TempDir(), t.TempDir()
	if err := h.live(whole, 0, len(h.events)); err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Join(root, againRun, runfolder.SideEffectsFile)
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.live(root, 0, len(h.events)); err == nil {
		t.Fatal("calls were noted in a folder")
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	if err := h.live(root, 0, len(h.events)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h.left(whole), h.left(root)); diff != "" {
		t.Errorf("(-undisturbed +repeated)\n%s", diff)
	}
}

// TestADamagedManifestStopsNoRun: who an attempt was cannot be told, but what it said is kept.
func TestADamagedManifestStopsNoRun(t *testing.T) {
	h, root := openedAgain(t), t.TempDir()
	if err := h.live(root, 0, 5); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(root, againRun, runfolder.ManifestFile)
	content, err := os.ReadFile(manifest)
	if err == nil {
		err = os.WriteFile(manifest, bytes.Replace(content, []byte(`"task":"plan.r1"`), []byte(`"task":!plan.r1"`), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	j := New(root, h.objects, slog.New(slog.DiscardHandler))
	defer j.Close()
	if err := j.Append(t.Context(), h.run(), h.events[5:], core.Bodies{}); err == nil || !strings.Contains(err.Error(), manifest+":3") {
		t.Errorf("nobody is told: %v", err)
	}
	if err := j.Append(t.Context(), h.run(), h.events[5:], core.Bodies{}); err != nil {
		t.Errorf("the run stands still: %v", err)
	}
	if got := h.left(root)["transcripts/plan.r1.a1.jsonl"]; got != said("plan.r1.a1") {
		t.Errorf("the transcript: %q", got)
	}
}
