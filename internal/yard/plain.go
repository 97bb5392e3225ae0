package yard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// errOdd says that a tree has something in it that only git knows how to handle.
var errOdd = errors.New("not a plain tree")

// plainTree is a tree with the contents of all that is below it.
type plainTree struct {
	name    string
	hash    objectID
	entries []plainEntry
}

type plainEntry struct {
	File
	id      objectID
	content []byte     // of a file; a symlink's target
	below   *plainTree // of a folder
}

// loadTree reads a tree with everything in it. What is not plain is errOdd.
func (y *Yard) loadTree(ctx context.Context, tree string) (*plainTree, error) {
	id, err := parseID(tree)
	if err != nil {
		return nil, err
	}
	top := &plainTree{hash: id}
	var files []*plainEntry
	for level := []*plainTree{top}; len(level) > 0; {
		var next []*plainTree
		raw, err := y.contents(ctx, "tree", len(level), func(i int) objectID { return level[i].hash })
		if err != nil {
			return nil, err
		}
		for i, f := range level {
			if err := f.read(raw[i]); err != nil {
				return nil, err
			}
			for j := range f.entries {
				if e := &f.entries[j]; e.below != nil {
					next = append(next, e.below)
				} else {
					files = append(files, e)
				}
			}
		}
		level = next
	}
	contents, err := y.contents(ctx, "blob", len(files), func(i int) objectID { return files[i].id })
	if err != nil {
		return nil, err
	}
	for i, e := range files {
		e.content = contents[i]
		if e.Kind == Symlink && (len(e.content) == 0 || len(e.content) >= maxPath || strings.Contains(string(e.content), "\x00")) {
			return nil, errOdd
		}
	}
	return top, nil
}

// contents reads so many objects, each once, and compares them with their names: git does not when it checks out.
func (y *Yard) contents(ctx context.Context, kind string, n int, id func(int) objectID) ([][]byte, error) {
	var wanted []string
	at, place := map[objectID]int{}, make([]int, n)
	for i := range n {
		known, ok := at[id(i)]
		if !ok {
			known = len(wanted)
			at[id(i)] = known
			wanted = append(wanted, id(i).String())
		}
		place[i] = known
	}
	if n == 0 {
		return nil, nil
	}
	distinct, err := y.reader.readAll(ctx, kind, wanted, maxOutput)
	if err != nil {
		return nil, err
	}
	for i, content := range distinct {
		if got := hashObject(kind, content); got.String() != wanted[i] {
			return nil, fmt.Errorf("the yard is damaged: the %s %s has the content of %s", kind, wanted[i], got)
		}
	}
	all := make([][]byte, n)
	for i := range all {
		all[i] = distinct[place[i]]
	}
	return all, nil
}

// read takes the entries of a tree as git keeps it, unless there is one that git would not just write.
func (f *plainTree) read(raw []byte) error {
	entries, err := parseTree(raw, hashWidth)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errOdd
	}
	before, seen := "", map[string]bool{}
	for _, file := range entries {
		order := file.Path // by which git sorts
		if file.Kind == subtree {
			order += "/"
		}
		if oddName(file.Path, file.Kind) || indexMode(file.Kind) != file.Mode || order <= before || seen[file.Path] {
			return errOdd
		}
		before, seen[file.Path] = order, true
		e := plainEntry{File: file}
		if e.id, err = parseID(file.Hash); err != nil {
			return err
		}
		if file.Kind == subtree {
			e.below = &plainTree{name: file.Path, hash: e.id}
		}
		f.entries = append(f.entries, e)
	}
	return nil
}

// oddName reports a name that git refuses, at least for some kinds of entries and some file systems, or obeys. It may report
// others: git then sees to them.
func oddName(name string, kind Kind) bool {
	lower := strings.ToLower(name)
	own, gits := strings.CutPrefix(lower, ".git")
	switch {
	case name == "" || name == "." || name == ".." || kind == Submodule:
		return true
	case strings.ContainsAny(name, "/\\:"):
		return true
	case strings.IndexByte(name, 0xe2) >= 0 || strings.IndexByte(name, 0xef) >= 0: // they begin the characters that HFS+ skips
		return true
	case gits && (own == "" || own[0] < 'a' || own[0] > 'z' || own == "attributes" || own == "modules"):
		return true
	case strings.HasPrefix(lower, "git~"):
		return true
	}
	return kind == Symlink && (gits || strings.Contains(name, "~"))
}
