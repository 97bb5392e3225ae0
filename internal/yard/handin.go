package yard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// HandInSpec says where an attempt worked and where its bundle goes.
type HandInSpec struct {
	Yard     string // the yard's folder, readable from inside the sandbox
	Dir      string // the workspace
	Base     string // the commit the workspace was made from
	Index    string // the index that Workspace kept of Base; empty if there is none
	Message  string // of the checkpoint commit, if one is needed
	Mark     bool   // make a checkpoint even if the attempt committed everything itself: it then changes nothing
	Identity Identity
	When     time.Time // date of the checkpoint; zero means now
	Bundle   string    // file to write; its folder is also used for scratch space
	MaxBytes int64     // of the bundle, and of any single file that is not committed yet
	Live     bool      // the agent is at work there: nothing in the workspace is changed
}

// HandedIn is what the workspace held.
type HandedIn struct {
	Commit       string   // what the attempt made; Base if nothing
	Empty        bool     // nothing new: no bundle was written
	Checkpointed bool     // uncommitted work was committed
	Marked       bool     // a checkpoint was made that changes nothing: all work was committed
	Commits      int      // commits in the bundle that lead to Commit
	Left         []string // commits found on other branches and in the stash, bundled beside Commit
	Gone         string   // why there was no work tree to look at: Empty then says nothing about the work
	Notes        []string // what was unusual, and what could not be handed in, for the record
}

// Names of the refs in a bundle.
const (
	bundleHead = "refs/handin/head"
	bundleLeft = "refs/handin/left/"
)

// HandIn commits what a workspace holds and bundles everything that Base does not have. It runs at the end of an attempt,
// inside the sandbox, when the agent's processes are gone. It trusts nothing in the workspace: it reads the agent's refs as
// plain files, uses its repository as a store of objects only, and commits the work tree through a private repository. So
// hooks, filters, configuration, locks and half-done rebases have no effect, and the files arrive even without a repository.
// HandIn makes unreadable files and folders readable for their owner, and removes pipes that stand in for git's own files and
// whatever could lead git to one elsewhere, unless the agent is still at work.
func HandIn(ctx context.Context, spec HandInSpec) (result HandedIn, err error) {
	defer wrap(&err, "hand in %s", spec.Dir)
	if err := spec.check(); err != nil {
		return HandedIn{}, err
	}
	if reason := WorkspaceGone(spec.Dir); reason != "" {
		return HandedIn{Commit: spec.Base, Empty: true, Gone: reason}, nil
	}
	h, err := newHandIn(spec)
	if err != nil {
		return HandedIn{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(h.private)) }()
	if err := h.settle(spec.Dir); err != nil {
		return HandedIn{}, err
	}
	result, err = h.collect(ctx, h.agentRefs())
	if err == nil || ctx.Err() != nil || errors.As(err, new(*TooBigError)) {
		return result, err
	}
	h.note("the workspace's repository is unusable (%v); the files were committed on the base, without the agent's own commits", err)
	if err := h.forgetAgentsObjects(); err != nil {
		return HandedIn{}, err
	}
	return h.collect(ctx, agentRefs{})
}

func (s HandInSpec) check() error {
	if !isHash(s.Base) {
		return fmt.Errorf("base %q is not a full commit hash", s.Base)
	}
	for _, path := range []string{s.Yard, s.Dir, s.Bundle} {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("path %q is not absolute", path)
		}
	}
	if s.MaxBytes <= 0 {
		return errors.New("no size limit was given")
	}
	return s.Identity.check()
}

// WorkspaceGone says why there is no work tree to look at, "" if there is one. An empty folder without a repository is a workspace
// that somebody deleted: a mount point itself cannot be removed.
func WorkspaceGone(dir string) string {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "the workspace was deleted"
	}
	if err == nil && !info.IsDir() {
		return "the workspace was replaced by something that is not a folder"
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 {
		return "the workspace is empty, and its repository is gone"
	}
	return ""
}

