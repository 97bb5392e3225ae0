package pack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// history is a project with one run.
type history struct {
	t       *testing.T
	dir     string
	person  string
	yard    *yard.Yard
	objects object.Objects
	events  []core.Event
	logged  bytes.Buffer
	documents
}

type documents = store.Documents

const theRun = "0198"

var fixed = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newHistory(t *testing.T) *history {
	h := &history{t: t, dir: t.TempDir()}
	h.documents = sqlitetest.Open(t, filepath.Join(h.dir, "stellwerk.db"))
	h.person = filepath.Join(h.dir, "person")
	h.git(h.dir, "init -q -b main person")
	h.write("a.txt", strings.Repeat("one line of many\n", 400))
	h.commit("first")
	h.put()
	h.yard = h.open("yard.git")
	if err := h.yard.Fetch(t.Context(), h.person); err != nil {
		t.Fatal(err)
	}
	return h
}

// put opens the objects.
func (h *history) put() {
	h.t.Helper()
	var err error
	if h.objects, err = folder.Open(filepath.Join(h.dir, "blobs")); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) open(name string) *yard.Yard {
	h.t.Helper()
	y, err := yard.Open(h.t.Context(), filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = y.Close() })
	return y
}

func (h *history) git(dir, args string) string {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), "git", strings.Fields(args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *history) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.person, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) commit(message string) string {
	h.t.Helper()
	h.git(h.person, "add -A")
	h.git(h.person, "commit -q -m "+message)
	return h.git(h.person, "rev-parse HEAD")
}

func (h *history) say(body core.Body) {
	h.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	h.events = append(h.events, core.Event{ID: fmt.Sprint(len(h.events)), Seq: int64(len(h.events) + 1), Type: core.TypeOf(body), V: core.FormOf(core.TypeOf(body)).Writes, Body: raw})
}

// deliver hands the person's new commit in, as an attempt does, and returns it.
func (h *history) deliver(n int, base, text string) string {
	h.t.Helper()
	h.write("a.txt", text)
	commit := h.commit(fmt.Sprint("work-", n))
	bundle := filepath.Join(h.dir, "out.bundle")
	h.git(h.person, fmt.Sprintf("update-ref refs/handin/head %s", commit))
	h.git(h.person, fmt.Sprintf("bundle create -q --version=2 %s refs/handin/head ^%s", bundle, base))
	attempt := fmt.Sprintf("build.r1.a%d", n)
	ref := yard.AttemptRef(theRun, attempt)
	imported, err := h.yard.Import(h.t.Context(), yard.ImportSpec{Bundle: bundle, Ref: ref, Base: base, MaxBytes: 1 << 24, Keep: func(ctx context.Context, r io.Reader) (string, error) {
		digest, _, err := h.objects.Put(ctx, r, 0)
		return digest, err
	}})
	if err != nil || imported.Pack == "" {
		h.t.Fatalf("import: %+v, %v", imported, err)
	}
	h.say(core.AttemptExited{Attempt: attempt, Delivery: &core.Delivery{Commit: imported.Commit, Ref: ref, Pack: imported.Pack}})
	return commit
}

func (h *history) Runs(context.Context, store.Filter) ([]store.RunRow, error) {
	return []store.RunRow{{ID: theRun, Alias: "calm-fox"}}, nil
}

func (h *history) Events(_ context.Context, _ string, after int64, _ int) ([]core.Event, error) {
	return h.events[min(int(after), len(h.events)):], nil
}

func (h *history) code() pack.Restorer {
	return pack.Restorer{Store: h, Objects: h.objects, Log: slog.New(slog.NewTextHandler(&h.logged, nil))}
}

func (h *history) restore(name string) (*yard.Yard, error) {
	y := h.open(name)
	return y, h.code().Restore(h.t.Context(), y, "p1")
}

// same compares a restored yard with the first one: runs' refs, trees, and what git thinks of it.
func (h *history) same(y *yard.Yard) {
	h.t.Helper()
	for _, prefix := range []string{"refs/heads", yard.Attempts, yard.Kept} {
		want, err := h.yard.Refs(h.t.Context(), prefix)
		got, failed := y.Refs(h.t.Context(), prefix)
		if err = errors.Join(err, failed); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			h.t.Errorf("%s: restored are %v, want %v, %v", prefix, got, want, err)
		}
	}
	if said := h.git(y.Dir(), "fsck --full --strict --no-dangling"); strings.Contains(said, "missing") || strings.Contains(said, "error") {
		h.t.Errorf("git thinks of it: %s", said)
	}
	if empty, err := y.Empty(); err != nil || empty {
		h.t.Errorf("it is said to be empty: %t, %v", empty, err)
	}
}

