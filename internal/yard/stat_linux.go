package yard

import (
	"io/fs"
	"syscall"
)

// canStat: this system says of a file all that git's index keeps.
const canStat = true

// statOf is what the index keeps of a file: git, too, cuts large numbers off.
func statOf(info fs.FileInfo) fileStat {
	s := info.Sys().(*syscall.Stat_t)
	return fileStat{
		changed:  [2]uint32{uint32(s.Ctim.Sec), uint32(s.Ctim.Nsec)},
		modified: [2]uint32{uint32(s.Mtim.Sec), uint32(s.Mtim.Nsec)},
		dev:      uint32(s.Dev), ino: uint32(s.Ino), uid: s.Uid, gid: s.Gid, size: uint32(s.Size),
	}
}
