package dispatch

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestSocketsInWhatIsShown searches the folders that the person shows, and not the
// state folder below them, which agents do not see. A check is refused like an
// attempt; once the socket is gone, neither is.
func TestSocketsInWhatIsShown(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // its name leaves room for that of a socket
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	open := func(path string) net.Listener {
		listener, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		return listener
	}
	engine := open(filepath.Join(state, "engine"))
	defer func() { _ = engine.Close() }()
	d := New(nil, Options{Layout: Layout{State: state}, Exchange: here(state), ReadOnly: []string{dir}})
	defer d.Close()
	if remark, err := d.Exposed(); remark != "" || err != nil {
		t.Errorf("the engine's own socket: %q, %v", remark, err)
	}

	server := open(filepath.Join(dir, "server"))
	y, err := newPhased(t).Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	c := &checkout{dispatcher: d, yard: y, run: &core.Run{Isolation: string(sandbox.Sandbox)}}
	_, err = d.Exposed()
	if core.CodeOf(err) != core.CodeForbidden || !strings.Contains(err.Error(), filepath.Join(dir, "server")) || !strings.Contains(wording.Hint(err), "take "+dir+" off `read_only`") {
		t.Errorf("%v; %s", err, wording.Hint(err))
	}
	if err := c.order(filepath.Join(state, "check"), "check-1", dir, check.Command{Shell: "true"}, true); !errors.Is(err, errExposed) {
		t.Errorf("a check: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.shown(c.run, c.yard); err != nil {
		t.Errorf("without the socket: %v", err)
	}

	d.exposed.search = func() sandbox.Exposed { return sandbox.Exposed{Unsearched: "/srv/large"} }
	if remark, err := d.Exposed(); !strings.Contains(remark, "/srv/large") || err != nil {
		t.Errorf("a search that ended early: %q, %v", remark, err)
	}
}
