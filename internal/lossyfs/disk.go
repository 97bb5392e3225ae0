// Package lossyfs is a file system for tests that loses what was not synced. It keeps everything in memory, and knows of
// every file which writes, and of every folder which names, no sync has made durable yet. When the power fails, each of
// those is kept or lost as a random source says: in any order, torn at sectors, a file's size without its bytes. It
// promises no more than POSIX does: syncing a file does not keep its name. Only tests use it, and it must not know what
// they keep there.
package lossyfs

import (
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Disk is a tree of folders and files. Mount shows it to programs.
type Disk struct {
	mu      sync.Mutex
	root    *node
	nodes   map[uint64]*node // by id, those without a name included: somebody may have them open
	last    uint64           // id given
	changes int64            // and syncs since the last Restart
	limit   int64            // the change that finds the power gone; 0 for none
	atSync  bool             // it is the first sync from then on
	dark    bool
	failed  chan struct{} // closed when the power fails
}

// node is a file, a folder or a symbolic link.
type node struct {
	id       uint64
	mode     uint32 // type and permissions
	changed  time.Time
	links    uint32
	file     content
	folder   names
	linkedTo string
}

func (n *node) isFolder() bool { return n.mode&syscall.S_IFMT == syscall.S_IFDIR }

const rootID = 1

// New returns an empty disk.
func New() *Disk {
	d := &Disk{nodes: map[uint64]*node{}, failed: make(chan struct{})}
	d.root = d.add(syscall.S_IFDIR | 0o700)
	return d
}

func (d *Disk) add(mode uint32) *node {
	d.last++
	n := &node{id: d.last, mode: mode, changed: time.Now(), links: 1}
	if n.isFolder() {
		n.links = 2
		n.folder = names{now: map[string]*node{}, synced: map[string]*node{}}
	}
	d.nodes[n.id] = n
	return n
}

// FailAfter lets the power fail when so many more changes have been made. A sync counts as a change.
func (d *Disk) FailAfter(changes int64) { d.failAfter(changes, false) }

// FailAtSync lets the power fail at the first sync after so many more changes: when most is at stake.
func (d *Disk) FailAtSync(changes int64) { d.failAfter(changes, true) }

func (d *Disk) failAfter(changes int64, atSync bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.limit, d.atSync = d.changes+changes+1, atSync
}

// Failed is closed when the power fails.
func (d *Disk) Failed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Fail lets the power fail now, and says how many changes had been made since it came.
func (d *Disk) Fail() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail()
	return d.changes
}

func (d *Disk) fail() {
	if !d.dark {
		d.dark = true
		close(d.failed)
	}
}

// lit reports that there is power. d.mu is held.
func (d *Disk) lit() error {
	if d.dark {
		return syscall.EIO
	}
	return nil
}

// step counts a change that is about to be made, and refuses it if the power fails first. d.mu is held.
func (d *Disk) step() error { return d.count(false) }

func (d *Disk) count(isSync bool) error {
	if d.dark {
		return syscall.EIO
	}
	d.changes++
	if d.limit > 0 && d.changes >= d.limit && (isSync || !d.atSync) {
		d.fail()
		return syscall.EIO
	}
	return nil
}

// child is the folder and what a name in it means now.
func (d *Disk) child(parent uint64, name string) (folder, found *node, err error) {
	if err := d.lit(); err != nil {
		return nil, nil, err
	}
	folder = d.nodes[parent]
	switch {
	case folder == nil:
		return nil, nil, syscall.ESTALE
	case !folder.isFolder():
		return nil, nil, syscall.ENOTDIR
	}
	return folder, folder.folder.now[name], nil
}

// make gives a new node a name.
func (d *Disk) make(parent uint64, name string, mode uint32) (*node, error) {
	folder, found, err := d.child(parent, name)
	if err != nil {
		return nil, err
	}
	if found != nil {
		return nil, syscall.EEXIST
	}
	if err := d.step(); err != nil {
		return nil, err
	}
	n := d.add(mode)
	if n.isFolder() {
		folder.links++
	}
	d.name(folder, &naming{edits: []edit{{name: name, to: n}}})
	return n, nil
}

