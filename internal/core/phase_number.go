package core

import (
	"fmt"
	"strconv"
)

// Numbers are the numbers of the playbook's phases, in their order. They count
// from 0. A phase with a condition is a way out that most runs do not take, so
// it moves no other: it is numbered after the one before it, as 6.1.
func (p *Playbook) Numbers() []string {
	numbers := make([]string, len(p.Phases))
	at, further := -1, 0
	for i, phase := range p.Phases {
		if phase.When != "" && at >= 0 {
			further++
			numbers[i] = fmt.Sprintf("%d.%d", at, further)
			continue
		}
		at, further = at+1, 0
		numbers[i] = strconv.Itoa(at)
	}
	return numbers
}

// Number is the number of a phase; "" if the playbook has none of that id.
func (p *Playbook) Number(id string) string {
	for i, number := range p.Numbers() {
		if p.Phases[i].ID == id {
			return number
		}
	}
	return ""
}

// Called is the id of the stage that a person means by a name: a stage's id, or
// the number of a phase. What is neither is returned as it is.
func (r *Run) Called(name string) string {
	if r.Stage(name) != nil || r.Playbook == nil {
		return name
	}
	for i, number := range r.Playbook.Numbers() {
		if number == name {
			return r.Playbook.Phases[i].ID
		}
	}
	return name
}