// worked is a history with a run that has deliveries, one of which takes another back, a merge, a branch and kept work.
func worked(t *testing.T, started func(h *history, base string) core.RunStarted) *history {
	h := newHistory(t)
	ctx, base := t.Context(), h.git(h.person, "rev-parse HEAD")
	h.say(started(h, base))
	first := strings.Repeat("one line of many\n", 400)
	one := h.deliver(1, base, first+"more\n")
	two := h.deliver(2, one, first) // the base's file again, which git stores as a difference to the one before
	three := h.deliver(3, two, first+"more\n")
	four := h.deliver(4, three, first+"more\nand more\n")
	made, err := h.yard.Merge(ctx, yard.MergeSpec{Into: base, From: four, Message: "Merge", Identity: yard.Identity{Name: "A", Email: "a@example.org"}, When: fixed})
	if err != nil {
		t.Fatal(err)
	}
	digest, err := pack.Keep(ctx, h.objects, h.yard, []string{made.Commit}, base, four)
	if err != nil {
		t.Fatal(err)
	}
	for ref, commit := range map[string]string{
		yard.MergeRef(theRun, made.Commit): made.Commit, "refs/heads/feature/x": made.Commit, yard.Kept + theRun + "/round-1": two,
	} {
		if err := h.yard.Keep(ctx, ref, commit); err != nil {
			t.Fatal(err)
		}
	}
	h.say(core.MergeConcluded{Task: "merge", Into: base, From: four, Commit: made.Commit, Pack: digest, Passed: true})
	h.say(core.BranchMoved{Ref: "refs/heads/feature/gone", New: one})
	h.say(core.BranchMoved{Ref: "refs/heads/feature/gone", Old: one})
	h.say(core.BranchMoved{Ref: "refs/heads/feature/x", New: made.Commit})
	h.say(core.RefKept{Ref: yard.Kept + theRun + "/round-1", Commit: two})
	return h
}

func standIn(h *history, base string) core.RunStarted {
	return core.RunStarted{Run: theRun, BaseCommit: base, BaseAt: h.person}
}

func packed(h *history, base string) core.RunStarted {
	digest, err := pack.Keep(h.t.Context(), h.objects, h.yard, []string{base})
	if err != nil {
		h.t.Fatal(err)
	}
	return core.RunStarted{Run: theRun, BaseCommit: base, Remote: "https://gone.invalid/repository.git", BasePack: digest}
}

// TestAYardComesBack: from packs alone, or with a repository that stands for the base, even after its history was rewritten.
func TestAYardComesBack(t *testing.T) {
	t.Run("packs alone", func(t *testing.T) {
		h := worked(t, packed)
		if err := os.RemoveAll(h.person); err != nil {
			t.Fatal(err)
		}
		y, err := h.restore("again.git")
		if err != nil {
			t.Fatal(err)
		}
		h.same(y)
	})
	t.Run("a repository stands for the base", func(t *testing.T) {
		h := worked(t, standIn)
		h.git(h.person, "checkout -q --orphan other")
		h.commit("rewritten")
		h.git(h.person, "branch -q -D main")
		y, err := h.restore("again.git")
		if err != nil {
			t.Fatal(err)
		}
		h.same(y)
	})
}

// TestWhatIsMissingIsNamed: a damaged or lost pack, and a repository that is gone.
func TestWhatIsMissingIsNamed(t *testing.T) {
	for what, harm := range map[string]func(path string) error{
		"damaged": func(path string) error {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content[len(content)/2] ^= 1
			return os.WriteFile(path, content, 0o600)
		},
		"is missing": os.Remove,
	} {
		h := worked(t, packed)
		body, err := core.Decode(h.events[1])
		if err != nil {
			t.Fatal(err)
		}
		digest := body.(core.AttemptExited).Delivery.Pack
		if err := harm(filepath.Join(h.dir, "blobs", digest[:2], digest[2:])); err != nil {
			t.Fatal(err)
		}
		y, err := h.restore("again.git")
		if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), digest) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if empty, err := y.Empty(); err != nil || !empty {
			t.Errorf("%s: half of it counts as restored: %t, %v", what, empty, err)
		}
	}
	h := newHistory(t)
	h.say(standIn(h, h.git(h.person, "rev-parse HEAD")))
	if err := os.RemoveAll(h.person); err != nil {
		t.Fatal(err)
	}
	y, err := h.restore("again.git")
	if _, away := errors.AsType[*pack.Away](err); !away || !strings.Contains(err.Error(), h.person+" cannot be reached") {
		t.Errorf("the repository is gone: %v", err)
	}
	if empty, err := y.Empty(); err != nil || !empty || !strings.Contains(h.logged.String(), h.person) {
		t.Errorf("the repository is gone, and it counts as restored: %t, %v; logged is %s", empty, err, h.logged.String())
	}
}
