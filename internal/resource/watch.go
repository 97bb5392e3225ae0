package resource

import (
	"cmp"
	"os"
	"time"
)

// Watch is what a watcher looks at.
type Watch struct {
	// Folders are those the group writes to. What they hold when the watch begins does not count.
	Folders []string
	// Shared is a folder in which the groups of one owner tell each other what they use, so that watchers can hold the
	// owner's total limits. Without it they do not.
	Shared string

	every time.Duration // how often it looks; tests do not wait
}

const (
	// look is how often a watcher looks at processes and at the free space.
	look = 500 * time.Millisecond
	// patientLooks is how many looks in a row must find a group at its limit of processes before it is ended: ten seconds. A
	// build that meets the limit once can go on; a fork bomb would spin until the attempt's time is over.
	patientLooks = 20
)

// Watcher looks at a group until it is stopped.
type Watcher struct {
	group    *Group
	breaches chan Breach
	stop     chan struct{}
	done     chan struct{}
	begun    chan struct{} // closed when the watcher knows what the folders hold

	every    time.Duration
	disk     *diskWatch
	share    *share
	refusals int64
	pinned   int
}

// Watch begins to watch the descendants of this process, all of which must belong to the group. The reader of Breaches must
// end the group: that is how limits hold that the kernel does not hold.
func (g *Group) Watch(w Watch) (*Watcher, error) {
	if g == nil {
		return nil, nil
	}
	shared, err := openShare(w.Shared, g.opts.Name)
	if err != nil {
		return nil, err
	}
	out := &Watcher{
		group: g, breaches: make(chan Breach, 1), stop: make(chan struct{}), done: make(chan struct{}), begun: make(chan struct{}),
		disk: newDiskWatch(w.Folders), share: shared, every: cmp.Or(w.every, look),
	}
	go out.run()
	return out, nil
}

// Breaches gives one value when the group must be ended.
func (w *Watcher) Breaches() <-chan Breach {
	if w == nil {
		return nil
	}
	return w.breaches
}

// Stop ends the watch and takes a last look at the disk, so that the last writes count.
func (w *Watcher) Stop() {
	close(w.stop)
	<-w.done
}

func (w *Watcher) run() {
	defer close(w.done)
	defer w.share.close()
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	w.disk.begin()
	close(w.begun)
	for {
		if b := w.look(); b != nil {
			b.Final = true
			w.group.end(*b)
			w.breaches <- *b
			<-w.stop
			return
		}
		select {
		case <-w.stop:
			w.last()
			return
		case <-tick.C:
		}
	}
}

// last finds what a group wrote between the last look and its end.
func (w *Watcher) last() {
	limit := w.group.opts.Limits.Disk
	w.group.saw(Usage{Disk: w.disk.last(limit)})
	if limit > 0 && w.disk.used >= limit {
		w.group.end(Breach{Resource: Disk, Value: w.disk.used, Limit: limit})
	}
}

// look returns the limit that the group is beyond.
func (w *Watcher) look() *Breach {
	now := w.use()
	limits, holding := w.group.opts.Limits, w.group.holding
	if b := w.processes(now); b != nil {
		return b
	}
	if over(now.Memory, limits.Memory) && !holding.Memory.Enforced() {
		return &Breach{Resource: Memory, Value: now.Memory, Limit: limits.Memory}
	}
	if now.Disk >= limits.Disk && limits.Disk > 0 {
		return &Breach{Resource: Disk, Value: now.Disk, Limit: limits.Disk}
	}
	return w.judge(now)
}

// judge says whether this group must end for the sake of all. It tells the others, so that no second group ends too.
func (w *Watcher) judge(now use) *Breach {
	w.share.tell(now)
	var found *Breach
	w.share.alone(func(all others) {
		if found = w.together(all, now); found != nil {
			now.Ending = true
			w.share.tell(now)
		}
	})
	return found
}

// together ends the heaviest group if all together use too much, or if the disk runs full.
func (w *Watcher) together(all others, now use) *Breach {
	if free, floor := w.disk.lowest(); free < floor && now.Disk >= leastBlamed && all.heaviest(now, Disk) {
		return &Breach{Resource: Disk, Value: free, Limit: floor, Full: true}
	}
	return w.inAll(all, now)
}

