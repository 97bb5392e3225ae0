package examine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

const (
	keptLarge = 5 << 30         // bytes of a state folder to warn of
	keptLook  = 5 * time.Second // how long to count
)

// examineKept warns if a state folder has grown large and nothing prunes it.
func examineKept(ctx context.Context, state string, pruned bool) api.Examined {
	const what = "kept"
	sizes, whole := weigh(ctx, state)
	var sum uint64
	for _, size := range sizes {
		sum += size
	}
	found := wording.Bytes(sum)
	if !whole {
		found = "more than " + found
	}
	found += " in " + state
	if sum < keptLarge || pruned {
		return doctor.OK(what, found)
	}
	return doctor.Warn(what, fmt.Sprintf("%s (%s); nothing removes old data automatically: `retention` is off", found, largest(sizes)), "`stellwerk prune` lists what can go, `stellwerk prune --yes` removes it; with `retention: 90d` in your settings, `stellwerk serve` does so daily. Yards stay: they hold the work")
}

// weigh sums the files below each entry of a folder; whole is false if it could not
// look at all of them in time.
func weigh(ctx context.Context, dir string) (sizes map[string]uint64, whole bool) {
	ctx, cancel := context.WithTimeout(ctx, keptLook)
	defer cancel()
	sizes, whole = map[string]uint64{}, true
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		top, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
		sizes[top] += weight(entry, err)
		whole = whole && (err == nil || errors.Is(err, fs.ErrNotExist))
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		whole = false
	}
	return sizes, whole
}

// weight is the size of a file; 0 if it is gone.
func weight(entry fs.DirEntry, err error) uint64 {
	if err != nil || entry.IsDir() {
		return 0
	}
	info, err := entry.Info()
	if err != nil {
		return 0
	}
	return uint64(max(info.Size(), 0))
}

// largest names the heaviest entries.
func largest(sizes map[string]uint64) string {
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b))
	})
	var said []string
	for _, name := range names[:min(len(names), 3)] {
		said = append(said, name+" "+wording.Bytes(sizes[name]))
	}
	return strings.Join(said, ", ")
}
