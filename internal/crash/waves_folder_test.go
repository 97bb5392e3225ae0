package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// folderWhole: the files of a run in waves are those that follow from its events,
// byte for byte, and tell the whole of the story.
func (w *world) folderWhole(h history) {
	w.t.Helper()
	dir, again := filepath.Dir(w.manifestPath(h.row.ID)), w.rebuilt(h)
	names := []string{runfolder.StateFile, runfolder.PoolFile, runfolder.InboxFile, runfolder.AnswersFile}
	for _, root := range []string{dir, again} {
		waves, err := filepath.Glob(filepath.Join(root, runfolder.WavesDir, "*"))
		if err != nil {
			w.t.Fatal(err)
		}
		for _, file := range waves {
			names = append(names, filepath.Join(runfolder.WavesDir, filepath.Base(file)))
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if have, want := contentOf(filepath.Join(dir, name)), contentOf(filepath.Join(again, name)); have != want {
			w.t.Fatalf("run %s: %s is\n%s\nand not\n%s", h.row.Branch, name, have, want)
		}
	}
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".") {
			w.t.Errorf("run %s: %s was left behind", h.row.Branch, path)
		}
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	w.pooled(h, contentOf(filepath.Join(dir, runfolder.PoolFile)))
	w.shelved(h, filepath.Join(dir, runfolder.ArtifactsDir))
}

// rebuilt is a folder of a run that nobody disturbed.
func (w *world) rebuilt(h history) string {
	w.t.Helper()
	db := w.truth()
	defer w.shut(db)
	objects := w.objects(db)
	dir := w.t.TempDir()
	folder, err := runfolder.Open(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := folder.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	var run *core.Run
	for i, e := range h.events {
		run = core.FoldBody(run, e, h.bodies[i])
	}
	if err := folder.Append(h.events, core.Decode); err != nil {
		w.t.Fatal(err)
	}
	if err := folder.WriteState(run); err != nil {
		w.t.Fatal(err)
	}
	if _, err := folder.WriteWaves(run, func(digest string) (io.ReadCloser, error) { return objects.Open(w.t.Context(), digest) }); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// contentOf is what a file holds, or why that cannot be said.
func contentOf(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("no file: %v", err)
	}
	return string(data)
}

// pooled: what was found, answered and decided is known, each once.
func (w *world) pooled(h history, text string) {
	w.t.Helper()
	var facts []core.Fact
	if err := json.Unmarshal([]byte(text), &facts); err != nil {
		w.t.Fatalf("run %s: %v in %s", h.row.Branch, err, text)
	}
	have := map[string]string{}
	for _, f := range facts {
		if f.SupersededBy == nil {
			have[f.Key] += f.Content
		}
	}
	for key, content := range map[string]string{"engine": "sqlite", "licence": wordColour, "tone": "plainly", "advice": "take sqlite"} {
		if have[key] != content {
			w.t.Fatalf("run %s: the pool has %q of %s, not %q:\n%s", h.row.Branch, have[key], key, content, text)
		}
	}
}

// shelved: every document that was handed in and holds is in the run's folder,
// and that of a delegation that went on beside what it had handed in before.
func (w *world) shelved(h history, dir string) {
	w.t.Helper()
	for name, attempt := range map[string]string{
		"survey.r1/survey.md": "survey.r1.a1", "files.r1/files.md": "files.r1.a2", "licence.again2.r1/licence.md": "licence.r1.again2.a1",
		"tone.again2.r1/tone.md": "tone.r1.again2.a1", "advice.r1/advice.md": "advice.r1.a1", "latest/report.md": "report.r1.a1",
	} {
		if have, want := strings.TrimSpace(contentOf(filepath.Join(dir, name))), h.row.ID+" "+attempt; have != want {
			w.t.Fatalf("run %s: %s holds %q, not %q", h.row.Branch, name, have, want)
		}
	}
	for name, want := range map[string]string{"licence.r1": `"blocked"`, "licence.again2.r1": `"completed"`} {
		if have := contentOf(filepath.Join(dir, name, core.OutputArtifact)); !strings.Contains(have, want) {
			w.t.Fatalf("run %s: the answer in %s is %s", h.row.Branch, name, have)
		}
	}
}