// handInState is one hand-in under way.
type handInState struct {
	spec    HandInSpec
	private string // a repository nobody else knows
	git     git
	pack    packLimits
	notes   []string
	indexes int
	odd     bool // the work tree holds something that git would take for something else
	byHand  int  // bytes of new files and folders that are packed without git
}

func newHandIn(spec HandInSpec) (*handInState, error) {
	private, err := os.MkdirTemp(filepath.Dir(spec.Bundle), ".handin-")
	if err != nil {
		return nil, err
	}
	stores := []string{filepath.Join(spec.Yard, "objects")}
	if agents := spec.agentsStore(); agents != "" {
		stores = append(stores, agents)
	}
	shallow, err := shallowList(spec.Yard)
	if err == nil {
		err = layRepository(private, layout{
			head:       spec.Base,
			config:     "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n",
			alternates: stores,
			shallow:    shallow,
		})
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(private))
	}
	return &handInState{
		spec:    spec,
		private: private,
		pack:    defaultPackLimits(),
		byHand:  packedByHand,
		git: git{
			dir:    private,
			env:    append(ownEnv(), "GIT_DIR="+private),
			config: append(ownConfig(), "core.multiPackIndex=false", "core.looseCompression=1", "core.bigFileThreshold=64m", "pack.windowMemory=128m"),
			memory: maxGitMemory,
		},
	}, nil
}

// forgetAgentsObjects leaves the yard as the only store to borrow from. Git would otherwise use a damaged object of the
// agent's store instead of writing a sound one.
func (h *handInState) forgetAgentsObjects() error {
	lines, err := alternateLines([]string{filepath.Join(h.spec.Yard, "objects")})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(h.private, "objects", "info", "alternates"), []byte(lines), false)
}

func (h *handInState) note(format string, args ...any) {
	const enough = 100
	if len(h.notes) < enough {
		h.notes = append(h.notes, fmt.Sprintf(format, args...))
	}
}

// collect commits the work tree on top of the agent's last commit and bundles the result.
func (h *handInState) collect(ctx context.Context, refs agentRefs) (HandedIn, error) {
	parent, err := h.parent(ctx, refs.head)
	if err != nil {
		return HandedIn{}, err
	}
	result := HandedIn{Commit: parent}
	staged, err := h.stageAll(ctx, parent)
	if err != nil {
		return HandedIn{}, err
	}
	var pack []byte // nil if git has to make it
	if staged.differs {
		if result.Commit, pack, err = h.checkpoint(ctx, staged, parent, len(refs.others) == 0); err != nil {
			return HandedIn{}, err
		}
	}
	result.Checkpointed = result.Commit != parent
	result.Marked = h.spec.Mark && !result.Checkpointed && parent != h.spec.Base
	if result.Marked {
		if result.Commit, err = h.commit(ctx, staged.git, parent, true); err != nil {
			return HandedIn{}, err
		}
	}
	if result.Left, err = h.left(ctx, refs.others, result.Commit); err != nil {
		return HandedIn{}, err
	}
	if result.Commits, err = h.count(ctx, parent, result); err != nil {
		return HandedIn{}, err
	}
	result.Empty = result.Commits == 0 && len(result.Left) == 0
	if !result.Empty {
		if err := h.bundle(ctx, result, pack); err != nil {
			return HandedIn{}, err
		}
	}
	result.Notes = h.notes
	return result, nil
}

