package crash

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/app"
)

// teamLease is how long engines of a team that are not heard of keep their projects. Whole engines on a busy machine do
// not come to renew a lease of 300 ms in time, which costs no work, and yet would have them hand the project round.
const teamLease = time.Second

// newTeam is a world of engines that share a store, objects and a repository that they reach by its URL. The first of
// them has an empty folder, as has each that follows.
func newTeam(t *testing.T, tell func(ledger string) story) *world {
	t.Helper()
	w := newWorld(t, "none", func(ledger string) story { return alike(tell(ledger)) })
	w.shared, w.heard = filepath.Join(w.root, "shared"), map[string]bool{}
	bare := filepath.Join(w.root, "remote.git")
	w.git("clone", "-q", "--bare", w.repository, bare)
	w.repository, w.url = bare, "file://"+bare
	if err := os.Mkdir(w.shared, 0o700); err != nil {
		t.Fatal(err)
	}
	w.move("host-0")
	return w
}

// move lets the next engine be one on another host.
func (w *world) move(host string) {
	w.moved.Lock()
	defer w.moved.Unlock()
	w.state = filepath.Join(w.root, host)
}

// burn ends everything that runs for the host and deletes its folder, as a machine that burns does. The next engine is on
// another.
func (w *world) burn() {
	w.t.Helper()
	for _, pid := range w.processes() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by itself
		}
	}
	w.quiet()
	if err := os.RemoveAll(w.state); err != nil {
		w.t.Fatal(err)
	}
	w.hosts++
	w.move(fmt.Sprintf("host-%d", w.hosts))
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
