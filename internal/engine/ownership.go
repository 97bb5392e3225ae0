package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// ownership is what this engine owns, as far as it knows. It may act for a project
// only while it is certain that no other engine has taken it: the lease ends by the
// database's clock at the earliest one lease after it was asked for.
type ownership struct {
	lease   time.Duration
	doubted chan struct{} // somebody wanted to act while that was not certain

	change lock // held while the store is asked for or told of a change

	mu       sync.Mutex
	fences   map[string]int64
	asked    time.Time       // when the lease that holds was asked for
	missed   map[string]bool // projects for which nobody acted although they are this engine's
	idle     map[string]int  // how many renewals in a row a project was idle
	unfit    map[string]unfit
	retired  bool             // another engine has this engine's identity
	draining bool             // everything is given back, and nothing taken
	unsure   bool             // the store may have given this engine more than it said
	passed   map[string]int64 // by project: a fence that another engine is known to have passed
}

// unfit is a project that this engine leaves to others.
type unfit struct {
	why   string
	until time.Time // when to ask again
}

func newOwnership(lease time.Duration) *ownership {
	return &ownership{
		lease: lease, doubted: make(chan struct{}, 1),
		fences: map[string]int64{}, missed: map[string]bool{}, idle: map[string]int{}, unfit: map[string]unfit{}, passed: map[string]int64{},
	}
}

// certain reports that no other engine can have taken what this one owns. A quarter
// of the lease is kept for what is begun now. A clock that stood still while the
// machine slept counts no less than one that was set forward.
func (o *ownership) certain(now time.Time) bool {
	return o.since(now) < o.lease-o.lease/4
}

// since is how old the lease is that holds.
func (o *ownership) since(now time.Time) time.Duration {
	return max(now.Sub(o.asked), now.Round(0).Sub(o.asked.Round(0)))
}

// fence is that under which this engine may act for a project now; false if it may
// not.
func (o *ownership) fence(project string) (int64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fence, mine := o.fences[project]
	if !mine {
		return 0, false
	}
	if o.certain(time.Now()) {
		return fence, true
	}
	o.missed[project] = true
	o.ask()
	return 0, false
}

// miss notes that nobody acts for projects although they are this engine's. They are taken up when the lease is renewed.
func (o *ownership) miss(projects ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, project := range projects {
		o.missed[project] = true
	}
}

// ask has the store asked soon what this engine owns.
func (o *ownership) ask() {
	select {
	case o.doubted <- struct{}{}:
	default:
	}
}

// doubt notes that the store may have done what it was asked for and failed to say so.
func (o *ownership) doubt() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unsure = true
	o.ask()
}

// hold notes what the store said that this engine owns in addition. That says nothing about
// what it owned before: if another engine may have taken that, everything is in doubt until
// the lease is renewed.
func (o *ownership) hold(asked time.Time, owned []store.Owner) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.fences) == 0 || o.certain(asked) {
		o.asked = asked
	}
	for _, p := range owned {
		o.fences[p.Project] = p.Fence
	}
}

// confirm compares what this engine believes to own with what the store says: what it has
// lost, and those for which nobody acted meanwhile, also because the answer of the store that
// they are this engine's was lost.
func (o *ownership) confirm(asked time.Time, owned []store.Owner) (lost, again []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = asked
	still := map[string]int64{}
	for _, p := range owned {
		still[p.Project] = p.Fence
	}
	for project, fence := range o.fences {
		if still[project] != fence {
			lost = append(lost, project)
			o.forget(project)
		}
	}
	for project := range o.missed {
		if _, mine := still[project]; mine {
			again = append(again, project)
		}
	}
	for project, fence := range still {
		if _, known := o.fences[project]; !known && fence > o.passed[project] {
			o.fences[project] = fence
			again = append(again, project)
		}
	}
	clear(o.missed)
	o.unsure = false
	slices.Sort(lost)
	slices.Sort(again)
	return lost, again
}

// suspend returns everything that this engine is no longer certain to own. What of it is still
// its own when the store can be asked again is taken up then.
func (o *ownership) suspend() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.certain(time.Now()) {
		return nil
	}
	var doubtful []string
	for project := range o.fences {
		if !o.missed[project] {
			doubtful = append(doubtful, project)
		}
		o.missed[project] = true
	}
	slices.Sort(doubtful)
	return doubtful
}

// rests reports that a project has been idle for two renewals in a row.
func (o *ownership) rests(p store.Owner) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !p.Idle || o.fences[p.Project] != p.Fence {
		delete(o.idle, p.Project)
		return false
	}
	o.idle[p.Project]++
	return o.idle[p.Project] > 1
}

// drop forgets a project that is owned under this fence; false if it is not.
func (o *ownership) drop(project string, fence int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if fence == 0 || o.fences[project] != fence {
		return false
	}
	o.forget(project)
	return true
}

// pass is drop for a fence that another engine has passed: an answer of the store that is older than that says
// nothing any more.
func (o *ownership) pass(project string, fence int64) bool {
	mine := o.drop(project, fence)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed[project] = max(o.passed[project], fence)
	return mine
}

func (o *ownership) forget(project string) {
	delete(o.fences, project)
	delete(o.missed, project)
	delete(o.idle, project)
}

func (o *ownership) none() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.retired || len(o.fences) == 0 && !o.unsure
}

// retire has this engine own nothing any more. It returns what it owned.
func (o *ownership) retire() (owned []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.retired = true
	for project := range o.fences {
		owned = append(owned, project)
		o.forget(project)
	}
	slices.Sort(owned)
	return owned
}

func (o *ownership) isRetired() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.retired
}

// judge notes why this engine cannot work on a project; nil if it can.
func (o *ownership) judge(project string, why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if why == nil {
		delete(o.unfit, project)
		return
	}
	o.unfit[project] = unfit{why.Error(), time.Now().Add(askAgain)}
}
