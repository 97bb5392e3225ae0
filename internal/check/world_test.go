package check_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// world is a real repository, real artifacts on disk and real processes.
type world struct {
	t     testing.TB
	repo  string
	blobs string
	runs  int // commands that were really run
	yard  *yard.Yard
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, repo: t.TempDir(), blobs: t.TempDir()}
	w.git("init", "-q", "-b", "main")
	w.write("README.md", "# A project\n")
	w.commit("Begin")
	return w
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.repo
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func (w *world) write(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(to, name string) {
	w.t.Helper()
	path := filepath.Join(w.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) commit(subject string) string {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", subject)
	return w.head()
}

func (w *world) head() string { return strings.TrimSpace(w.git("rev-parse", "HEAD")) }

func (w *world) blob(name, content string) core.Artifact {
	w.t.Helper()
	sum := sha256.Sum256([]byte(content))
	digest := hex.EncodeToString(sum[:])
	if err := os.WriteFile(filepath.Join(w.blobs, digest), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return core.Artifact{Name: name, Digest: digest, Size: int64(len(content))}
}

// subject is the delivery of everything since base.
func (w *world) subject(base string, artifacts ...core.Artifact) check.Subject {
	return check.Subject{
		Writes: core.WritesCode, Base: base,
		Delivery: &core.Delivery{
			Commit: w.head(), Tree: strings.TrimSpace(w.git("rev-parse", "HEAD^{tree}")), Artifacts: artifacts,
		},
	}
}

func (w *world) evaluator() *check.Evaluator {
	return &check.Evaluator{Tree: w, Artifacts: w, Runner: w}
}

// evaluate returns the verdict and the only result.
func (w *world) evaluate(c core.Check, s check.Subject) core.CheckResult {
	w.t.Helper()
	passed, results, err := w.evaluator().Evaluate(context.Background(), c, s)
	if err != nil {
		w.t.Fatalf("Evaluate: %v", err)
	}
	if len(results) != 1 || results[0].Passed != passed {
		w.t.Fatalf("passed %v with results %+v, want one that says the same", passed, results)
	}
	return results[0]
}

// The ports, over a yard, files and sh.

// fetched is a yard that has everything that was committed.
func (w *world) fetched(ctx context.Context) *yard.Yard {
	w.t.Helper()
	if w.yard == nil {
		opened, err := yard.Open(ctx, filepath.Join(w.t.TempDir(), "yard"))
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() {
			if err := opened.Close(); err != nil {
				w.t.Error(err)
			}
		})
		w.yard = opened
	}
	if err := w.yard.Fetch(ctx, w.repo); err != nil {
		w.t.Fatal(err)
	}
	return w.yard
}

func (w *world) Changed(ctx context.Context, base, head string) ([]yard.Change, error) {
	return w.fetched(ctx).Changed(ctx, base, head)
}

func (w *world) Files(ctx context.Context, commit string) ([]yard.File, error) {
	return w.fetched(ctx).Files(ctx, commit)
}

func (w *world) Log(ctx context.Context, base, head string) ([]yard.Commit, error) {
	return w.fetched(ctx).Log(ctx, base, head)
}

func (w *world) Open(_ context.Context, digest string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(w.blobs, digest))
}

func (w *world) Run(ctx context.Context, c check.Command) (check.Result, error) {
	w.runs++
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec 2>&1\n"+c.Shell)
	cmd.Dir = w.repo
	out, err := cmd.Output()
	res := check.Result{Output: string(out), TimedOut: ctx.Err() != nil}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		res.ExitCode = exit.ExitCode()
		return res, nil
	}
	return res, err
}

// Resolved sees only that both sides are there; what else a yard looks at is its own tests' matter.
func (w *world) Resolved(_ context.Context, into, from, result string) ([]string, error) {
	for _, side := range []string{into, from} {
		if base := strings.TrimSpace(w.git("merge-base", side, result)); base != side {
			return []string{"it does not descend from " + side}, nil
		}
	}
	return nil, nil
}
