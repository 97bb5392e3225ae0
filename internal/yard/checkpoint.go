package yard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// staging is an index of the work tree.
type staging struct {
	git     git
	differs bool   // it may differ from the parent's
	index   string // the file, if git made it from the one that the workspace was made with
}

// stageAll makes an index of the work tree. If the index that the workspace was made with is at hand, one process is enough,
// unless git refuses something or would not take it for what it is.
func (h *handInState) stageAll(ctx context.Context, parent string) (staged staging, err error) {
	if h.spec.Index == "" || parent != h.spec.Base || h.odd {
		staged.git, staged.differs, err = h.stageEach(ctx, h.spec.Dir, parent, 0)
		return staged, err
	}
	index := h.newIndex()
	if err := copyIndex(h.spec.Index, index); err != nil {
		return staging{}, err
	}
	g := h.worktree(h.spec.Dir, index)
	said, err := g.run(ctx, "add", "--all", "--verbose")
	if err == nil || ctx.Err() != nil {
		return staging{git: g, differs: len(said) > 0, index: index}, err
	}
	staged.git, staged.differs, err = h.stageEach(ctx, h.spec.Dir, parent, 0)
	return staged, err
}

// checkpoint commits an index on parent, and returns parent if that changes nothing. If the commit is all that there is to hand
// in, and small and plain, it is made without git, and its pack comes with it.
func (h *handInState) checkpoint(ctx context.Context, staged staging, parent string, alone bool) (commit string, pack []byte, err error) {
	if alone && staged.index != "" {
		commit, pack, err = h.commitByHand(staged.index)
		if !errors.Is(err, errOdd) {
			return commit, pack, err
		}
	}
	commit, err = h.commit(ctx, staged.git, parent, false)
	return commit, nil, err
}

// commit commits an index on parent, and returns parent if that changes nothing and empty is false.
func (h *handInState) commit(ctx context.Context, staged git, parent string, empty bool) (string, error) {
	head := filepath.Join(h.private, "HEAD")
	if err := writeFile(head, []byte(parent+"\n"), false); err != nil {
		return "", err
	}
	args := []string{"commit", "--quiet", "--no-verify", "--cleanup=verbatim", "--file=-"}
	if empty {
		args = append(args, "--allow-empty")
	}
	_, err := staged.with(h.spec.Identity.env(h.spec.When)...).feed(ctx, []byte(h.spec.Message+"\n"), args...)
	if exitCode(err) == 1 && !empty { // git says that there is nothing to commit
		return parent, nil
	}
	if err != nil {
		return "", err
	}
	made, err := os.ReadFile(head)
	commit := strings.TrimSpace(string(made))
	if err == nil && !isHash(commit) {
		err = fmt.Errorf("git left %.100q as the head of its commit", commit)
	}
	return commit, err
}
