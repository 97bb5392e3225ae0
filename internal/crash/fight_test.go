package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// listener is where people are told of things.
type listener struct {
	url string

	mu    sync.Mutex
	times map[string]int // by notice
}

func (l *listener) count(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times[id]
}

func hear(t *testing.T) *listener {
	l := &listener{times: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var said struct{ Notices []notify.Notice }
		err := json.NewDecoder(r.Body).Decode(&said)
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		for _, n := range said.Notices {
			l.times[n.ID]++
		}
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// fightsVariable is how often engines fight.
const fightsVariable = "STELLWERK_FIGHTS"

// TestAppsFight has whole engines, with real workers, git and a remote, fight over a project: in the middle of a run its
// owner is killed, stopped past its lease and continued, asked to end, or cut off from the store with everybody else.
// Meanwhile people speak to any engine.
func TestAppsFight(t *testing.T) {
	t.Parallel() // most of the time is waited
	fights := int(number(t, fightsVariable, 0))
	for name, c := range map[string]struct {
		tell    func(string) story
		engines int
		least   int
	}{
		"phases": {plainStory, 3, len(troubles)}, "rules": {projectStory, 2, 1}, "manager": {managerStory, 3, 1}, "waves": {buildStory, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is waited
			dice := chance(t)
			a := newArena(t, c.tell, c.engines)
			calm := a.fight("feature/calm", dice, func(*arena, string, <-chan struct{}) {})
			first := dice.IntN(len(troubles))
			for n := range max(c.least, fights/4) {
				branch := fmt.Sprintf("feature/fight-%d", n)
				after := a.fight(branch, dice, troubles[(first+n)%len(troubles)])
				if after != calm {
					t.Errorf("%s has the tree %s, and %s without a fight", branch, after, calm)
				}
			}
			a.verify()
		})
	}
}

// fight sees a run to its end, with trouble in the middle of it, and returns the tree that was published.
func (a *arena) fight(branch string, dice *rand.Rand, trouble func(a *arena, run string, done <-chan struct{})) string {
	a.t.Helper()
	run, err := a.start(branch)
	if err != nil {
		a.t.Fatal(err)
	}
	a.fought = append(a.fought, branch)
	come, done := make(chan int64, 1000), make(chan struct{})
	var failed error
	go func() {
		defer close(done)
		defer close(come)
		failed = a.see(run, branch, func(seq int64) {
			select {
			case come <- seq:
			default:
			}
		})
	}()
	for wanted := 1 + dice.Int64N(40); <-come < wanted; {
		if len(come) == 0 && isClosed(done) {
			break // it is over already
		}
	}
	trouble(a, run, done)
	select {
	case <-done:
	case <-waittest.Over():
		a.t.Fatalf("run %s does not end:\n%s", branch, a.account())
	}
	if failed != nil {
		a.t.Fatal(failed)
	}
	return a.git("rev-parse", branch+"^{tree}")
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// troubles are what happens to the owner of a run.
var troubles = []func(a *arena, run string, done <-chan struct{}){
	func(a *arena, run string, _ <-chan struct{}) { // it is killed, and comes back at once
		owner := a.owner(run)
		a.end(owner, syscall.SIGKILL)
		a.kills++
		a.begin(owner)
	},
	func(a *arena, run string, done <-chan struct{}) { // others go on without it
		owner := a.owner(run)
		a.end(owner, syscall.SIGKILL)
		a.kills++
		<-done
		a.begin(owner)
	},
	func(a *arena, run string, done <-chan struct{}) { // it is stopped past its lease
		owner := a.owner(run)
		a.stop(owner)
		<-done // by another
		a.resume(owner)
	},
	func(a *arena, run string, done <-chan struct{}) { // it is asked to end
		owner := a.owner(run)
		a.end(owner, syscall.SIGTERM)
		<-done
		a.begin(owner)
	},
	func(a *arena, _ string, _ <-chan struct{}) { // nobody reaches the store for longer than a lease
		a.await("the store", func() bool { return a.hold(a.leasesEnd) == nil })
	},
	func(a *arena, run string, _ <-chan struct{}) {
		if err := a.lunch(run); err != nil {
			a.t.Fatal(err)
		}
	},
}

// lunch is somebody who pauses the run and has it go on, whoever they ask.
func (a *arena) lunch(run string) error {
	for _, word := range []func(api.Service) error{
		func(svc api.Service) error {
			_, err := svc.Pause(a.t.Context(), run, api.Pause{Reason: "lunch"})
			return err
		},
		func(svc api.Service) error { _, err := svc.Resume(a.t.Context(), run, api.Resume{}); return err },
	} {
		err := a.ask(func(svc api.Service) error {
			if err := word(svc); core.CodeOf(err) != core.CodeConflict { // it is over already, or was heard
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