func (d *Disk) name(folder *node, n *naming) {
	folder.folder.change(n)
	folder.changed = time.Now()
}

func (d *Disk) link(id, parent uint64, name string) (*node, error) {
	folder, found, err := d.child(parent, name)
	if err != nil {
		return nil, err
	}
	n := d.nodes[id]
	switch {
	case found != nil:
		return nil, syscall.EEXIST
	case n == nil:
		return nil, syscall.ESTALE
	case n.isFolder():
		return nil, syscall.EPERM
	}
	if err := d.step(); err != nil {
		return nil, err
	}
	n.links++
	d.name(folder, &naming{edits: []edit{{name: name, to: n}}})
	return n, nil
}

// remove takes a name away: that of a folder, which must be empty, or of something else.
func (d *Disk) remove(parent uint64, name string, isFolder bool) error {
	folder, found, err := d.child(parent, name)
	switch {
	case err != nil:
		return err
	case found == nil:
		return syscall.ENOENT
	}
	if err := removable(found, isFolder); err != nil {
		return err
	}
	if err := d.step(); err != nil {
		return err
	}
	d.unlinked(folder, found)
	d.name(folder, &naming{edits: []edit{{name: name, from: found}}})
	return nil
}

func removable(n *node, isFolder bool) error {
	switch {
	case isFolder && !n.isFolder():
		return syscall.ENOTDIR
	case !isFolder && n.isFolder():
		return syscall.EISDIR
	case n.isFolder() && len(n.folder.now) > 0:
		return syscall.ENOTEMPTY
	}
	return nil
}

func (d *Disk) unlinked(folder, n *node) {
	if n.isFolder() {
		folder.links--
		n.links = 0
		return
	}
	n.links--
}

// rename moves a name, over another if there is one, in one step. Between two folders a crash may leave both names, but
// never none.
func (d *Disk) rename(from uint64, old string, to uint64, name string, keep bool) error {
	source, n, err := d.child(from, old)
	if err != nil {
		return err
	}
	target, over, err := d.child(to, name)
	switch {
	case err != nil:
		return err
	case n == nil:
		return syscall.ENOENT
	case over == n:
		return nil
	case over != nil && keep:
		return syscall.EEXIST
	case over != nil:
		if err := removable(over, n.isFolder()); err != nil {
			return err
		}
	}
	if err := d.step(); err != nil {
		return err
	}
	if over != nil {
		d.unlinked(target, over)
	}
	if n.isFolder() {
		source.links--
		target.links++
	}
	taken, given := edit{name: old, from: n}, edit{name: name, to: n}
	if source == target {
		d.name(target, &naming{edits: []edit{taken, given}})
		return nil
	}
	arrival := &naming{edits: []edit{given}}
	d.name(target, arrival)
	d.name(source, &naming{edits: []edit{taken}, after: arrival})
	return nil
}

// sync makes a file's bytes durable, or a folder's names.
func (d *Disk) sync(id uint64) error {
	n, err := d.node(id)
	if err != nil {
		return err
	}
	if err := d.count(true); err != nil {
		return err
	}
	if n.isFolder() {
		n.folder.sync()
	} else {
		n.file.sync()
	}
	return nil
}

func (d *Disk) node(id uint64) (*node, error) {
	if err := d.lit(); err != nil {
		return nil, err
	}
	if n := d.nodes[id]; n != nil {
		return n, nil
	}
	return nil, syscall.ESTALE
}

// list is what a folder has, by name.
func (d *Disk) list(id uint64) ([]string, map[string]*node, error) {
	n, err := d.node(id)
	if err != nil {
		return nil, nil, err
	}
	return slices.Sorted(maps.Keys(n.folder.now)), n.folder.now, nil
}
