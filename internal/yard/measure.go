package yard

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// treeSize is how much a tree holds in all.
type treeSize struct {
	entries int   // files and folders
	bytes   int64 // of all files together
	path    int   // length of the longest path below it
	name    int   // length of the longest name
	links   bool  // it has submodules
}

// add counts one more entry, and what is below it.
func (s *treeSize) add(name int, below treeSize) {
	const most = 1 << 60 // sums of a few such numbers do not overflow
	s.entries = min(s.entries+below.entries+1, most)
	s.bytes = min(s.bytes+below.bytes, most)
	length := name
	if below.path > 0 {
		length += 1 + below.path
	}
	s.path, s.name, s.links = max(s.path, length), max(s.name, name, below.name), s.links || below.links
}

// within reports a tree that is not over the limits.
func (s treeSize) within(most extent) bool {
	return s.entries <= most.entries && s.bytes <= most.bytes && s.path <= maxPath && s.name <= maxName
}

const (
	// mostSizes bounds how many trees' sizes are remembered.
	mostSizes = 50_000
	// mostLooks bounds how many objects are looked up one by one before git lists the whole tree.
	mostLooks = 500
)

// treeSizes remembers how much trees hold: a commit that changes a file has all trees but a few in common with its parent.
type treeSizes struct {
	mu    sync.Mutex
	known map[string]treeSize
}

func (s *treeSizes) get(tree string) (treeSize, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, known := s.known[tree]
	return size, known
}

func (s *treeSizes) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known) == 0
}

// learn adds what is known of trees, and forgets everything else if that is too much.
func (s *treeSizes) learn(sizes map[string]treeSize) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(sizes) > mostSizes {
		return
	}
	if s.known == nil || len(s.known)+len(sizes) > mostSizes {
		s.known = map[string]treeSize{}
	}
	for tree, size := range sizes {
		s.known[tree] = size
	}
}

// errManyLooks means that too much of a tree is unknown to look it up piece by piece.
var errManyLooks = errors.New("much of the tree is unknown")

// measureNew sums up a tree from those that are known, and looks up the few that are not.
func (y *Yard) measureNew(ctx context.Context, tree string) (treeSize, error) {
	if y.sizes.none() {
		return treeSize{}, errManyLooks
	}
	found, looks := map[string]treeSize{}, 0
	var measure func(tree string) (treeSize, error)
	look := func() error {
		if looks++; looks > mostLooks {
			return errManyLooks
		}
		return nil
	}
	measure = func(tree string) (treeSize, error) {
		if size, known := found[tree]; known {
			return size, nil
		}
		if size, known := y.sizes.get(tree); known {
			return size, nil
		}
		if err := look(); err != nil {
			return treeSize{}, err
		}
		entries, err := y.entries(ctx, tree)
		if err != nil {
			return treeSize{}, err
		}
		var size treeSize
		for _, e := range entries {
			below := treeSize{links: e.Kind == Submodule}
			switch e.Kind {
			case subtree:
				below, err = measure(e.Hash)
			case Submodule:
			default:
				if err = look(); err == nil {
					var blob object
					blob, err = y.reader.look(ctx, e.Hash)
					below.bytes, e.Size = blob.size, blob.size
				}
				if err == nil && e.hollow() {
					err = hollowError(e.Path)
				}
			}
			if err != nil {
				return treeSize{}, err
			}
			size.add(len(e.Path), below)
		}
		found[tree] = size
		return size, nil
	}
	size, err := measure(tree)
	if err == nil && size.within(y.extent) {
		y.sizes.learn(found)
	}
	return size, err
}

// measureAll has git list a whole tree, and remembers the sizes of all trees in it. It refuses one over the limits with
// *TooBigError, and one with a symlink that has no target with ErrCorrupt.
func (y *Yard) measureAll(ctx context.Context, commit, root string) (treeSize, error) {
	type folder struct {
		path, hash string
		size       treeSize
	}
	found := map[string]treeSize{}
	open := []folder{{hash: root}}
	shut := func() {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		found[last.hash] = last.size
		open[len(open)-1].size.add(len(last.path)-strings.LastIndexByte(last.path, '/')-1, last.size)
	}
	hollow := ""
	err := y.git().walkTree(ctx, commit, y.extent, func(f File) {
		if f.hollow() {
			hollow = f.Path
		}
		for len(open) > 1 && !strings.HasPrefix(f.Path, open[len(open)-1].path+"/") {
			shut()
		}
		if f.Kind == subtree {
			open = append(open, folder{path: f.Path, hash: f.Hash})
			return
		}
		name := len(f.Path) - strings.LastIndexByte(f.Path, '/') - 1
		open[len(open)-1].size.add(name, treeSize{bytes: f.Size, links: f.Kind == Submodule})
	})
	if err == nil && hollow != "" {
		err = hollowError(hollow)
	}
	if err != nil {
		return treeSize{}, err
	}
	for len(open) > 1 {
		shut()
	}
	found[root] = open[0].size
	y.sizes.learn(found)
	return open[0].size, nil
}