// inAll ends the heaviest group if all together use too much, and leaves the others alone.
func (w *Watcher) inAll(all others, now use) *Breach {
	total, holding := w.group.opts.Total, w.group.holding
	sum := all.sum(now)
	for _, c := range []struct {
		r           Resource
		have, limit int64
	}{
		{Memory, sum.Memory, total.Memory}, {Processes, int64(sum.Processes), int64(total.Processes)}, {Disk, sum.Disk, total.Disk},
	} {
		// The kernel counts a user namespace's processes by themselves.
		held := holding.Of(c.r).Enforced() && holding.Of(c.r) != Rlimit
		if over(c.have, c.limit) && !held && all.heaviest(now, c.r) {
			return &Breach{Resource: c.r, Value: c.have, Limit: c.limit, Total: true}
		}
	}
	return nil
}

func over(have, limit int64) bool { return limit > 0 && have > limit }

// processes ends a group beyond the limit, or one that stays at it.
func (w *Watcher) processes(now use) *Breach {
	limit := w.group.opts.Limits.Processes
	switch holding := w.group.holding.Processes; {
	case holding == Watched:
		if over(int64(now.Processes), int64(limit)) {
			return &Breach{Resource: Processes, Value: int64(now.Processes), Limit: int64(limit)}
		}
		return nil
	case holding == Rlimit:
		if !nearly(now.Processes, limit) {
			w.pinned = 0
			return nil
		}
		w.group.touch(Breach{Resource: Processes, Value: int64(now.Processes), Limit: int64(limit)})
	case now.refusals == w.refusals && (now.refusals == 0 || !nearly(now.Processes, limit)):
		w.pinned = 0
		return nil
	}
	w.refusals = now.refusals
	if w.pinned++; w.pinned < patientLooks {
		return nil
	}
	return w.group.processBreach(now.Processes, true)
}

// nearly reports a number of processes at the limit, give or take those that end and begin all the time.
func nearly(have, limit int) bool { return limit > 0 && have >= limit-limit/20-1 }

// use is what the group has at this moment. It reads the process table only if the kernel does not count for the group.
func (w *Watcher) use() use {
	g := w.group
	r := g.bounds.read()
	now := use{Memory: r.memory, Processes: r.tasks, refusals: r.refusals, cpu: r.cpu}
	memoryHeld := g.holding.Memory.Enforced()
	if !memoryHeld || g.holding.Processes == Rlimit || !g.holding.Processes.Enforced() {
		seen := readTree(os.Getpid(), g.opts.Limits.Memory)
		now.Processes = max(now.Processes, seen.Processes)
		now.Memory, now.cpu = max(now.Memory, seen.Memory), max(now.cpu, seen.cpu)
	}
	limit := g.opts.Limits.Disk
	now.Disk = w.disk.look(limit)
	g.saw(Usage{PeakMemory: now.Memory, PeakProcesses: now.Processes, CPUSeconds: now.cpu.Seconds(), Disk: now.Disk})
	return now
}

// use is one look at a group.
type use struct {
	Memory    int64         `json:"memory"`
	Processes int           `json:"processes"`
	Disk      int64         `json:"disk"`
	Ending    bool          `json:"ending,omitzero"` // it is about to give all of it back
	refusals  int64         // so far
	cpu       time.Duration // of those that run
}

func (u use) of(r Resource) int64 {
	switch r {
	case Memory:
		return u.Memory
	case Processes:
		return int64(u.Processes)
	default:
		return u.Disk
	}
}

func (g *Group) saw(u Usage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.looked.PeakMemory = max(g.looked.PeakMemory, u.PeakMemory)
	g.looked.PeakProcesses = max(g.looked.PeakProcesses, u.PeakProcesses)
	g.looked.CPUSeconds = max(g.looked.CPUSeconds, u.CPUSeconds)
	g.looked.Disk = u.Disk
}

func (g *Group) end(b Breach) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended == nil {
		g.ended = &b
	}
}

func (g *Group) touch(b Breach) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.touched = &b
}