// count is the number of commits that lead from Base to the result.
func (h *handInState) count(ctx context.Context, parent string, result HandedIn) (int, error) {
	if parent == h.spec.Base {
		if result.Commit == parent {
			return 0, nil
		}
		return 1, nil
	}
	text, err := h.git.line(ctx, "rev-list", "--count", result.Commit, "^"+h.spec.Base)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// parent is the commit that the work tree is committed on: the agent's HEAD if it is sound and adds to Base, else Base.
func (h *handInState) parent(ctx context.Context, head string) (string, error) {
	if head == "" || head == h.spec.Base {
		return h.spec.Base, nil
	}
	flaw, err := h.flaw(ctx, head)
	if err != nil {
		return "", err
	}
	if flaw != "" {
		h.note("the commits up to HEAD %s are %s; the files were committed on the base", head, flaw)
		return h.spec.Base, nil
	}
	behind, err := h.git.isAncestor(ctx, head, h.spec.Base)
	if err != nil {
		return "", err
	}
	if behind {
		h.note("HEAD was set back to %s; the files were committed on the base", head)
		return h.spec.Base, nil
	}
	return head, nil
}

// flaw says why a commit cannot be handed in, "" if it can: it must be a commit, everything between it and Base must be there,
// and neither its tree nor its new objects may exceed the limits. Git reads the commit only after that is known.
func (h *handInState) flaw(ctx context.Context, commit string) (string, error) {
	hash, err := h.git.object(ctx, commit, "commit")
	if err == nil && hash == commit {
		err = h.measure(ctx, commit)
	}
	if err == nil && hash == commit {
		err = h.git.walkTree(ctx, commit, defaultExtent(), func(File) {})
	}
	if ctx.Err() != nil {
		return "", err
	}
	if big, ok := errors.AsType[*TooBigError](err); ok {
		return "more than can be handed in (" + big.Error() + ")", nil
	}
	if outOfMemory(err) {
		return "more than can be handed in (git would need more memory than its limit)", nil
	}
	if err != nil || hash != commit {
		return "damaged or incomplete", nil //nolint:nilerr // that is the answer
	}
	return "", nil
}

// measure refuses commits that bring more than a pack may hold, by what git knows of its objects without unpacking them.
func (h *handInState) measure(ctx context.Context, commit string) error {
	names, list := io.Pipe()
	listed := make(chan error, 1)
	go func() {
		err := h.git.stream(ctx, nil, list, "rev-list", "--objects", "--no-object-names", commit, "^"+h.spec.Base)
		listed <- errors.Join(err, list.Close())
	}()
	sizes := h.pack.sizes("the work up to " + commit)
	err := h.git.stream(ctx, names, sizes, "cat-file", "--batch-check=%(objectsize)", "--buffer")
	// Otherwise the process that lists would wait for ever for a reader.
	err = errors.Join(err, names.Close(), <-listed)
	return cmp.Or(sizes.err, err)
}

// sizes reads lines of one size each, and fails once their sum or one of them is over the limits.
func (l packLimits) sizes(what string) *recordWriter {
	var seen packLimits
	return &recordWriter{end: '\n', each: func(line string) error {
		size, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return err
		}
		return seen.add(what, size, l)
	}}
}

// left selects the commits worth keeping that the delivered commit does not contain.
func (h *handInState) left(ctx context.Context, candidates []string, head string) ([]string, error) {
	const most, looked = 16, 200 // each costs some processes
	if len(candidates) > looked {
		h.note("the workspace has %d branches beside HEAD; only %d were looked at", len(candidates), looked)
		candidates = candidates[:looked]
	}
	var left []string
	for _, candidate := range candidates {
		flaw, err := h.flaw(ctx, candidate)
		if err != nil {
			return nil, err
		}
		if flaw != "" {
			h.note("the commit %s beside HEAD was left out: it is %s", candidate, flaw)
			continue
		}
		args := []string{"rev-list", "--max-count=1", candidate, "^" + h.spec.Base, "^" + head}
		for _, taken := range left {
			args = append(args, "^"+taken)
		}
		out, err := h.git.run(ctx, args...)
		if err != nil {
			return nil, err
		}
		if len(out) == 0 {
			continue
		}
		if len(left) == most {
			h.note("more than %d branches hold work of their own; the rest was left out", most)
			break
		}
		left = append(left, candidate)
	}
	return left, nil
}
