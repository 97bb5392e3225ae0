package pack_test

import (
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// sharedYards are the yards of an engine that shares a store, and a repository with two commits.
type sharedYards struct {
	*pack.Yards
	t      *testing.T
	db     *sqlite.Store
	source *yard.Yard
	first  string
	second string
	heads  map[string]core.Head
	owner  int64
}

func newSharedYards(t *testing.T) *sharedYards {
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", `cd "$0" && git init -q -b main person && cd person && git config user.name A && git config user.email a@example.org
		git commit -q --allow-empty -m first && git rev-parse HEAD && git commit -q --allow-empty -m second && git rev-parse HEAD`, dir).Output()
	s := &sharedYards{t: t, db: sqlitetest.New(t), heads: map[string]core.Head{}}
	s.must(err)
	s.first, s.second = strings.Fields(string(out))[0], strings.Fields(string(out))[1]
	objects, err := folder.Open(filepath.Join(dir, "blobs"))
	s.must(err)
	s.source, err = yard.Open(t.Context(), filepath.Join(dir, "source.git"))
	s.must(err)
	s.must(s.source.Fetch(t.Context(), filepath.Join(dir, "person")))
	s.Yards = pack.NewYards(pack.YardsOptions{
		Dir: filepath.Join(dir, "yards"), Code: pack.Restorer{Store: s.db, Objects: objects, Log: slog.New(slog.DiscardHandler)},
		Others: s.db, Fence: func(string) int64 { return s.owner },
	})
	t.Cleanup(func() { s.must(s.Close()); s.must(s.source.Close()) })
	return s
}

func (s *sharedYards) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// say commits an event of run r1 of the project, as any engine does.
func (s *sharedYards) say(body core.Body) {
	s.t.Helper()
	s.sayOf("r1", body)
}

// sayOf is say for any run. All are on the branch feature/x, and began in the order of their ids.
func (s *sharedYards) sayOf(run string, body core.Body) {
	s.t.Helper()
	now, err := s.db.Now(s.t.Context())
	s.must(err)
	stream := core.RunStream(run)
	event, head, err := core.Seal(stream, s.heads[run], now, core.Engine(), "", body)
	s.must(err)
	row := store.RunRow{ID: run, Alias: "calm-fox-" + run, Project: "p1", Status: core.StatusActive, Branch: "feature/x"}
	s.must(s.db.Commit(s.t.Context(), store.Commit{Stream: stream, Of: "p1", After: s.heads[run].Seq, Events: []core.Event{event}, Run: &row}))
	s.heads[run] = head
}

func (s *sharedYards) packed(commits ...string) string {
	s.t.Helper()
	digest, err := pack.Keep(s.t.Context(), s.Code.Objects, s.source, commits)
	s.must(err)
	return digest
}

func (s *sharedYards) has(rev, want string) {
	s.t.Helper()
	y, err := s.Yard(s.t.Context(), "p1")
	s.must(err)
	if got, err := y.Resolve(s.t.Context(), rev); err != nil || got != want {
		s.t.Errorf("%s is %s, %v, want %s", rev, got, err, want)
	}
}

// TestAYardFollowsOthers: an owner gets what others began, and what it moved and has not reported yet stays. When it lost the
// project and gets it back, its branches are where the events say, and its own commit is kept.
func TestAYardFollowsOthers(t *testing.T) {
	const branch = "refs/heads/feature/x"
	s := newSharedYards(t)
	ctx := t.Context()
	s.owner = 7
	y, err := s.Yard(ctx, "p1")
	s.must(err)
	s.say(core.RunStarted{Run: "r1", Project: "p1", BaseCommit: s.first, BasePack: s.packed(s.first)})
	s.has(s.first, s.first)

	s.must(y.Move(ctx, branch, "", s.first))
	s.say(core.BranchMoved{Ref: branch, New: s.first})
	s.must(y.FetchCommits(ctx, s.source.Dir(), []string{s.second}))
	s.must(y.Move(ctx, branch, s.first, s.second))
	s.say(core.RefKept{Ref: "refs/kept/r1/one", Commit: s.first})
	s.has(branch, s.second)

	s.owner = 0
	s.say(core.RefKept{Ref: "refs/kept/r1/two", Commit: s.first})
	s.owner = 9
	s.has(branch, s.first)
	s.has("refs/kept/r1/two", s.first)
	s.has(pack.Unrecorded+s.second, s.second)
}

// TestABranchIsOfTheRunThatHasItNow: a branch that a run has left is used by the next. Whichever of them says something then, the
// yards of other engines have the branch where the later one put it, or not at all if that one removed it.
func TestABranchIsOfTheRunThatHasItNow(t *testing.T) {
	const branch = "refs/heads/feature/x"
	s := newSharedYards(t)
	s.say(core.RunStarted{Run: "r1", Project: "p1", BaseCommit: s.first, BasePack: s.packed(s.first)})
	s.say(core.BranchMoved{Ref: branch, New: s.first})
	s.has(branch, s.first)
	s.sayOf("r2", core.RunStarted{Run: "r2", Project: "p1", BaseCommit: s.second, BasePack: s.packed(s.second)})
	s.sayOf("r2", core.BranchMoved{Ref: branch, Old: s.first, New: s.second})
	s.has(branch, s.second)
	s.say(core.RunSwept{})
	s.has(branch, s.second)
	s.sayOf("r2", core.BranchMoved{Ref: branch, Old: s.second})
	s.hasNot(branch)
	s.say(core.RunSwept{})
	s.hasNot(branch)
}

func (s *sharedYards) hasNot(ref string) {
	s.t.Helper()
	y, err := s.Yard(s.t.Context(), "p1")
	s.must(err)
	if refs, err := y.Refs(s.t.Context(), ref); err != nil || len(refs) != 0 {
		s.t.Errorf("%s is there: %v, %v", ref, refs, err)
	}
}
