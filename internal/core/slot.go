package core

import (
	"slices"
	"strings"
)

// SlotPool is a number of slots that attempts share.
type SlotPool struct {
	Key   string `json:"key"`
	Limit int    `json:"limit"` // how many may hold one at once
}

// Slots are what an attempt needs while it is under way: one slot of each pool,
// all of them or none. Whoever gets none waits in the store's queue.
type Slots struct {
	Holder  string // stream and attempt
	Project string
	Pools   []SlotPool // of the first, the project that has fewest is served first
}

// AttemptSlots is the pool that the attempts of all runs share at a place: a
// host, or a cluster.
func AttemptSlots(place string) string { return "attempts@" + place }

// ManagerSlots is the pool that the attempts of all managers share at a place.
// They do not take a worker's place: a manager that waited for its workers to
// end could not answer anybody meanwhile.
func ManagerSlots(place string) string { return "managers@" + place }

// ProjectSlots is the pool that the attempts of a project's runs share, wherever
// they are.
func ProjectSlots(project string) string { return "attempts of project " + project }

// PoolKind is what a pool is for, whatever its place: "attempts", "managers", or
// "" for the pool of a project.
func PoolKind(key string) string {
	kind, _, atPlace := strings.Cut(key, "@")
	if !atPlace || kind != "attempts" && kind != "managers" {
		return ""
	}
	return kind
}

// HeldSlots are the slots that attempts of a run hold in this state, if they run
// at a place.
func HeldSlots(r *Run, place string) []Slots {
	var all []Slots
	for _, t := range r.tasks() {
		if a := t.Last(); a != nil && a.Status.Active() {
			all = append(all, slotsFor(r, t, SlotHolder(r.ID, a.ID), place))
		}
	}
	return all
}

// PendingSlots are those of HeldSlots whose attempts have not begun.
func PendingSlots(r *Run, place string) []Slots {
	var all []Slots
	for _, t := range r.tasks() {
		if a := t.Last(); a != nil && a.Status == AttemptPending {
			all = append(all, slotsFor(r, t, SlotHolder(r.ID, a.ID), place))
		}
	}
	return all
}

// WantedSlots are the slots that attempts of a run wait for in this state.
func WantedSlots(r *Run, place string) []Slots {
	var all []Slots
	for _, t := range r.tasks() {
		if r.InLine(t) {
			all = append(all, slotsFor(r, t, r.Waiter(t), place))
		}
	}
	return all
}

// InLine reports a task whose next attempt waits for slots. A run that rests has
// no place in the queue.
func (r *Run) InLine(t *Task) bool {
	return r.Status == StatusActive && t.Status == TaskWaiting && t.Blocked != nil && t.Blocked.Kind == ClaimSlot
}

// Waiter is who waits for the slots of a task's next attempt.
func (r *Run) Waiter(t *Task) string { return SlotHolder(r.ID, AttemptID(t.ID, t.Requested+1)) }

func slotsFor(r *Run, t *Task, holder, place string) Slots {
	s := Slots{Holder: holder, Project: r.Project}
	if t.Kind == KindManage {
		s.Pools = []SlotPool{{Key: ManagerSlots(place), Limit: r.Limits.Parallel}}
		return s
	}
	s.Pools = []SlotPool{{Key: AttemptSlots(place), Limit: r.Limits.Parallel}}
	if n := r.Limits.Project.Parallel; n > 0 {
		s.Pools = append(s.Pools, SlotPool{Key: ProjectSlots(r.Project), Limit: n})
	}
	return s
}

// SlotHolder is who holds the slots of an attempt.
func SlotHolder(run, attempt string) string { return RunStream(run) + "/" + attempt }

// SlotsAt are the slots that were named for one place at another. Pools of a project have no place.
func SlotsAt(all []Slots, from, to string) []Slots {
	moved := make([]Slots, len(all))
	for i, s := range all {
		s.Pools = slices.Clone(s.Pools)
		for j, p := range s.Pools {
			switch p.Key {
			case AttemptSlots(from):
				s.Pools[j].Key = AttemptSlots(to)
			case ManagerSlots(from):
				s.Pools[j].Key = ManagerSlots(to)
			}
		}
		moved[i] = s
	}
	return moved
}
