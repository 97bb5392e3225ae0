package resource

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// diskWatch measures what folders grew by. A walk over them is dear, so one follows another at a distance that keeps it
// to a small part of one core, unless the free space tells that much is being written.
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
	// restful and hurried are how many times as long as a walk nothing is walked after it: 5 and 20 per cent of a core.
	restful, hurried = 20, 4
	shortestRest     = 5 * time.Second
	cheapWalk        = 100 * time.Millisecond
	// mostFloor and floorPart are how much of a disk stays free: 1 GiB, or 2 % of a small one.
	mostFloor = gib
	floorPart = 50
)

func newDiskWatch(folders []string) *diskWatch { return &diskWatch{folders: folders} }

// begin takes what is there as not the group's.
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

// last walks once more after the end, unless that is dear and little can have been written.
func (d *diskWatch) last(limit int64) int64 {
	if d.took < cheapWalk || d.pressed(limit) {
		d.walk()
	}
	return d.used
}

// pressed reports that as much was written since the last walk, by whomever, that the group may come near its limit.
func (d *diskWatch) pressed(limit int64) bool {
	return limit > 0 && d.freeAt-d.free() > (limit-d.used)/4
}

// walk adds up the blocks of all files. What it cannot read is not counted: the free space still tells of it.
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

// lowest is the free space of the disk that is nearest to running full, and what has to stay free on it.
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
