package admission

import (
	"fmt"
	"strings"
)

// Code says why a piece was refused, for who reads it by machine.
type Code string

// The codes, in the order in which they are looked for: of several reasons the
// first is given.
const (
	TooMany           Code = "too_many"           // the whole set is larger than a set can be
	NoID              Code = "no_id"              // it cannot be told from others
	DuplicateID       Code = "duplicate_id"       // its id is another's
	BadName           Code = "bad_name"           // its id or a document of it cannot be called so
	Duplicate         Code = "duplicate"          // the same is wished for, worked on or done already; that one
	UnknownRole       Code = "unknown_role"       // nobody is called so
	MissingCapability Code = "missing_capability" // its role lacks them
	SelfDependency    Code = "self_dependency"    // it is to come after itself
	UnknownDependency Code = "unknown_dependency" // what it is to come after is not there
	FailedDependency  Code = "failed_dependency"  // that failed or was given up
	Cycle             Code = "cycle"              // the pieces that wait for one another, each for the next and the last for the first
	RefusedDependency Code = "refused_dependency" // what it is to come after was refused
	MissingInput      Code = "missing_input"      // nothing provides them
	Limit             Code = "limit"              // no more may be begun
)

// Verdict is the answer to a piece.
type Verdict struct {
	Piece   string   // id
	Code    Code     // "" where it is admitted
	Members []string // whom or what the code is about, in order
	Text    string   // a sentence for who wished for it: what is wrong, and what to do
}

// Admitted reports that the piece may be begun once what it comes after is done.
func (v Verdict) Admitted() bool { return v.Code == "" }

// Mark is the machine-readable reason. Two refusals of one wish with the same
// mark are the same refusal.
func (v Verdict) Mark() string {
	if len(v.Members) == 0 {
		return string(v.Code)
	}
	return string(v.Code) + ": " + strings.Join(v.Members, ", ")
}

// refuse keeps the first reason.
func (j *judge) refuse(i int, code Code, members []string, format string, args ...any) {
	if v := &j.verdicts[i]; v.Admitted() {
		v.Code, v.Members, v.Text = code, members, fmt.Sprintf(format, args...)
	}
}

func (j *judge) tooMany(i, most int) {
	j.refuse(i, TooMany, nil, "%d pieces of work were wished for at once, at most %d can be: delegate the first of them now, and the rest when they are done", len(j.Pieces), most)
}

func (j *judge) noID(i int) {
	j.refuse(i, NoID, nil, "it has no id: give it one that no other has")
}

func (j *judge) duplicateID(i int, here bool) {
	id := j.Pieces[i].ID
	if here {
		j.refuse(i, DuplicateID, []string{id}, "%q is the id of another piece of this set: give this one an id of its own", id)
		return
	}
	j.refuse(i, DuplicateID, []string{id}, "%q is the id of earlier work: give this one an id of its own", id)
}

func (j *judge) badName(i int) { j.refuse(i, BadName, nil, "%s", j.Pieces[i].Flaw) }

func (j *judge) duplicate(i int, same string, state State) {
	format := "it is the same work as %s of this set: leave it out"
	switch state {
	case Open:
		format = "the same is being done already as %s: wait for that"
	case Done:
		format = "the same was done already as %s: use what came of it, or say what is to be different"
	case Failed, Refused:
	}
	j.refuse(i, Duplicate, []string{same}, format, same)
}

func (j *judge) unknownRole(i int) {
	var names []string
	for _, r := range j.Roles {
		names = append(names, r.Name)
	}
	role := j.Pieces[i].Role
	j.refuse(i, UnknownRole, []string{role}, "there is no role %q to delegate to; there are %s", role, listed(names))
}

func (j *judge) missingCapability(i int, lacks []string) {
	p := j.Pieces[i]
	var able []string
	for _, r := range j.Roles {
		if len(without(p.Needs, r.Can)) == 0 {
			able = append(able, r.Name)
		}
	}
	hint := "nobody has all that it needs: split it, or ask for less"
	if len(able) > 0 {
		hint = "delegate it to one that has: " + listed(able)
	}
	j.refuse(i, MissingCapability, lacks, "the role %s does not have what it needs (%s); %s", p.Role, strings.Join(lacks, ", "), hint)
}

func (j *judge) selfDependency(i int) {
	j.refuse(i, SelfDependency, []string{j.Pieces[i].ID}, "it cannot come after itself: take %s out of what it depends on", j.Pieces[i].ID)
}

func (j *judge) unknownDependency(i int, id string) {
	j.refuse(i, UnknownDependency, []string{id}, "it is to come after %q, and there is no such delegation: put the id right, or propose that one too", id)
}

func (j *judge) failedDependency(i int, e *Earlier) {
	j.refuse(i, FailedDependency, []string{e.ID}, "it was to come after %s, which failed%s: have that done in another way first, or do this without it", e.ID, because(e.Reason))
}

func (j *judge) refusedDependency(i int, id, reason string) {
	j.refuse(i, RefusedDependency, []string{id}, "it was to come after %s, which was refused%s", id, because(reason))
}

// because bounds a reason, which may hold another's in it and so on.
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

func (j *judge) limit(i int) {
	j.refuse(i, Limit, nil, "%s: nothing more can be begun; go on with what there is", j.Limits.Bound)
}

func (j *judge) cycle(i int, members []string) {
	round := members
	const most = 20
	if len(round) > most {
		round = append(append([]string{}, members[:most]...), fmt.Sprintf("… %d more …", len(members)-most))
	}
	chain := strings.Join(round, " → ") + " → " + members[0]
	j.refuse(i, Cycle, members, "these wait for one another, each for the next: %s; take one of these dependencies out", chain)
}

// mostListed is how many words of a list a sentence holds.
const mostListed = 30

// listed names the first of the words.
func listed(words []string) string {
	switch {
	case len(words) == 0:
		return "nothing"
	case len(words) > mostListed:
		return strings.Join(words[:mostListed], ", ") + " and more"
	}
	return strings.Join(words, ", ")
}
