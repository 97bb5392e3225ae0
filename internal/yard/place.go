package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packedHead is what git writes above refs that it has packed: sorted, and with what tags point at.
const packedHead = "# pack-refs with: peeled fully-peeled sorted \n"

// Place sets the refs that a yard being restored does not have. One that is there was moved by whoever knows better. All are
// made durable at once, in the one file that git keeps many refs in.
func (y *Yard) Place(ctx context.Context, refs []Ref) error {
	there, err := y.Refs(ctx, "refs/")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, ref := range there {
		known[ref.Name] = true
	}
	lines := map[string]string{}
	for _, ref := range refs {
		if err := (move{ref: ref.Name, new: ref.Commit}).check(); err != nil {
			return err
		}
		if !known[ref.Name] {
			lines[ref.Name] = ref.Commit + " " + ref.Name + "\n"
		}
	}
	if len(lines) == 0 {
		return nil
	}
	for name := range lines {
		known[name] = true
	}
	for name := range lines {
		if above := under(name, known); above != "" {
			return fmt.Errorf("%s stands in the way of %s", above, name)
		}
	}
	return y.packRefs(ctx, lines)
}

// under is a ref of which name would be below, "" if there is none: git cannot have both.
func under(name string, known map[string]bool) string {
	for above := name; ; {
		i := strings.LastIndexByte(above, '/')
		if i < 0 {
			return ""
		}
		if above = above[:i]; known[above] {
			return above
		}
	}
}

// packRefs adds lines to the file of packed refs.
func (y *Yard) packRefs(ctx context.Context, lines map[string]string) (err error) {
	lock, err := y.lockRef(ctx, "packed-refs")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	packed, err := os.ReadFile(filepath.Join(y.dir, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	head, rest, _ := bytes.Cut(packed, []byte("\n"))
	if len(packed) > 0 && string(head)+"\n" != packedHead {
		return fmt.Errorf("the packed refs begin with %.100q, not as git writes them", head)
	}
	name := ""
	for line := range bytes.Lines(rest) {
		if line[0] != '^' { // what the tag before points at
			_, name, _ = strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
			if lines[name] != "" {
				continue // its loose file was removed a moment ago
			}
		}
		lines[name] += string(line)
	}
	content := packedHead
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		content += lines[name]
	}
	return lock.replace(content)
}
