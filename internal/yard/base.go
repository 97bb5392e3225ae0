package yard

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteBase writes commits with their history as a pack, for a yard that has nothing yet.
func (y *Yard) WriteBase(ctx context.Context, commits []string, w io.Writer) (err error) {
	defer wrap(&err, "pack the commits %s", commits)
	for _, commit := range commits {
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
	}
	return y.git().stream(ctx, strings.NewReader(strings.Join(commits, "\n")+"\n"), w, "pack-objects", "--revs", "--stdout", "--delta-base-offset", "--quiet")
}

// Shallow is git's own list of the commits at which the yard's history is cut off, empty if it is whole.
func (y *Yard) Shallow() ([]byte, error) { return shallowList(y.dir) }

// ReadBase takes a commit that WriteBase wrote into an empty yard. The yard lasts for one attempt, so nothing waits for the
// disk.
func (y *Yard) ReadBase(ctx context.Context, commit string, shallow []byte, pack io.Reader) (err error) {
	defer wrap(&err, "unpack commit %s", commit)
	if len(shallow) > 0 {
		if err := os.WriteFile(filepath.Join(y.dir, "shallow"), shallow, 0o600); err != nil {
			return err
		}
	}
	if err := y.git().withConfig("core.fsync=none").stream(ctx, pack, io.Discard, "index-pack", "--stdin"); err != nil {
		return err
	}
	return y.haveAll(ctx, commit)
}
