package crash

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// life is one engine process, from its start to its end.
type life struct {
	world *world
	cmd   *exec.Cmd
	began time.Time

	up    chan struct{} // closed when the engine is open
	fresh chan struct{} // one for each event nobody had heard of before
	ended chan struct{} // closed when the process has ended and its words are read
	until core.Type     // whose first new event closes come
	come  chan struct{}
	once  sync.Once

	over    atomic.Bool
	trouble string // why this life is no good, read after ended
	fell    string // durable step at which the engine died by itself, read after ended
	state   *os.ProcessState
}

// live starts an engine. The world's record is the life's until it has ended.
func (w *world) live(o order) *life { return w.liveUntil(o, "") }

// liveUntil starts an engine, and says when it told of a new event of a type.
func (w *world) liveUntil(o order, until core.Type) *life {
	cmd, words := w.command(o)
	l := &life{
		world: w, cmd: cmd, began: time.Now(), until: until, come: make(chan struct{}),
		up: make(chan struct{}), fresh: make(chan struct{}, 4096), ended: make(chan struct{}),
	}
	go l.listen(words)
	return l
}

func (l *life) listen(words *os.File) {
	defer close(l.ended)
	lines := bufio.NewScanner(words)
	for lines.Scan() {
		l.hear(strings.SplitN(lines.Text(), " ", 4))
	}
	if err := lines.Err(); err != nil {
		l.note("its words cannot be read: %v", err)
	}
	_ = words.Close() // only read from
	_ = l.cmd.Wait()  // how it ended is in its state
	l.state = l.cmd.ProcessState
	if !l.over.Load() && l.state.Exited() {
		l.note("it gave up: %s", l.state)
	}
}

func (l *life) note(format string, args ...any) {
	if l.trouble == "" {
		l.trouble = fmt.Sprintf(format, args...)
	}
}

func (l *life) hear(words []string) {
	switch words[0] {
	case sayUp:
		close(l.up)
	case sayOver:
		l.over.Store(true)
	case sayPaused:
		l.note("a run was paused: %s", strings.Join(words[1:], " "))
		_ = l.cmd.Process.Kill() // it would wait for a person for ever
	case sayReview:
		if err := l.world.takeIn(words[1]); err != nil {
			l.note("%v", err)
		}
	case sayEvent:
		if len(words) != 4 {
			return // cut off by the kill
		}
		if l.world.person != nil {
			l.world.person.hear(words[1], words[2], words[3])
		}
		if l.until != "" && words[3] == string(l.until) && !l.world.heard[words[1]+" "+words[2]] {
			l.once.Do(func() { close(l.come) })
		}
		if l.world.heard != nil {
			l.world.heard[words[1]+" "+words[2]] = true
		}
	case sayFell:
		l.fell = strings.Join(words[1:], " ")
	case sayAck:
		var seq int64
		if len(words) != 4 {
			return // cut off by the kill
		}
		if _, err := fmt.Sscan(words[2], &seq); err != nil {
			l.note("unreadable: %v", words)
			return
		}
		l.acknowledge(words[1], seq, words[3])
	}
}

// acknowledge records an event. One that was acknowledged by an earlier engine
// must be the same in every later one.
func (l *life) acknowledge(run string, seq int64, hash string) {
	seen := l.world.acks[run]
	if seen == nil {
		seen = map[int64]string{}
		l.world.acks[run] = seen
	}
	before, known := seen[seq]
	switch {
	case !known && len(hash) == 64:
		seen[seq] = hash
		select {
		case l.fresh <- struct{}{}:
		default:
		}
	case known && before != hash && len(hash) == 64:
		l.note("event %d of run %s was %s and is now %s", seq, run, before, hash)
	}
}

// end waits for the process to end by itself.
func (l *life) end() {
	l.world.t.Helper()
	for l.next(l.fresh, "an event") {
	}
}

// next waits for a signal; false where the process ended instead.
func (l *life) next(signal <-chan struct{}, what string) bool {
	l.world.t.Helper()
	timer := time.NewTimer(waittest.Limit)
	defer timer.Stop()
	select {
	case <-signal:
		return true
	case <-l.ended:
		l.check()
		return false
	case <-timer.C:
		l.kill()
		l.world.t.Fatalf("engine %d: %s did not come in %s", l.world.lives, what, waittest.Limit)
		return false
	}
}

func (l *life) check() {
	l.world.t.Helper()
	if l.trouble != "" {
		l.world.t.Fatalf("engine %d: %s", l.world.lives, l.trouble)
	}
}

// kill ends the process as nothing can be prepared for, and reads its last words.
func (l *life) kill() {
	_ = l.cmd.Process.Kill() // it may have ended by itself
	<-l.ended
}

// moment is when to kill: some time after the start of the process, after the
// engine is open, or after it acknowledged a number of events.
type moment struct {
	open   bool
	events int
	wait   time.Duration
}

// killAt kills the process at a moment, unless it has ended before.
func (l *life) killAt(m moment) {
	l.world.t.Helper()
	if m.open && !l.next(l.up, "the start of the engine") {
		return
	}
	for range m.events {
		if !l.next(l.fresh, "an event") {
			return
		}
	}
	timer := time.NewTimer(m.wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.ended:
	}
	l.kill()
	l.check()
}
