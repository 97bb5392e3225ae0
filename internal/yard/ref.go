package yard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Prefixes of the refs in a yard. Branches of the runs are under refs/heads.
const (
	UpstreamHeads    = "refs/upstream/heads/"    // the person's branches as last fetched
	UpstreamRemotes  = "refs/upstream/remotes/"  // branches of remotes beyond, each remote apart
	UpstreamFollowed = "refs/upstream/followed/" // what the person's branches follow, as their repository remembers it
	Attempts         = "refs/attempts/"          // what attempts handed in
	Kept             = "refs/kept/"              // abandoned and left-over work
)

// AttemptRef is where the commit is that an attempt handed in.
func AttemptRef(run, attempt string) string { return Attempts + run + "/" + attempt }

// LeftPrefix is below what the left-overs of an attempt are.
func LeftPrefix(run, attempt string) string { return Kept + run + "/" + attempt + "-left" }

// LeftRef is where the nth left-over is.
func LeftRef(prefix string, n int) string {
	return strings.TrimSuffix(prefix, "/") + "/" + strconv.Itoa(n)
}

// MergeRef is where a merge is that the engine made.
func MergeRef(run, commit string) string { return Attempts + run + "/merge-" + commit[:12] }

// PlanRef is where a commit of the plan is.
func PlanRef(run, commit string) string { return Attempts + run + "/plan-" + commit[:12] }

// Ref is a name and the object it points at.
type Ref struct{ Name, Commit string }

// Resolve turns a revision into a commit hash; ErrNotFound if the yard has no such commit.
func (y *Yard) Resolve(ctx context.Context, rev string) (string, error) {
	return y.object(ctx, rev, "commit")
}

// Tree is the hash of a commit's tree.
func (y *Yard) Tree(ctx context.Context, commit string) (string, error) {
	return y.object(ctx, commit, "tree")
}

// Exists reports whether the yard has the commit.
func (y *Yard) Exists(ctx context.Context, commit string) (bool, error) {
	_, err := y.Resolve(ctx, commit)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Have reports which of the commits, given by their hashes, the yard has. It costs one process, however many there are.
func (y *Yard) Have(ctx context.Context, commits []string) (map[string]bool, error) {
	have := map[string]bool{}
	if len(commits) == 0 {
		return have, nil
	}
	for _, commit := range commits {
		if !isHash(commit) {
			return nil, fmt.Errorf("%q is not a full commit hash", commit)
		}
	}
	out, err := y.git().feed(ctx, []byte(strings.Join(commits, "\n")+"\n"), "cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer")
	if err != nil {
		return nil, fmt.Errorf("look commits up: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if hash, kind, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); kind == "commit" {
			have[hash] = true
		}
	}
	return have, nil
}

func (y *Yard) object(ctx context.Context, rev, kind string) (string, error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	found, err := y.reader.look(ctx, rev+"^{"+kind+"}")
	if errors.Is(err, ErrNotFound) {
		return "", y.absent(kind, rev)
	}
	return found.hash, err
}

func (g git) object(ctx context.Context, rev, kind string) (string, error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	hash, err := g.line(ctx, "rev-parse", "--verify", "--quiet", rev+"^{"+kind+"}")
	if exitCode(err) == 1 || stderrHas(err, "could not get object info", "bad object", "unknown revision") {
		return "", fmt.Errorf("%s %q: %w", kind, rev, ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("resolve %q: %w", rev, err)
	}
	return hash, nil
}

// checkRev keeps revisions from being read as options or as more than one line.
func checkRev(revs ...string) error {
	for _, rev := range revs {
		if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
			return fmt.Errorf("%q is not a revision", rev)
		}
	}
	return nil
}

func checkRef(ref string) error {
	if !strings.HasPrefix(ref, "refs/") || strings.ContainsAny(ref, "\x00\n :*?[\\^~") || strings.Contains(ref, "..") {
		return fmt.Errorf("%q is not a full ref name such as refs/heads/topic", ref)
	}
	return nil
}

// Refs lists the refs below prefix, sorted by name. A prefix ends at a slash: refs/heads or refs/kept/.
func (y *Yard) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	out, err := y.git().run(ctx, "for-each-ref", "--format=%(objectname)%09%(refname)", prefix)
	if err != nil {
		return nil, fmt.Errorf("list refs below %s: %w", prefix, err)
	}
	return parseRefs(out), nil
}

// parseRefs reads lines of an object, a tab and a name.
func parseRefs(out []byte) []Ref {
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		object, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		refs = append(refs, Ref{Name: name, Commit: object})
	}
	return refs
}

// tip is the object a full ref name points at, "" if there is no such ref.
func (y *Yard) tip(ctx context.Context, ref string) (string, error) {
	refs, err := y.Refs(ctx, ref)
	return commitOf(refs, ref), err
}

