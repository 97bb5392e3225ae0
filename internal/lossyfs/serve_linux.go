package lossyfs

import (
	"bytes"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// server answers the kernel's questions about a disk. The kernel keeps pages and names, since nobody else changes them,
// but hands on each write at once. It keeps locks by itself.
type server struct {
	fuse.RawFileSystem // refuses what is not here
	disk               *Disk

	mu    sync.Mutex
	lists map[uint64][]fuse.DirEntry // guarded by mu: by handle, what a folder had when its reader began
	last  uint64                     // guarded by mu: handle given
}

func newServer(d *Disk) *server {
	return &server{RawFileSystem: fuse.NewDefaultRawFileSystem(), disk: d, lists: map[uint64][]fuse.DirEntry{}}
}

func (s *server) String() string { return "lossyfs" }

// forever is longer than anything is mounted.
const forever = 24 * time.Hour

func (s *server) attr(n *node, out *fuse.Attr) {
	size := uint64(len(n.file.now) + len(n.linkedTo))
	*out = fuse.Attr{
		Ino: n.id, Size: size, Blocks: (size + 511) / 512, Mode: n.mode, Nlink: n.links, Blksize: 4096,
		Owner: *fuse.CurrentOwner(),
	}
	out.SetTimes(&n.changed, &n.changed, &n.changed)
}

func (s *server) entry(n *node, out *fuse.EntryOut) {
	out.NodeId, out.Generation = n.id, 1
	out.SetEntryTimeout(forever)
	out.SetAttrTimeout(forever)
	s.attr(n, &out.Attr)
}

// made tells the kernel of a node that has a new name.
func (s *server) made(out *fuse.EntryOut, change func() (*node, error)) fuse.Status {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	n, err := change()
	if err == nil {
		s.entry(n, out)
	}
	return fuse.ToStatus(err)
}

// about does something with a node.
func (s *server) about(id uint64, do func(*node) error) fuse.Status {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	n, err := s.disk.node(id)
	if err == nil {
		err = do(n)
	}
	return fuse.ToStatus(err)
}

func (s *server) change(do func() error) fuse.Status {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return fuse.ToStatus(do())
}

func (s *server) Lookup(_ <-chan struct{}, in *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	return s.made(out, func() (*node, error) {
		_, found, err := s.disk.child(in.NodeId, name)
		if err == nil && found == nil {
			err = syscall.ENOENT
		}
		return found, err
	})
}

func (s *server) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return s.about(in.NodeId, func(n *node) error {
		out.SetTimeout(forever)
		s.attr(n, &out.Attr)
		return nil
	})
}

// SetAttr changes a size as a write does. Permissions and times survive everything.
func (s *server) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return s.about(in.NodeId, func(n *node) error {
		if err := s.disk.step(); err != nil {
			return err
		}
		if mode, ok := in.GetMode(); ok {
			n.mode = n.mode&syscall.S_IFMT | mode
		}
		if size, ok := in.GetSize(); ok {
			n.file.change(write{resize: true, at: int64(size)}) //nolint:gosec // a size of a file in memory
			n.changed = time.Now()
		}
		if at, ok := in.GetMTime(); ok {
			n.changed = at
		}
		out.SetTimeout(forever)
		s.attr(n, &out.Attr)
		return nil
	})
}

func (s *server) Mknod(_ <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return s.made(out, func() (*node, error) { return s.disk.make(in.NodeId, name, in.Mode) })
}

func (s *server) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return s.made(out, func() (*node, error) {
		return s.disk.make(in.NodeId, name, syscall.S_IFDIR|in.Mode&0o7777)
	})
}

func (s *server) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	return s.made(&out.EntryOut, func() (*node, error) {
		return s.disk.make(in.NodeId, name, syscall.S_IFREG|in.Mode&0o7777)
	})
}

func (s *server) Symlink(_ <-chan struct{}, in *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	return s.made(out, func() (*node, error) {
		n, err := s.disk.make(in.NodeId, name, syscall.S_IFLNK|0o777)
		if err == nil {
			n.linkedTo = to
		}
		return n, err
	})
}

