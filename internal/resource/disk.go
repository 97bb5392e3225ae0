package resource

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// diskWatch measures how much folders grow. A walk over them is expensive, so walks are spaced to take a small part of one
// core, unless the free space shows that much is being written.
type diskWatch struct {
	folders []string
	before  int64
	used    int64

	took   time.Duration // by the last walk
	ended  time.Time
	freeAt int64 // free space at that time
}

const (
	// leastBlamed is what a group must have written to be ended because the disk runs full.
	leastBlamed = 64 * mib
	// restful and hurried are the pauses between walks, in times of a walk's length: 5 and 20 per cent of a core.
	restful, hurried = 20, 4
	shortestRest     = 5 * time.Second
	cheapWalk        = 100 * time.Millisecond
	// mostFloor and floorPart are how much of a disk stays free: 1 GiB, or 2 % of a small one.
	mostFloor = gib
	floorPart = 50
)

func newDiskWatch(folders []string) *diskWatch { return &diskWatch{folders: folders} }

// begin notes what is there already, which does not count.
func (d *diskWatch) begin() {
	d.walk()
	d.before, d.used = d.used, 0
}

// look walks if it is time to. limit is what the group may write, zero for no limit.
func (d *diskWatch) look(limit int64) int64 {
	rest := max(shortestRest, restful*d.took)
	if d.pressed(limit) {
		rest = hurried * d.took
	}
	if time.Since(d.ended) >= rest {
		d.walk()
	}
	return d.used
}

// last walks once more after the end, unless a walk is expensive and little can have been written.
func (d *diskWatch) last(limit int64) int64 {
	if d.took < cheapWalk || d.pressed(limit) {
		d.walk()
	}
	return d.used
}

// pressed reports that so much was written since the last walk, by anybody, that the group may be near its limit.
func (d *diskWatch) pressed(limit int64) bool {
	return limit > 0 && d.freeAt-d.free() > (limit-d.used)/4
}

// walk adds up the blocks of all files. It leaves out what it cannot read, which still shows in the free space.
func (d *diskWatch) walk() {
	start, freeAt := time.Now(), d.free()
	var sum int64
	linked := map[[2]uint64]bool{}
	for _, folder := range d.folders {
		_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // a file that is gone has no size
			}
			info, err := entry.Info()
			if err != nil {
				return nil //nolint:nilerr // as above
			}
			stat, ok := info.Sys().(*syscall.Stat_t)
			if !ok {
				return nil
			}
			if stat.Nlink > 1 && !entry.IsDir() {
				key := [2]uint64{uint64(stat.Dev), stat.Ino} //nolint:unconvert // the type differs between systems
				if linked[key] {
					return nil
				}
				linked[key] = true
			}
			sum += stat.Blocks * 512
			return nil
		})
	}
	d.used = max(sum-d.before, 0)
	d.ended, d.took, d.freeAt = time.Now(), time.Since(start), freeAt
}

// free is the free space of the folder that has least.
func (d *diskWatch) free() int64 {
	least := int64(-1)
	for _, folder := range d.folders {
		if free, _, err := space(folder); err == nil && (least < 0 || free < least) {
			least = free
		}
	}
	return least
}

// lowest is the free space of the disk that is nearest to running full, and how much must stay free on it.
func (d *diskWatch) lowest() (free, floor int64) {
	for _, folder := range d.folders {
		f, size, err := space(folder)
		if err != nil {
			continue
		}
		if least := min(mostFloor, size/floorPart); floor == 0 || f-least < free-floor {
			free, floor = f, least
		}
	}
	return free, floor
}
