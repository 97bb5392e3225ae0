package runfolder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func conversation(t testing.TB) []core.Event {
	return sealed(t,
		core.TimerFired{Timer: "x"},
		core.QuestionAsked{ID: "q-1", Text: "How long?", From: "api", Blocking: true, About: "cart.life", Default: "30 days", After: time.Hour},
		core.QuestionAsked{ID: "q-2", Text: `Is "type":"QuestionAnswered" a word?`},
		core.TimerFired{Timer: `a note on "QuestionAsked"`},
		core.QuestionAnswered{ID: "q-2", Text: "Yes.", Planner: true},
		core.QuestionAnswered{ID: "q-1", Text: "30 days", Default: true},
	)
}

const (
	wantInbox = `{"id":"q-1","question_id":"q-1","source":"api","text":"How long?","from":"api","blocking":true,"about":"cart.life","default":"30 days","at":"1970-01-01T00:01:41Z"}
{"id":"q-2","question_id":"q-2","source":"planner","text":"Is \"type\":\"QuestionAnswered\" a word?","blocking":false,"at":"1970-01-01T00:01:42Z"}
`
	wantAnswers = `{"question_id":"q-2","answer":"Yes.","by":"planner","at":"1970-01-01T00:01:44Z"}
{"question_id":"q-1","answer":"30 days","by":"default","at":"1970-01-01T00:01:45Z"}
`
)

var errNoBlob = errors.New("no such blob")

// documents serves contents by their digests.
func documents(contents ...string) func(string) (io.ReadCloser, error) {
	return func(digest string) (io.ReadCloser, error) {
		for _, c := range contents {
			if hashOf([]byte(c)) == digest {
				return io.NopCloser(strings.NewReader(c)), nil
			}
		}
		return nil, errNoBlob
	}
}

func wavesRun() *core.Run {
	return &core.Run{ID: "0198", Waves: &core.Waves{
		Pool: []core.Fact{{ID: "f1", Key: "k", Content: "so it is", Origin: core.OriginPlanner, Confidence: 0.8, Wave: 1}},
		Ends: []core.WaveEnd{{Wave: 0}, {Wave: 1, Compact: hashOf([]byte("the truth")), Detailed: hashOf([]byte("the way to it"))}},
	}}
}

func writeWaves(t *testing.T, f *Folder) []string {
	t.Helper()
	mended, err := f.WriteWaves(wavesRun(), documents("the truth", "the way to it"))
	if err != nil {
		t.Fatal(err)
	}
	return mended
}

func has(t *testing.T, f *Folder, name, want string) {
	t.Helper()
	got, err := os.ReadFile(f.at(name))
	if err != nil || string(got) != want {
		t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
	}
}

func TestWaves(t *testing.T) {
	f, events := openTemp(t), conversation(t)
	for n := range events { // as it grows
		appendAll(t, f, events[n:n+1])
		if mended := writeWaves(t, f); mended != nil {
			t.Errorf("after event %d: %v", n+1, mended)
		}
	}
	has(t, f, InboxFile, wantInbox)
	has(t, f, AnswersFile, wantAnswers)
	has(t, f, "waves/wave_01_compact.md", "the truth")
	has(t, f, "waves/wave_01_detailed.md", "the way to it")
	has(t, f, PoolFile, `[
  {
    "id": "f1",
    "key": "k",
    "content": "so it is",
    "origin": "planner",
    "confidence": 0.8,
    "is_assumption": false,
    "source_refs": [],
    "superseded_by": null,
    "wave": 1
  }
]
`)
	if entries, err := os.ReadDir(f.at(WavesDir)); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestWavesAreMended: a line that is torn, there twice, changed or missing is seen,
// and the file is what the manifest says again.
func TestWavesAreMended(t *testing.T) {
	first, _, _ := strings.Cut(wantInbox, "\n")
	for name, c := range map[string]struct {
		inbox string
		seen  bool
	}{
		"missing":    {first + "\n", false}, // only a while behind
		"empty":      {"", false},
		"torn":       {first + "\n{\"id\":\"q-", true},
		"unfinished": {first, true},
		"twice":      {first + "\n" + first + "\n", true},
		"changed":    {strings.Replace(wantInbox, "How long?", "How short?", 1), true},
		"more":       {wantInbox + first + "\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "0198")
			f := openAt(t, path)
			appendAll(t, f, conversation(t))
			if err := os.WriteFile(filepath.Join(path, InboxFile), []byte(c.inbox), 0o600); err != nil {
				t.Fatal(err)
			}
			if seen := slices.Contains(writeWaves(t, openAt(t, path)), InboxFile); seen != c.seen {
				t.Errorf("seen: %v", seen)
			}
			has(t, f, InboxFile, wantInbox)
		})
	}
}

// TestWavesOfATornManifest: a line of the manifest that was not written to its end
// was never said.
func TestWavesOfATornManifest(t *testing.T) {
	f, events := openTemp(t), conversation(t)
	whole := manifest(t, events)
	if err := os.WriteFile(f.at(ManifestFile), whole[:len(whole)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	writeWaves(t, f)
	answers, _, _ := strings.Cut(wantAnswers, "\n")
	has(t, f, AnswersFile, answers+"\n")
	appendAll(t, f, events)
	writeWaves(t, f)
	has(t, f, AnswersFile, wantAnswers)
}

// TestWavesDocuments: what cannot be read is an error, and nothing half is left.
func TestWavesDocuments(t *testing.T) {
	f := openTemp(t)
	appendAll(t, f, conversation(t))
	if _, err := f.WriteWaves(wavesRun(), documents("the truth")); !errors.Is(err, errNoBlob) {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(f.at("waves/wave_01_detailed.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	writeWaves(t, f)
	if err := os.WriteFile(f.at("waves/wave_01_compact.md"), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeWaves(t, openAt(t, f.path))
	has(t, f, "waves/wave_01_compact.md", "the truth")
	if mended, err := f.WriteWaves(&core.Run{}, nil); mended != nil || err != nil {
		t.Errorf("a run without waves: %v, %v", mended, err)
	}
}

// TestTakeArtifacts: documents of another folder are taken over, not what only
// looks like one, and nothing is replaced.
func TestTakeArtifacts(t *testing.T) {
	from, to := openTemp(t), openTemp(t)
	for _, name := range []string{"a.md", "b.md"} {
		if err := from.Artifact("api", 1, name, strings.NewReader("new "+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Artifact("api", 1, "a.md", strings.NewReader("own a.md")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(from.at("artifacts/stray.md"), nil, 0o600), os.Symlink("/etc/passwd", from.at("artifacts/latest/link.md")),
		os.WriteFile(from.at("artifacts/latest/.part"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := to.TakeArtifacts(os.DirFS(from.at(ArtifactsDir))); err != nil {
		t.Fatal(err)
	}
	has(t, to, "artifacts/api.r1/a.md", "own a.md")
	has(t, to, "artifacts/latest/a.md", "own a.md")
	has(t, to, "artifacts/api.r1/b.md", "new b.md")
	var names bytes.Buffer
	entries, err := os.ReadDir(to.at("artifacts/latest"))
	for _, e := range entries {
		names.WriteString(e.Name() + " ")
	}
	if names.String() != "a.md b.md " || err != nil {
		t.Errorf("%s, %v", names.String(), err)
	}
}
