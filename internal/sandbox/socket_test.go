package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// listen opens a socket below a folder and returns its path.
func listen(t *testing.T, dir string, names ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{dir}, names...)...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return path
}

// short is a folder whose name leaves room for that of a socket.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestSockets(t *testing.T) {
	shown, hidden, elsewhere := short(t), short(t), short(t)
	top, deep := listen(t, shown, "top"), listen(t, shown, "a", "b", "deep")
	listen(t, elsewhere, "linked")
	own := listen(t, hidden, "state", "engine")
	link := filepath.Join(hidden, "link")
	for name, err := range map[string]error{
		"file": os.WriteFile(filepath.Join(shown, "file"), nil, 0o600),
		"pipe": syscall.Mkfifo(filepath.Join(shown, "pipe"), 0o600),
		"out":  os.Symlink(elsewhere, filepath.Join(shown, "out")), // leads to nothing inside
		"link": os.Symlink(shown, link),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for _, c := range []struct {
		name            string
		folders, except []string
		want            []Socket
	}{
		{"nothing is listed", nil, nil, nil},
		{"a folder", []string{shown}, nil, []Socket{{top, shown}, {deep, shown}}},
		{"a folder that is a link", []string{link}, nil, []Socket{{link + "/top", link}, {link + "/a/b/deep", link}}},
		{"a folder below", []string{shown + "/a"}, nil, []Socket{{deep, shown + "/a"}}},
		{"what is hidden", []string{hidden}, []string{filepath.Dir(own)}, nil},
		{"and what is not", []string{hidden}, []string{hidden + "/sta"}, []Socket{{own, hidden}}},
		{"the socket itself, which somebody named on purpose", []string{top, shown + "/file", shown + "/pipe"}, nil, nil},
		{"a folder that is gone", []string{shown + "/gone", shown + "/a"}, nil, []Socket{{deep, shown + "/a"}}},
	} {
		if got := Sockets(c.folders, c.except); !slices.Equal(got.Sockets, c.want) || got.Unsearched != "" {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSearchForSocketsIsBounded(t *testing.T) {
	dir := short(t)
	for i := range 3 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint(i), "below"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	shallow := listen(t, dir, "2", "shallow")
	listen(t, dir, "0", "below", "deep")
	s := search{until: time.Now().Add(time.Hour), entries: 7} // three folders, and what is in them
	s.run(dir)
	if want := []Socket{{shallow, dir}}; !slices.Equal(s.found.Sockets, want) || s.found.Unsearched == "" {
		t.Errorf("%+v, want %+v and a folder that was not searched", s.found, want)
	}
	s = search{until: time.Now(), entries: 1000}
	if s.run(dir); s.found.Unsearched != dir {
		t.Errorf("without time: %+v", s.found)
	}
	for i := range mostSockets + 1 {
		listen(t, dir, fmt.Sprint("s", i))
	}
	if got := Sockets([]string{dir}, nil); len(got.Sockets) != mostSockets || got.Unsearched != "" {
		t.Errorf("%d sockets were found, want the first %d: %+v", len(got.Sockets), mostSockets, got)
	}
}
