package lossyfs

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Export copies what a disk has into a folder of the machine, which is empty. Files with several names become several.
func (d *Disk) Export(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.root.export(folder)
}

func (n *node) export(path string) error {
	for name, child := range n.folder.now {
		if err := child.exportAs(filepath.Join(path, name)); err != nil {
			return fmt.Errorf("export %s: %w", name, err)
		}
	}
	return nil
}

func (n *node) exportAs(path string) error {
	mode := os.FileMode(n.mode & 0o777)
	switch n.mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		if err := os.Mkdir(path, mode); err != nil {
			return err
		}
		return n.export(path)
	case syscall.S_IFLNK:
		return os.Symlink(n.linkedTo, path)
	case syscall.S_IFREG:
		return os.WriteFile(path, n.file.now, mode)
	}
	return nil // sockets and the like say nothing after a crash
}
