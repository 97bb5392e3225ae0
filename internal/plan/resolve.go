package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func validReview(value string) bool {
	return value == string(core.ReviewAlways) || value == string(core.ReviewNever)
}

// resolve looks up the references of the steps, fills in After, and reports what does not fit.
func resolve(drafts []*draft, r *report) []core.Step {
	ids := register(drafts, r)
	var steps []core.Step
	for i, d := range drafts {
		if d.settings[keyAfter] {
			d.references(ids, r)
		} else if i > 0 && drafts[i-1].step.ID != "" {
			d.step.After = []string{drafts[i-1].step.ID}
		}
		for _, s := range d.strays {
			if s.stray(func(id string) bool { return ids.exact[id] != nil }) {
				r.invalid(s.line, s.written()+" has no effect in the text of step "+clip(d.step.ID),
					"put it directly below the step's heading, or in backticks if it is text")
			}
		}
		steps = append(steps, d.step)
	}
	if ids.unique && len(drafts) <= MaxSteps {
		cycles(drafts, ids, r)
	}
	return steps
}

// index finds steps by their ids, exactly or in any case.
type index struct {
	exact, folded map[string]*draft
	unique        bool // every step has an id of its own
}

// register reports ids that are taken.
func register(drafts []*draft, r *report) index {
	ids := index{exact: map[string]*draft{}, folded: map[string]*draft{}, unique: true}
	for _, d := range drafts {
		id := d.step.ID
		if ids.unique = ids.unique && ids.exact[id] == nil && id != ""; id == "" {
			continue
		}
		switch first := ids.folded[strings.ToLower(id)]; {
		case first == nil:
			ids.folded[strings.ToLower(id)] = d
		case first.step.ID == id:
			r.invalid(d.line, fmt.Sprintf("the id %s is taken by the step in line %d", quote(id), first.line), "give one of them another")
		default:
			r.invalid(d.line, fmt.Sprintf("the id %s differs from that of the step in line %d only in capitals, and so would their branches", quote(id), first.line), "give one of them another")
		}
		if ids.exact[id] == nil {
			ids.exact[id] = d
		}
	}
	return ids
}

// references checks the After of a step.
func (d *draft) references(ids index, r *report) {
	for i, name := range d.step.After {
		switch {
		case name == d.step.ID:
			r.invalid(d.afterLine, "step "+clip(name)+" comes after itself", "name other steps, or write `After: nothing`")
		case ids.exact[name] == nil:
			r.invalid(d.afterLine, "After names "+quote(name)+", which is not a step of the plan", ids.suggest(name))
		case slices.Contains(d.step.After[:i], name):
			r.invalid(d.afterLine, "After names "+quote(name)+" twice", "name it once")
		}
	}
}

// suggest says what an unknown name may mean.
func (ids index) suggest(name string) string {
	bare := strings.ToLower(strings.Trim(strings.TrimPrefix(strings.ToLower(name), "step "), " .#[]`\"'"))
	if d := ids.folded[bare]; d != nil {
		return "write " + code(d.step.ID)
	}
	if bare == nothing || bare == "none" || bare == "-" || bare == "" {
		return "separate ids by commas, as in `After: 1, 2`, or write `After: nothing` alone"
	}
	return "use the ids of steps, separated by commas, as in `After: 1, 2`"
}

// cycles reports steps that wait for each other, one cycle for each group of them. It skips unknown names and the step
// itself, which are reported already.
func cycles(drafts []*draft, ids index, r *report) {
	const (
		unseen = iota
		onPath
		settled
	)
	state := make(map[*draft]int, len(drafts))
	var path []*draft
	var visit func(d *draft) bool
	visit = func(d *draft) bool {
		state[d] = onPath
		path = append(path, d)
		for _, name := range d.step.After {
			next := ids.exact[name]
			if next == nil || next == d {
				continue
			}
			if state[next] == onPath {
				reportCycle(path[slices.Index(path, next):], r)
				return true
			}
			if state[next] == unseen && visit(next) {
				return true
			}
		}
		path = path[:len(path)-1]
		state[d] = settled
		return false
	}
	for _, d := range drafts {
		if state[d] != unseen {
			continue
		}
		if path = path[:0]; visit(d) {
			for _, member := range path {
				state[member] = settled
			}
		}
	}
}

// mostMembers bounds how many steps of a cycle are named.
const mostMembers = 12

func reportCycle(circle []*draft, r *report) {
	var members, implied []string
	for _, d := range circle {
		members = append(members, d.step.ID)
		if !d.settings[keyAfter] {
			implied = append(implied, d.step.ID)
		}
	}
	what := fmt.Sprintf("%d steps wait for each other: %s", len(members), listed(members, " after "))
	if len(members) <= mostMembers {
		what += " after " + members[0]
	}
	if len(implied) > 0 {
		what += " (without After, a step comes after the one above it; here: " + listed(implied, ", ") + ")"
	}
	r.invalid(circle[0].line, what, "change After of one of them")
}

func listed(members []string, between string) string {
	if len(members) > mostMembers {
		members = append(members[:mostMembers:mostMembers], "…")
	}
	return strings.Join(members, between)
}