func (s *server) Readlink(_ <-chan struct{}, in *fuse.InHeader) (to []byte, status fuse.Status) {
	status = s.about(in.NodeId, func(n *node) error { to = []byte(n.linkedTo); return nil })
	return to, status
}

func (s *server) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	return s.made(out, func() (*node, error) { return s.disk.link(in.Oldnodeid, in.NodeId, name) })
}

func (s *server) Unlink(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return s.change(func() error { return s.disk.remove(in.NodeId, name, false) })
}

func (s *server) Rmdir(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return s.change(func() error { return s.disk.remove(in.NodeId, name, true) })
}

func (s *server) Rename(_ <-chan struct{}, in *fuse.RenameIn, old, name string) fuse.Status {
	const noReplace, others = 1, ^uint32(1)
	if in.Flags&others != 0 {
		return fuse.EINVAL
	}
	return s.change(func() error { return s.disk.rename(in.NodeId, old, in.Newdir, name, in.Flags&noReplace != 0) })
}

func (s *server) Open(_ <-chan struct{}, in *fuse.OpenIn, _ *fuse.OpenOut) fuse.Status {
	return s.about(in.NodeId, func(*node) error { return nil })
}

func (s *server) Read(_ <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	read := 0
	status := s.about(in.NodeId, func(n *node) error {
		if in.Offset < uint64(len(n.file.now)) {
			read = copy(buf, n.file.now[in.Offset:])
		}
		return nil
	})
	return fuse.ReadResultData(buf[:read]), status
}

func (s *server) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	status := s.about(in.NodeId, func(n *node) error {
		if err := s.disk.step(); err != nil {
			return err
		}
		n.file.change(write{at: int64(in.Offset), data: bytes.Clone(data)}) //nolint:gosec // an offset in memory
		n.changed = time.Now()
		return nil
	})
	if status != fuse.OK {
		return 0, status
	}
	return uint32(len(data)), fuse.OK //nolint:gosec // bounded by the kernel
}

// Flush is told that a descriptor was closed, which makes nothing durable.
func (s *server) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status { return fuse.OK }

func (s *server) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return s.change(func() error { return s.disk.sync(in.NodeId) })
}

func (s *server) FsyncDir(c <-chan struct{}, in *fuse.FsyncIn) fuse.Status { return s.Fsync(c, in) }

func (s *server) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	out.Fh = s.last
	return s.about(in.NodeId, func(*node) error { return nil })
}

func (s *server) ReleaseDir(in *fuse.ReleaseIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lists, in.Fh)
}

// ReadDir shows what there was when the reader began, so that removing while reading skips nothing.
func (s *server) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Offset == 0 {
		entries, err := s.entries(in.NodeId)
		if err != nil {
			return fuse.ToStatus(err)
		}
		s.lists[in.Fh] = entries
	}
	entries := s.lists[in.Fh]
	for _, e := range slices.Clone(entries[min(in.Offset, uint64(len(entries))):]) {
		if !out.AddDirEntry(e) {
			break
		}
	}
	return fuse.OK
}

func (s *server) entries(id uint64) ([]fuse.DirEntry, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	order, have, err := s.disk.list(id)
	if err != nil {
		return nil, err
	}
	entries := []fuse.DirEntry{{Name: ".", Mode: syscall.S_IFDIR, Ino: id, Off: 1}, {Name: "..", Mode: syscall.S_IFDIR, Ino: id, Off: 2}}
	for i, name := range order {
		entries = append(entries, fuse.DirEntry{Name: name, Mode: have[name].mode, Ino: have[name].id, Off: uint64(i) + 3})
	}
	return entries, nil
}

// StatFs is a disk with room.
func (s *server) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	const blocks = 1 << 20
	out.Blocks, out.Bfree, out.Bavail, out.Bsize, out.Frsize, out.NameLen = blocks, blocks, blocks, 4096, 4096, 255
	return fuse.OK
}
