package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// rebuild compares filling a lost yard from events and packs with `git clone --mirror` of the yard that was lost. A run has
// delivered 1,000 times through the import that attempts go through; every fiftieth delivery takes the one before back, which
// brings an object in a second time. They take turns, and the clone really copies.
func rebuild(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("rebuild")
	if err != nil {
		return o, err
	}
	d, err := openDelivered(ctx, shop, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, d.repo.yard.Close(), d.db.Close()) }()
	if err := d.deliver(ctx, shop.times(1000)); err != nil {
		return o, err
	}
	var measured, base []time.Duration
	for n := range shop.times(7) {
		m, err := d.timedRestore(ctx, filepath.Join(dir, fmt.Sprintf("again-%d.git", n)))
		if err != nil {
			return o, err
		}
		clone := filepath.Join(dir, fmt.Sprintf("clone-%d.git", n))
		b, err := timed(func() error { return git(ctx, dir, "clone", "-q", "--mirror", "file://"+d.repo.yard.Dir(), clone) })
		if err = errors.Join(err, os.RemoveAll(clone)); err != nil {
			return o, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(measured, base, short), nil
}

// delivered is a project with one run that has handed in much.
type delivered struct {
	dir     string
	repo    *repository
	objects object.Objects
	db      store.Store
	log     *slog.Logger
	head    core.Head
	stream  string
	run     string
}

func openDelivered(ctx context.Context, shop *workshop, dir string) (*delivered, error) {
	repo, err := openRepository(ctx, dir, 500, nil)
	if err != nil {
		return nil, err
	}
	started, err := feature(1)
	if err != nil {
		return nil, err
	}
	d := &delivered{dir: dir, repo: repo, log: slog.New(slog.NewTextHandler(shop.log, nil)), stream: core.RunStream(started.Run), run: started.Run}
	if d.objects, err = folder.Open(filepath.Join(dir, "blobs")); err != nil {
		return nil, err
	}
	if d.db, err = sqlite.Open(ctx, filepath.Join(dir, "stellwerk.db"), sqlite.Options{}); err != nil {
		return nil, err
	}
	started.BaseCommit, started.Remote = repo.commit, "https://gone.invalid/repository.git"
	if started.BasePack, err = pack.Keep(ctx, d.objects, repo.yard, []string{repo.commit}); err != nil {
		return nil, err
	}
	row := store.RunRow{ID: started.Run, Alias: started.Alias, Project: started.Project, Status: core.StatusActive}
	return d, d.say(ctx, &row, started)
}

// say commits events of the run.
func (d *delivered) say(ctx context.Context, row *store.RunRow, bodies ...core.Body) error {
	c := store.Commit{Stream: d.stream, After: d.head.Seq, Run: row}
	now, err := d.db.Now(ctx)
	if err != nil {
		return err
	}
	for _, body := range bodies {
		var event core.Event
		if event, d.head, err = core.Seal(d.stream, d.head, now, core.Engine(), "", body); err != nil {
			return err
		}
		c.Events = append(c.Events, event)
	}
	return d.db.Commit(ctx, c)
}

// deliver hands in n commits, each on top of the one before.
func (d *delivered) deliver(ctx context.Context, n int) error {
	commits, err := d.commits(ctx, n)
	if err != nil {
		return err
	}
	base, branch := d.repo.commit, "refs/heads/feature/bench"
	var old string
	for i, commit := range commits {
		attempt := core.AttemptID(core.TaskID("build", i+1, ""), 1)
		imported, err := d.handIn(ctx, attempt, base, commit)
		if err != nil {
			return err
		}
		if err := d.repo.yard.Move(ctx, branch, old, commit); err != nil {
			return err
		}
		delivery := &core.Delivery{Commit: imported.Commit, Tree: imported.Tree, Ref: yard.AttemptRef(d.run, attempt), Pack: imported.Pack}
		if err := d.say(ctx, nil, core.AttemptExited{Attempt: attempt, Delivery: delivery}, core.BranchMoved{Ref: branch, Old: old, New: commit}); err != nil {
			return err
		}
		base, old = commit, commit
	}
	return nil
}

// commits makes a line of them, each of which changes two files.
func (d *delivered) commits(ctx context.Context, n int) ([]string, error) {
	var script strings.Builder
	from, marks := d.repo.commit, filepath.Join(d.dir, "marks")
	text := func(i int) string {
		return fmt.Sprintf("package pkg00\n\n%s// Delivery %d.\n", strings.Repeat("// A line that stays.\n", 120), i)
	}
	for i := 1; i <= n; i++ {
		version := i
		if i%50 == 0 {
			version = i - 2 // as if the one before had never been
		}
		fmt.Fprintf(&script, "commit refs/heads/work\nmark :%d\ncommitter Bench <bench@example.org> %d +0000\ndata 4\nwork\nfrom %s\n", i, 1_700_000_000+i, from)
		for _, name := range []string{"pkg00/file000.go", fmt.Sprintf("pkg%02d/new%03d.go", version%20, version%100)} {
			content := text(version)
			fmt.Fprintf(&script, "M 644 inline %s\ndata %d\n%s\n", name, len(content), content)
		}
		from = fmt.Sprintf(":%d", i)
	}
	cmd := exec.CommandContext(ctx, "git", "fast-import", "--quiet", "--export-marks="+marks)
	cmd.Dir, cmd.Stdin = d.repo.source, strings.NewReader(script.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git fast-import: %w\n%s", err, out)
	}
	listed, err := os.ReadFile(marks)
	if err != nil {
		return nil, err
	}
	commits := make([]string, n)
	for line := range strings.Lines(string(listed)) {
		var mark int
		var hash string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &hash); err != nil {
			return nil, err
		}
		commits[mark-1] = hash
	}
	return commits, nil
}