// commitOf is the object that a ref of this very name points at, "" if there is none.
func commitOf(refs []Ref, name string) string {
	i := slices.IndexFunc(refs, func(r Ref) bool { return r.Name == name })
	if i < 0 {
		return ""
	}
	return refs[i].Commit
}

// Move sets ref to newCommit if it is at oldCommit; an empty oldCommit means the ref must not
// exist. If the ref is elsewhere, it returns a *MovedError and changes nothing. A ref that
// is at newCommit already counts as moved, so repeating a Move is harmless.
func (y *Yard) Move(ctx context.Context, ref, oldCommit, newCommit string) error {
	return y.moveAll(ctx, []move{{ref, oldCommit, newCommit}})
}

// Keep holds commit under a ref of its own, usually below Kept. Repeating it is harmless;
// a ref that holds another commit is never overwritten: *MovedError.
func (y *Yard) Keep(ctx context.Context, ref, commit string) error {
	return y.Move(ctx, ref, "", commit)
}

// DeleteRef removes a branch of the runs, below refs/heads, if it is at old, and returns a *MovedError if it is elsewhere. A
// missing branch counts as deleted, so repeating it is harmless. The commits stay in the yard. Refs outside of refs/heads are
// records and are never deleted.
func (y *Yard) DeleteRef(ctx context.Context, ref, old string) error {
	if err := checkRef(ref); err != nil {
		return err
	}
	switch {
	case !strings.HasPrefix(ref, "refs/heads/"):
		return fmt.Errorf("delete %s: only branches below refs/heads are ever deleted", ref)
	case !isHash(old):
		return fmt.Errorf("delete %s: %q is not a full commit hash", ref, old)
	}
	_, failure := y.git().run(ctx, "update-ref", "--no-deref", "-d", ref, old)
	if failure == nil {
		return nil
	}
	have, err := y.tip(ctx, ref)
	switch {
	case err != nil:
		return errors.Join(failure, err)
	case have == "":
		return nil
	case have != old:
		return &MovedError{Ref: ref, Want: old, Have: have}
	}
	return fmt.Errorf("delete %s: %w", ref, failure)
}

// move is one compare-and-swap; an empty old hash stands for "no such ref".
type move struct{ ref, old, new string }

// moveAll makes all moves or none. If git refuses, it leaves out the moves that are made already and tries the others once
// more.
func (y *Yard) moveAll(ctx context.Context, moves []move) error {
	for _, m := range moves {
		if err := m.check(); err != nil {
			return err
		}
	}
	failure := y.tryMoves(ctx, moves)
	if failure == nil {
		return nil
	}
	var open []move
	for _, m := range moves {
		have, err := y.tip(ctx, m.ref)
		switch {
		case err != nil:
			return errors.Join(failure, err)
		case have == m.new:
		case have != m.old:
			return &MovedError{Ref: m.ref, Want: m.old, Have: have}
		default:
			open = append(open, m)
		}
	}
	if len(open) > 0 && len(open) < len(moves) {
		return y.moveAll(ctx, open)
	}
	if len(open) > 0 {
		return fmt.Errorf("move %s: %w", open[0].ref, failure)
	}
	return nil
}

// tryMoves locks all refs, compares all of them, and only then changes one. It does what git update-ref does, with the files
// that git uses, and without its process.
func (y *Yard) tryMoves(ctx context.Context, moves []move) (err error) {
	var locks []*refLock
	defer func() {
		for _, l := range locks {
			err = errors.Join(err, l.release())
		}
	}()
	for _, m := range moves {
		if err := y.pointable(ctx, m); err != nil {
			return err
		}
		l, err := y.lockRef(ctx, m.ref)
		if err != nil {
			return err
		}
		locks = append(locks, l)
		have, err := y.current(m.ref)
		if err != nil {
			return err
		}
		if have != m.old {
			return fmt.Errorf("it is at %q, not at %q", have, m.old)
		}
		if err := l.write(m.new); err != nil {
			return err
		}
	}
	for _, l := range locks {
		if err := l.commit(); err != nil {
			return err
		}
	}
	return nil
}

// pointable refuses what a ref cannot point at: an object that is missing, and anything but a commit for a branch.
func (y *Yard) pointable(ctx context.Context, m move) error {
	found, err := y.reader.look(ctx, m.new)
	if err != nil {
		return err
	}
	if strings.HasPrefix(m.ref, "refs/heads/") && found.kind != "commit" {
		return fmt.Errorf("%s is a %s, not a commit", m.new, found.kind)
	}
	return nil
}

func (m move) check() error {
	if err := checkRef(m.ref); err != nil {
		return err
	}
	for _, hash := range []string{m.old, m.new} {
		if hash != "" && !isHash(hash) {
			return fmt.Errorf("move %s: %q is not a full commit hash", m.ref, hash)
		}
	}
	if m.new == "" {
		return fmt.Errorf("move %s: no new commit was named", m.ref)
	}
	return nil
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
