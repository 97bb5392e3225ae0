package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// copied is a small file of the system's that a sandbox gets as a copy, with the same mode. A mount costs more: for each one
// bubblewrap reads the list of all mounts.
type copied struct {
	from, to string
	mode     fs.FileMode
}

// largestCopy bounds what a sandbox takes of memory for one file.
const largestCopy = 256 << 10

// copies tells whether bubblewrap can set the mode of a file that it makes. Older ones may; nobody has tried.
func (b bubblewrapProgram) copies() bool { return !b.setuid && (b.major > 0 || b.minor >= 8) }

// copyOf is what to copy instead of a mount; false if it must be a mount: a folder, a file that somebody named, or one whose
// changes matter while the process runs.
func copyOf(m mount, spec Spec) (copied, bool) {
	if m.access != readOnly || !strings.HasPrefix(m.path, "/etc/") || slices.Contains(spec.ReadOnly, m.path) {
		return copied{}, false
	}
	if !spec.Network.Closed && (m.path == "/etc/resolv.conf" || m.path == "/etc/hosts") {
		return copied{}, false
	}
	info, err := os.Stat(m.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largestCopy || unix.Access(m.path, unix.R_OK) != nil {
		return copied{}, false
	}
	return copied{from: m.path, to: m.path, mode: info.Mode().Perm()}, true
}

// openCopies opens what is to be copied, and returns bubblewrap's arguments, which know the first file by the number from.
func openCopies(list []copied, from int) (files []*os.File, args []byte, err error) {
	for _, c := range list {
		file, err := os.Open(c.from)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed since the sandbox was planned
		}
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("sandbox: a file to show inside: %w", err), closeAll(files))
		}
		args = fmt.Appendf(args, "--perms\x00%04o\x00--file\x00%d\x00%s\x00", c.mode, from+len(files), c.to)
		files = append(files, file)
	}
	return files, args, nil
}

func closeAll(files []*os.File) (err error) {
	for _, file := range files {
		err = errors.Join(err, file.Close())
	}
	return err
}