// handIn makes a bundle as the supervisor of an attempt does, and imports it as dispatch does.
func (d *delivered) handIn(ctx context.Context, attempt, base, commit string) (yard.Imported, error) {
	bundle := filepath.Join(d.dir, "out.bundle")
	var content bytes.Buffer
	fmt.Fprintf(&content, "# v2 git bundle\n-%s\n%s refs/handin/head\n\n", base, commit)
	cmd := exec.CommandContext(ctx, "git", "pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "-q")
	cmd.Dir, cmd.Stdin, cmd.Stdout = d.repo.source, strings.NewReader("^"+base+"\n"+commit+"\n"), &content
	if err := cmd.Run(); err != nil {
		return yard.Imported{}, err
	}
	if err := os.WriteFile(bundle, content.Bytes(), 0o600); err != nil {
		return yard.Imported{}, err
	}
	return d.repo.yard.Import(ctx, yard.ImportSpec{
		Bundle: bundle, Ref: yard.AttemptRef(d.run, attempt), Base: base, MaxBytes: 1 << 30,
		Keep: func(ctx context.Context, r io.Reader) (string, error) {
			digest, _, err := d.objects.Put(ctx, r, 0)
			return digest, err
		},
	})
}

// timedRestore fills a new yard and removes it again, which is not timed.
func (d *delivered) timedRestore(ctx context.Context, dir string) (time.Duration, error) {
	want, err := d.repo.yard.Refs(ctx, yard.Attempts)
	if err != nil {
		return 0, err
	}
	y, err := yard.Open(ctx, dir)
	if err != nil {
		return 0, err
	}
	took, err := timed(func() error {
		return pack.Restorer{Store: d.db, Objects: d.objects, Log: d.log}.Restore(ctx, y, "bench")
	})
	if err != nil {
		return 0, errors.Join(err, y.Close())
	}
	have, err := y.Refs(ctx, yard.Attempts)
	if err == nil && fmt.Sprint(have) != fmt.Sprint(want) {
		err = fmt.Errorf("%d refs were restored of %d", len(have), len(want))
	}
	if empty, failed := y.Empty(); err == nil && (failed != nil || empty) {
		err = errors.Join(errors.New("the yard counts as empty"), failed)
	}
	return took, errors.Join(err, y.Close(), os.RemoveAll(dir))
}
