package yard

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// FuzzBundleHeader holds that a header is a forgery, or names commits and nothing else, and that what follows it is the
// pack, from its first byte.
func FuzzBundleHeader(f *testing.F) {
	hash := strings.Repeat("0a", 20)
	for _, seed := range []string{
		"# v2 git bundle\n-" + hash + " base\n" + hash + " " + bundleHead + "\n\nPACK", "# v3 git bundle\n@filter=blob:none\n\n", "# v2 git bundle\n\nPACK",
		"# v2 git bundle\n" + hash + " " + bundleLeft + "0\n" + hash + " " + bundleLeft + "1\n\n", "# v2 git bundle\n" + hash + " refs/heads/main\n\n", "#",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		content, err := readBundleHeader(r)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		if len(content.commits()) == 0 || slices.ContainsFunc(slices.Concat(content.commits(), content.prerequisites), func(s string) bool { return !isHash(s) }) {
			t.Fatalf("%q is read as %+v", data, content)
		}
		pack, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if header, found := bytes.CutSuffix(data, pack); !found || !bytes.HasSuffix(header, []byte("\n\n")) || bytes.Contains(header[:len(header)-1], []byte("\n\n")) {
			t.Fatalf("%q: the pack is taken to be %q", data, pack)
		}
	})
}
