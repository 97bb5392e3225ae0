package admission

import (
	"fmt"
	"slices"
	"strings"
)

// Code says why a piece was refused, for programs.
type Code string

// The codes. If several apply, the first of this list is given.
const (
	TooMany           Code = "too_many"           // the set has more pieces than a set may have
	NoID              Code = "no_id"              // it has no id
	DuplicateID       Code = "duplicate_id"       // another piece has its id
	BadName           Code = "bad_name"           // its id, or the name of one of its documents, is not valid
	Duplicate         Code = "duplicate"          // a piece of the set, open work or done work is the same; Members names it
	UnknownRole       Code = "unknown_role"       // there is no such role
	MissingCapability Code = "missing_capability" // its role lacks them
	SelfDependency    Code = "self_dependency"    // it depends on itself
	UnknownDependency Code = "unknown_dependency" // it depends on something that does not exist
	FailedDependency  Code = "failed_dependency"  // what it depends on failed or was given up
	Cycle             Code = "cycle"              // Members wait for one another, each for the next and the last for the first
	RefusedDependency Code = "refused_dependency" // what it depends on was refused
	MissingInput      Code = "missing_input"      // nothing provides them
	Limit             Code = "limit"              // no more work may begin
)

// Verdict is the answer to a piece.
type Verdict struct {
	Piece   string   // id
	Code    Code     // "" if it is admitted
	Members []string // what the code is about, in order
	Text    string   // tells whoever asked what is wrong and what to do
}

// Admitted reports that the piece may begin once its dependencies are done.
func (v Verdict) Admitted() bool { return v.Code == "" }

// refuse keeps the first reason.
func (j *judge) refuse(i int, code Code, members []string, format string, args ...any) {
	if v := &j.verdicts[i]; v.Admitted() {
		v.Code, v.Members, v.Text = code, members, fmt.Sprintf(format, args...)
	}
}

func (j *judge) duplicateID(i int, here bool) {
	id, whose := j.Pieces[i].ID, "earlier work has"
	if here {
		whose = "another delegation of this set has"
	}
	j.refuse(i, DuplicateID, []string{id}, "%s the id %q: give this one its own", whose, id)
}

func (j *judge) duplicate(i int, same string, state State) {
	format := "it is the same work as %s of this set: leave it out"
	switch state {
	case Open:
		format = "%s is doing the same work already: wait for it"
	case Done:
		format = "%s has done the same work already: use its result, or say what should be different"
	case Failed, Refused:
	}
	j.refuse(i, Duplicate, []string{same}, format, same)
}

func (j *judge) unknownRole(i int) {
	role, what := j.Pieces[i].Role, "it has no role: name one"
	if role != "" {
		what = fmt.Sprintf("there is no role %q to delegate to", role)
	}
	j.refuse(i, UnknownRole, []string{role}, "%s; there are %s", what, Listed(names(j.Roles)))
}

func names(roles []Role) []string {
	var all []string
	for _, r := range roles {
		all = append(all, r.Name)
	}
	return all
}

func (j *judge) missingCapability(i int, lacks []string) {
	p := j.Pieces[i]
	able := slices.DeleteFunc(slices.Clone(j.Roles), func(r Role) bool { return len(without(p.Needs, r.Can)) > 0 })
	hint := "no role has everything it needs: split the work, or ask for less"
	if len(able) > 0 {
		hint = "delegate it to a role that has them: " + Listed(names(able))
	}
	j.refuse(i, MissingCapability, lacks, "the role %s lacks capabilities that the work needs (%s); %s", p.Role, strings.Join(lacks, ", "), hint)
}

func (j *judge) refusedDependency(i int, id, reason string) {
	j.refuse(i, RefusedDependency, []string{id}, "it depends on %s, which was refused%s", id, because(reason))
}

// because bounds a reason, which may contain another one, and so on.
func because(reason string) string {
	const most = 400
	switch runes := []rune(reason); {
	case reason == "":
		return ""
	case len(runes) > most:
		return " (" + string(runes[:most]) + " …)"
	}
	return " (" + reason + ")"
}

func (j *judge) cycle(i int, members []string) {
	round := members
	const most = 20
	if len(round) > most {
		round = append(append([]string{}, members[:most]...), fmt.Sprintf("… %d more …", len(members)-most))
	}
	chain := strings.Join(round, " → ") + " → " + members[0]
	j.refuse(i, Cycle, members, "these wait for one another, each for the next: %s; remove one of these dependencies", chain)
}

// mostListed bounds the words of a list.
const mostListed = 30

// Listed names the first words of a list.
func Listed(words []string) string {
	switch {
	case len(words) == 0:
		return "nothing"
	case len(words) > mostListed:
		return strings.Join(words[:mostListed], ", ") + " and more"
	}
	return strings.Join(words, ", ")
}
