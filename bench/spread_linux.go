package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// topFolder is ext4's flag for a folder whose subfolders have nothing to do with each other, FS_TOPDIR_FL.
const topFolder = 0x20000

// spread has ext4 put the folders in dir apart. Before ext4 makes a file, it looks at every file that was deleted nearby in the last
// minutes, so a figure would depend on what was deleted before it was measured. Other file systems refuse the flag and do not need it.
func spread(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	if flags, err := unix.IoctlGetInt(int(folder.Fd()), unix.FS_IOC_GETFLAGS); err == nil {
		err = unix.IoctlSetPointerInt(int(folder.Fd()), unix.FS_IOC_SETFLAGS, flags|topFolder)
		if err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
			return errors.Join(err, folder.Close())
		}
	}
	return folder.Close()
}
