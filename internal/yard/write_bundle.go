package yard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// WriteBundle writes commits, with everything of them that others do not have, as a bundle that Restore reads. It takes one
// git process. Whoever restores it has the others; no object in it is stored as a difference to one of theirs, so its objects
// can be read even without them.
func (y *Yard) WriteBundle(ctx context.Context, out io.Writer, commits, others []string) (err error) {
	defer wrap(&err, "bundle %s", strings.Join(commits, ", "))
	if len(commits) == 0 {
		return errors.New("no commit was named")
	}
	header, revs := "# v2 git bundle\n", ""
	for _, commit := range others {
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
		header, revs = header+"-"+commit+" \n", revs+"^"+commit+"\n"
	}
	for i, commit := range commits {
		name := bundleHead
		if i > 0 {
			name = LeftRef(bundleLeft, i-1)
		}
		if !isHash(commit) {
			return fmt.Errorf("%q is not a full commit hash", commit)
		}
		header, revs = header+commit+" "+name+"\n", revs+commit+"\n"
	}
	if _, err := io.WriteString(out, header+"\n"); err != nil {
		return err
	}
	return y.git().stream(ctx, strings.NewReader(revs), out, "pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q")
}
