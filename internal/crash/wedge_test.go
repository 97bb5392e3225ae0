package crash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// wedge is a program that an engine takes for git. At a command that leaves
// something behind it ends the engine, once before and once after the command is
// done; where one in several is chosen, at one of the two.
const wedge = `#!/bin/sh
durable=
for word; do
	case $word in update-ref | commit-tree | index-pack | fetch | push) durable=$word && break ;; esac
done
if [ -z "$durable" ] || [ "$PPID" != "$(cat '%[1]s/pid')" ]; then exec '%[2]s' "$@"; fi
input=$(mktemp '%[1]s/input.XXXXXX') && cat >"$input" || exit 1
sum=$({ printf '%%s\n' "$@" && cat "$input"; } | cksum | cut -d' ' -f1)
turn=$((sum %% %[3]d))
if [ $turn = 0 ] && mkdir "%[1]s/$durable-$sum-before" 2>/dev/null; then
	kill -KILL $PPID
	exit 1
fi
'%[2]s' "$@" <"$input"
code=$?
if [ $turn = $((%[3]d > 1)) ] && mkdir "%[1]s/$durable-$sum-after" 2>/dev/null; then
	kill -KILL $PPID
fi
exit $code
`

// driveIn puts the wedge before git for the engines of a world; one in several
// commands is chosen.
func (w *world) driveIn(several int) {
	w.t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		w.t.Fatal(err)
	}
	w.wedge = filepath.Join(w.root, "wedge")
	path := filepath.Join(w.wedge, "bin", "git")
	write(w.t, path, fmt.Sprintf(wedge, w.wedge, program, several))
	if err := os.Chmod(path, 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// wedged makes the engine, which is this process, the one that the wedge ends.
func (o order) wedged() error {
	if o.Wedge == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(o.Wedge, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	return os.Setenv("PATH", filepath.Join(o.Wedge, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestProjectKilledAroundGit lets engines die around what git does for them:
// between a commit that was made and the ref that holds it, between a ref that
// was moved and the event that says so.
func TestProjectKilledAroundGit(t *testing.T) {
	t.Parallel() // most of the time is waited
	newWorld(t, "none", projectStory).aroundGit()
}

// aroundGit drives a run to its end with engines that die around git.
func (w *world) aroundGit() {
	w.t.Helper()
	const branch = "feature/project"
	several := 8
	if number(w.t, killsVariable, defaultKills) >= allSteps {
		several = 1
	}
	began := time.Now()
	w.driveIn(several)
	for ; ; w.kills++ {
		l := w.live(w.order(branch))
		l.end()
		if l.over.Load() {
			break
		}
	}
	w.verify(branch)
	w.t.Logf("%d kills, %d engines, %d runs, %d events in %s", w.kills, w.lives, w.runs, w.events, time.Since(began).Round(time.Second))
}
