package crash

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
)

// teamLease is how long engines of a team that are not heard of keep their projects. Whole engines on a busy machine do
// not come to renew a lease of 300 ms in time, which costs no work, and yet would have them hand the project round.
const teamLease = time.Second

// newTeam is a world of engines that share a store, objects and a repository that they reach by its URL. The first of
// them has an empty folder, as has each that follows.
func newTeam(t *testing.T, tell func(ledger string) story) *world {
	t.Helper()
	w := newWorld(t, "none", func(ledger string) story { return alike(tell(ledger)) })
	shared := filepath.Join(w.root, "shared")
	w.shared, w.heard = files(shared), map[string]bool{}
	bare := filepath.Join(t.TempDir(), "remote.git") // not below what hosts lose
	w.git("clone", "-q", "--bare", w.repository, bare)
	w.repository, w.url = bare, served(t, bare)
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	w.move("host-0")
	return w
}

// served is the URL at which everybody may fetch from a repository and push to it. It keeps a log of its branches.
func served(t *testing.T, bare string) string {
	t.Helper()
	if _, err := git(bare, "config", "core.logAllRefUpdates", "always"); err != nil {
		t.Fatal(err)
	}
	handler, err := githttptest.Handler(t.Context(), filepath.Dir(bare), "server")
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/" + filepath.Base(bare)
}

// move lets the next engine be one on another host.
func (w *world) move(host string) {
	w.moved.Lock()
	defer w.moved.Unlock()
	w.state = filepath.Join(w.root, host)
}

// fail ends everything that runs, as a host without power does.
func (w *world) fail() {
	w.t.Helper()
	for _, pid := range w.processes() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by itself
		}
	}
	w.quiet()
}

// options are those of an engine in this process.
func (w *world) options(log io.Writer) app.Options {
	opts := w.order().options()
	opts.Log, opts.Verbose = log, false
	return opts
}

var signature = regexp.MustCompile(`echo "\$STELLWERK_RUN \$STELLWERK_ATTEMPT" (>>?) "([^"]*)"`)

// alike is a story whose outcome is the same tree however many attempts it takes and in whichever order they end: what
// its agents hand in does not name the attempt, and none does anything but the work because it is a task's first.
func alike(s story) story {
	s.scenario = signature.ReplaceAllStringFunc(s.scenario, func(step string) string {
		found := signature.FindStringSubmatch(step)
		if found[1] == ">>" {
			return `echo "$STELLWERK_TASK" >> "` + found[2] + `"`
		}
		return `basename "` + found[2] + `" > "` + found[2] + `"`
	})
	s.requested, s.published = 0, nil
	s.scenario = strings.ReplaceAll(s.scenario, `/d' shared.txt`, `/d' shared.txt && sort -o shared.txt shared.txt`)
	return s
}

// plainStory is the long one, where nothing rests on what an attempt made that may be lost.
func plainStory(ledger string) story {
	s := longStory(ledger)
	s.scenario = strings.Replace(s.scenario, sign("harden.txt"), sign("partial.txt")+sign("harden.txt"), 1)
	return s
}
