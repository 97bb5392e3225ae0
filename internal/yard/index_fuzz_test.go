package yard

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signed ends an index with its checksum.
func signed(body []byte) []byte {
	sum := sha1.Sum(body) //nolint:gosec // as above
	return append(bytes.Clone(body), sum[:]...)
}

// FuzzIndex: no index makes the reader fail otherwise than with errOdd, and what it reads makes sense to git's own rules.
func FuzzIndex(f *testing.F) {
	fx := newFixture(f)
	dir := fx.workspace(f)
	sh(f, dir, "mkdir -p a/b; echo n > a/b/c; ln -s a l; git add -A")
	for _, file := range []string{indexOf(dir), filepath.Join(dir, ".git", "index")} {
		raw, err := os.ReadFile(file)
		must(f, err)
		f.Add(raw[:len(raw)-sha1.Size])
	}
	f.Add([]byte(indexMagic + "\x00\x00\x00\x00TREE\x00\x00\x00\x06\x00-1 0\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		x, err := parseIndex(signed(body))
		if err != nil {
			if !errors.Is(err, errOdd) {
				t.Fatal(err)
			}
			return
		}
		p := smallPack{known: x.objects(), left: 1 << 20}
		tree, err := p.addTrees(x.entries, 0, &cachedTree{entries: -1})
		if err != nil {
			if !errors.Is(err, errOdd) {
				t.Fatal(err)
			}
			return
		}
		if _, err := p.addTrees(x.entries, 0, &x.cache); err != nil && !errors.Is(err, errOdd) {
			t.Fatal(err)
		}
		if len(x.entries) > 0 && x.cache.entries < 0 && !p.known[tree] {
			t.Errorf("the tree %s is not in the pack", tree)
		}
		if err := scanPack(t.Context(), bytes.NewReader(p.encode()), defaultPackLimits()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAnIndexIsReadAsItWasWritten, and a damaged one is left to git.
func TestAnIndexIsReadAsItWasWritten(t *testing.T) {
	id := hashObject("blob", nil)
	want := index{cache: cachedTree{entries: 3, hash: id, below: []cachedTree{{name: "b", entries: 2, hash: id, below: []cachedTree{{name: "c", entries: 1, hash: id}}}}}}
	for _, path := range []string{"a", "b/c/d", "b/" + strings.Repeat("n", 200)} {
		want.entries = append(want.entries, indexEntry{path: path, mode: "100644", hash: id})
	}
	raw := want.encode()
	got, err := parseIndex(raw)
	must(t, err)
	if !bytes.Equal(got.encode(), raw) {
		t.Errorf("got %+v", got)
	}
	for cut := range raw {
		if _, err := parseIndex(raw[:cut]); !errors.Is(err, errOdd) {
			t.Fatalf("%d of %d bytes: %v", cut, len(raw), err)
		}
	}
	body := raw[:len(raw)-sha1.Size]
	for cut := range body {
		if _, err := parseIndex(signed(body[:cut])); !errors.Is(err, errOdd) && !bytes.HasPrefix(body[cut:], []byte(cacheMagic)) { // git does not need these
			t.Fatalf("%d of %d bytes, signed: %v", cut, len(body), err)
		}
	}
	flip := bytes.Clone(raw)
	flip[20] ^= 1
	if _, err := parseIndex(flip); !errors.Is(err, errOdd) {
		t.Errorf("a flipped bit: %v", err)
	}
}

// TestOddIndexesAreLeftToGit.
func TestOddIndexesAreLeftToGit(t *testing.T) {
	entry := func(path, mode string, flags uint16) []byte {
		raw := indexEntry{path: path, mode: mode}.append(nil)
		binary.BigEndian.PutUint16(raw[entryFixed-2:], flags|uint16(len(path)))
		return raw
	}
	whole := func(extension string, entries ...[]byte) []byte {
		raw := binary.BigEndian.AppendUint32([]byte(indexMagic), uint32(len(entries)))
		return signed(append(append(raw, bytes.Join(entries, nil)...), extension...))
	}
	plain := entry("m", "100644", 0)
	for name, c := range map[string]struct {
		raw []byte
		odd bool
	}{
		"plain":                        {whole("", plain), false},
		"nothing":                      {whole(""), false},
		"an optional extension":        {whole("EOIE\x00\x00\x00\x01x", plain), false},
		"a needed extension":           {whole("link\x00\x00\x00\x01x", plain), true},
		"an extension that is cut off": {whole("EOIE\x00\x00\x00\x02x", plain), true},
		"a conflict":                   {whole("", entry("m", "100644", 1<<12)), true},
		"assumed unchanged":            {whole("", entry("m", "100644", 1<<15)), true},
		"a submodule":                  {whole("", entry("m", "160000", 0)), true},
		"a folder":                     {whole("", entry("m", "040000", 0)), true},
		"another mode":                 {whole("", entry("m", "100664", 0)), true},
		"twice":                        {whole("", plain, plain), true},
		"out of order":                 {whole("", plain, entry("a", "100644", 0)), true},
		"no name":                      {whole("", entry("", "100644", 0)), true},
		"an absolute path":             {whole("", entry("/m", "100644", 0)), true},
		"a path of a folder":           {whole("", entry("m/", "100644", 0)), true},
		"no name on the way":           {whole("", entry("m//n", "100644", 0)), true},
		"a NUL":                        {whole("", entry("m\x00n", "100644", 0)), true},
		"a long path":                  {whole("", entry(strings.Repeat("n", maxPath+1), "100644", 0)), true},
		"a root with a name":           {whole("TREE\x00\x00\x00\x07x\x00-1 0\n", plain), true},
		"two roots":                    {whole("TREE\x00\x00\x00\x0c\x00-1 0\n\x00-1 0\n", plain), true},
		"more trees than there are":    {whole("TREE\x00\x00\x00\x06\x00-1 9\n", plain), true},
		"a hash that is cut off":       {whole("TREE\x00\x00\x00\x05\x001 0\n", plain), true},
		"trees without end":            {whole("TREE\x00\x00\x80\x00"+strings.Repeat("\x00-1 1\n\x00", 4682)[:0x8000], plain), true},
		"version 4":                    {signed([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x00")), true},
	} {
		if _, err := parseIndex(c.raw); errors.Is(err, errOdd) != c.odd || err != nil && !c.odd {
			t.Errorf("%s: %v", name, err)
		}
	}
	both, err := parseIndex(whole("", entry("a", "100644", 0), entry("a-b", "100644", 0), entry("a/c", "100644", 0)))
	must(t, err)
	p := smallPack{known: map[objectID]bool{}, left: 1 << 20}
	if _, err := p.addTrees(both.entries, 0, nil); !errors.Is(err, errOdd) {
		t.Errorf("a file and a folder of one name: %v", err)
	}
}
