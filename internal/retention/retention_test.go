package retention

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func TestAFolderGoesAsAWholeAlsoWhereThatWasCutShort(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"build.r1.a1/in", ".dropped-build.r1.a1/in"} { // the second from a try before
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(root, "build.r1.a1")
	if err := drop(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, ".dropped-other"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := drop(filepath.Join(root, ".dropped-other")); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
	if err := drop(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestWhatCannotBeRemovedStays(t *testing.T) {
	var logged bytes.Buffer
	p := &pass{Request: Request{Remove: true}, Options: Options{Log: slog.New(slog.NewTextHandler(&logged, nil))}}
	p.did(Item{Kind: KindObject, Name: "a", Bytes: 5}, func() error { return errors.New("in use") })
	p.did(Item{Kind: KindObject, Name: "b", Bytes: 7}, func() error { return nil })
	if p.report.Bytes != 7 || len(p.report.Items) != 1 || len(p.report.Kept) != 1 || p.report.Kept[0].Name != "a" {
		t.Errorf("%+v", p.report)
	}
	if said := logged.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "name=a") || !strings.Contains(said, "in use") {
		t.Errorf("the log says %q", said)
	}
	dry := &pass{}
	dry.did(Item{Name: "c", Bytes: 3}, func() error { t.Error("it was removed"); return nil })
	if dry.report.Bytes != 3 {
		t.Errorf("%+v", dry.report)
	}
}

func TestALinkIsNoTranscript(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "out.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, err := digestOf(filepath.Join(dir, "out.jsonl")); err == nil {
		t.Error("it is read")
	}
}

func TestCommentsOfARunThatIsOverGo(t *testing.T) {
	drafts := draft.Open(sqlitetest.New(t))
	for _, run := range []string{"r1", "r2"} {
		must(t, drafts.Put(t.Context(), run, "ada", draft.Comment{Key: "k", Text: "words"}))
	}
	size, err := drafts.Size(t.Context(), "r1")
	must(t, err)
	o := &over{pass: &pass{Request: Request{Remove: true}, Options: Options{Drafts: drafts}}, row: store.RunRow{ID: "r1"}}
	for range 2 {
		must(t, o.drafts(t.Context()))
	}
	for run, want := range map[string]int64{"r1": 0, "r2": size} {
		if left, err := drafts.Size(t.Context(), run); err != nil || left != want {
			t.Errorf("%d bytes are left of %s, not %d: %v", left, run, want, err)
		}
	}
	if o.report.Bytes != size || len(o.report.Items) != 1 {
		t.Errorf("%+v", o.report)
	}
}

func TestAnAttemptIsProvedWhateverItsStageIsCalled(t *testing.T) {
	o := &over{pass: &pass{}, history: &history{}}
	if proof, doubt := o.attempt(t.Context(), t.TempDir(), "check-style.r1.a1"); doubt == nil {
		t.Errorf("it would go, because %s", proof)
	}
	if proof, doubt := o.attempt(t.Context(), t.TempDir(), "check-style.r1.a1-0123456789ab-1"); doubt != nil || proof == "" {
		t.Errorf("the command of a check stays, or goes for no reason: %q, %v", proof, doubt)
	}
}
