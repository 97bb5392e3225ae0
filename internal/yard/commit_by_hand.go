package yard

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// commitByHand makes the commit that git commit would make of an index on Base, and its pack, without a process. It returns Base
// if nothing changed. errOdd means that git has to do it.
func (h *handInState) commitByHand(file string) (commit string, pack []byte, err error) {
	before, err := readIndex(h.spec.Index)
	if err != nil {
		return "", nil, err
	}
	after, err := readIndex(file)
	if err != nil {
		return "", nil, err
	}
	if before.cache.entries != len(before.entries) {
		return "", nil, errOdd
	}
	p := smallPack{known: before.objects(), left: h.byHand}
	tree, err := p.addTrees(after.entries, 0, &after.cache)
	if err != nil {
		return "", nil, err
	}
	if tree == before.cache.hash {
		return h.spec.Base, nil, nil
	}
	if err := h.addBlobs(&p, after); err != nil {
		return "", nil, err
	}
	text, err := commitText(tree.String(), h.spec.Base, h.spec.Message, h.spec.Identity, h.spec.When)
	if err != nil {
		return "", nil, err
	}
	id, err := p.add(packedCommit, text)
	return id.String(), p.encode(), err
}

// readIndex reads a file that nobody writes any more.
func readIndex(file string) (*index, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostIndexBytes {
		return nil, errOdd
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseIndex(raw)
}

// objects are all files of an index, and all trees that are cached with it.
func (x *index) objects() map[objectID]bool {
	all := make(map[objectID]bool, len(x.entries))
	for _, e := range x.entries {
		all[e.hash] = true
	}
	var add func(cachedTree)
	add = func(c cachedTree) {
		if c.entries >= 0 {
			all[c.hash] = true
		}
		for _, below := range c.below {
			add(below)
		}
	}
	add(x.cache)
	return all
}

// addBlobs adds the files that git has just stored. One that it found elsewhere is errOdd.
func (h *handInState) addBlobs(p *smallPack, x *index) (err error) {
	store, err := os.OpenRoot(filepath.Join(h.private, "objects"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, e := range x.entries {
		if p.known[e.hash] {
			continue
		}
		content, err := readLoose(store, e.hash, p.left)
		if err != nil {
			return err
		}
		if id, err := p.add(packedBlob, content); err != nil || id != e.hash {
			return errors.Join(err, errOdd)
		}
	}
	return nil
}

// readLoose reads a blob that has a file of its own. One that has none, is damaged or larger than most is errOdd.
func readLoose(store *os.Root, id objectID, most int) ([]byte, error) {
	name := id.String()
	file, err := store.OpenFile(name[:2]+"/"+name[2:], os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOdd, err)
	}
	defer func() { _ = file.Close() }() // only read from
	in, err := zlib.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOdd, err)
	}
	const longestHead = 32 // "blob", a size and a NUL
	raw, err := io.ReadAll(io.LimitReader(in, int64(most)+longestHead+1))
	head, content, _ := bytes.Cut(raw, []byte{0})
	if err != nil || len(content) > most || string(head) != fmt.Sprintf("blob %d", len(content)) {
		return nil, fmt.Errorf("%w: object %s is not a blob of at most %d bytes", errOdd, name, most)
	}
	return content, nil
}

// commitText is a commit as git keeps it. What git would clean, convert or refuse is errOdd.
func commitText(tree, parent, message string, by Identity, when time.Time) ([]byte, error) {
	if when.IsZero() {
		when = time.Now()
	}
	person := fmt.Sprintf("%s <%s> %d +0000", by.Name, by.Email, when.Unix())
	text := fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s\n", tree, parent, person, person, message)
	if cleaned(by.Name) || cleaned(by.Email) || when.Unix() <= 0 || when.Unix() >= 1<<33 || strings.Contains(text, "\x00") || !isText(text) {
		return nil, errOdd
	}
	return []byte(text), nil
}

// cleaned reports a part of an identity that git would strip.
func cleaned(part string) bool {
	const stripped = ".,:;<>\"\\'"
	strip := func(r rune) bool { return r <= ' ' || strings.ContainsRune(stripped, r) }
	return part == "" || strings.TrimFunc(part, strip) != part || strings.ContainsAny(part, "<>\n")
}

// isText reports what git takes for UTF-8: it has fewer characters than Go.
func isText(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool { return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef }) < 0
}
