package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// verify holds what is left against what must be true.
func (a *arena) verify() {
	a.t.Helper()
	a.disband(a)
	t := a.settled()
	a.toldOnce(a.kills)
	a.t.Logf("%d fights, %s", len(a.fought)-1, t)
}

// disband ends the engines when people were told of the end of all runs.
func (m *team) disband(arenas ...*arena) {
	m.home.t.Helper()
	for _, a := range arenas {
		for _, h := range a.histories(a.db, a.fought) {
			a.await("word of the end of "+h.row.Branch, func() bool { return a.told.count("ended/"+h.row.ID) > 0 })
		}
	}
	for host := range m.members {
		m.end(host, syscall.SIGTERM)
	}
}

// tally counts what happened in runs.
type tally struct{ runs, events, attempts, lost, late int }

func (t *tally) add(o tally) {
	t.runs, t.events, t.attempts, t.lost, t.late = t.runs+o.runs, t.events+o.events, t.attempts+o.attempts, t.lost+o.lost, t.late+o.late
}

func (t tally) String() string {
	return fmt.Sprintf("%d runs, %d events, %d attempts of which %d were lost, %d late conclusions refused", t.runs, t.events, t.attempts, t.lost, t.late)
}

// repeatable are words that people say again if an engine ended before it answered.
var repeatable = []core.Type{
	core.TypeApprovalGranted, core.TypeRunPaused, core.TypeRunResumed, core.TypeQuestionAnswered, core.TypeChangesRequested,
}

// settled holds the runs against what must be true of them, wherever their engines were ended.
func (a *arena) settled() (t tally) {
	a.t.Helper()
	deeds := a.deeds()
	for _, h := range a.histories(a.db, a.fought) {
		a.acknowledged(h)
		a.completed(h)
		if a.story.manager {
			a.heardOnce(h)
		}
		if a.story.waves {
			a.askedOnce(h)
		}
		a.wanted(h)
		a.begunOnce(h, deeds[h.row.ID])
		a.pushedOnce(h)
		t.add(tally{
			runs: 1, events: len(h.events), attempts: len(deeds[h.row.ID]),
			lost: count(h, func(b core.AttemptExited) bool { return b.Kind == core.ExitLost }), late: count(h, isLate),
		})
		delete(deeds, h.row.ID)
	}
	for run := range deeds {
		a.t.Errorf("attempts of run %s began, and nobody started it", run)
	}
	return t
}

// count is how many events of a type in a run are such.
func count[T core.Body](h history, such func(T) bool) (n int) {
	for _, b := range bodiesOf[T](h) {
		if such(b) {
			n++
		}
	}
	return n
}

func isLate(b core.CommandRefused) bool {
	return strings.Contains(b.Reason, "no longer owns the project")
}

// wanted: the law refused nothing but conclusions of engines that came too late, and words that were said again.
func (a *arena) wanted(h history) {
	a.t.Helper()
	for _, b := range bodiesOf[core.CommandRefused](h) {
		if !isLate(b) && !slices.Contains(repeatable, core.Type(b.Command)) {
			a.t.Errorf("run %s: the law refused %+v", h.row.Branch, b)
		}
	}
}

// begunOnce: no attempt began twice, or without having been asked for.
func (a *arena) begunOnce(h history, deeds map[string]*deed) {
	a.t.Helper()
	requested := map[string]bool{}
	for _, b := range bodiesOf[core.AttemptRequested](h) {
		requested[b.Attempt] = true
	}
	for attempt, d := range deeds {
		if d.begins > 1 || !requested[attempt] {
			a.t.Errorf("run %s: attempt %s began %d times, asked for: %t", h.row.Branch, attempt, d.begins, requested[attempt])
		}
	}
}

// pushedOnce: what is outside is there once.
func (a *arena) pushedOnce(h history) {
	a.t.Helper()
	published := len(bodiesOf[core.PublishRequested](h))
	log, err := os.ReadFile(filepath.Join(a.repository, "logs/refs/heads", h.row.Branch))
	if pushes := strings.Count(string(log), "\n"); err != nil || pushes != published {
		a.t.Errorf("run %s: pushed were %d, and %d wanted, %v:\n%s", h.row.Branch, pushes, published, err, log)
	}
	if n := a.pulls(h); n != 1 {
		a.t.Errorf("run %s has %d pull requests", h.row.Branch, n)
	}
}

// toldOnce: people were told of nothing twice, but by an engine that was killed or stopped, or lost the store, as it told them.
func (m *team) toldOnce(kills int) {
	m.home.t.Helper()
	m.told.mu.Lock()
	defer m.told.mu.Unlock()
	again := 0
	for id, n := range m.told.times {
		if again += n - 1; n > 1 {
			m.home.t.Logf("%s was told %d times", id, n)
		}
	}
	if again > kills {
		m.home.t.Errorf("told were %v", m.told.times)
	}
}
