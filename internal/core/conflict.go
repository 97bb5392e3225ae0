package core

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
)

// ConflictKind says what two sides disagree about.
type ConflictKind string

const (
	ConflictValues     ConflictKind = "values"     // one key, different contents
	ConflictAssumption ConflictKind = "assumption" // an assumption against a fact
	ConflictFile       ConflictKind = "file"       // two delegations wrote one file
	ConflictCriterion  ConflictKind = "criterion"  // what was asked for and what was done
)

// Conflict is a contradiction that was found by looking, not by judging: which
// side holds is for a planner or a person to say.
type Conflict struct {
	ID      string       `json:"conflict_id"` // the same for the same sides
	Kind    ConflictKind `json:"kind"`
	Subject string       `json:"subject"` // key, path or criterion
	Sides   []Side       `json:"sides"`
}

// Side is what one of those in a conflict says.
type Side struct {
	Source string `json:"source"` // delegation, wave, question, or the planner
	Origin Origin `json:"origin,omitempty"`
	Fact   string `json:"fact,omitempty"` // id, if it is an entry of the pool
	Text   string `json:"text"`
}

// newConflict gives a conflict its id, which is made of the kind, the subject
// and who is in it.
func newConflict(kind ConflictKind, subject string, sides []Side) Conflict {
	parts := []string{string(kind), subject}
	for _, s := range sides {
		parts = append(parts, s.Source, s.Fact)
	}
	var id []byte
	for _, part := range parts {
		id = append(strconv.AppendInt(id, int64(len(part)), 10), ' ')
		id = append(id, part...)
	}
	sum := sha256.Sum256(id)
	return Conflict{ID: "c-" + hex.EncodeToString(sum[:8]), Kind: kind, Subject: subject, Sides: sides}
}

// Conflicts are the contradictions in a pool: different contents that hold for
// one key, of whatever wave, and the assumptions that a fact refuted in the given
// wave. These are settled; who built on them should know.
func (p Pool) Conflicts(wave int) []Conflict {
	var order []string
	sides := map[string][]Side{}
	var refuted []Conflict
	for i := range p {
		f := &p[i]
		switch {
		case f.Key == "":
		case f.Valid():
			if sides[f.Key] == nil {
				order = append(order, f.Key)
			}
			sides[f.Key] = append(sides[f.Key], f.side())
		case f.Assumption:
			by := p.Fact(*f.SupersededBy)
			if by != nil && !by.Assumption && max(f.Wave, by.Wave) == wave {
				refuted = append(refuted, newConflict(ConflictAssumption, f.Key, []Side{f.side(), by.side()}))
			}
		}
	}
	var all []Conflict
	for _, key := range order {
		if len(sides[key]) > 1 {
			all = append(all, newConflict(ConflictValues, key, sides[key]))
		}
	}
	return append(all, refuted...)
}

func (f *Fact) side() Side {
	return Side{Source: f.Source, Origin: f.Origin, Fact: f.ID, Text: f.Content}
}

// Settles is a planner's word on a conflict of the pool, as a statement that
// takes the place of the sides that it does not follow.
func (r Resolution) Settles(c Conflict, source string, wave int) Statement {
	s := Statement{Claimed: Claimed{Key: c.Subject, Content: r.Content}, Origin: OriginPlanner, Source: source, Wave: wave}
	for _, side := range c.Sides {
		if side.Fact != "" {
			s.Sources = append(s.Sources, side.Fact)
		}
	}
	return s
}

// Written is what a delegation wrote: files it changed, documents it handed in.
type Written struct {
	ID    string
	After []string // delegations that it saw the result of
	Paths []string
}

// FileConflicts are the files that several delegations wrote of which neither
// saw what the other did.
func FileConflicts(all []Written) []Conflict {
	writers := map[string][]int{}
	var paths []string
	for i, w := range all {
		for _, name := range w.Paths {
			name = path.Clean(name)
			switch at := writers[name]; {
			case at == nil:
				paths = append(paths, name)
				writers[name] = []int{i}
			case at[len(at)-1] != i:
				writers[name] = append(at, i)
			}
		}
	}
	slices.Sort(paths)
	saw := sights(all)
	var conflicts []Conflict
	for _, name := range paths {
		var sides []Side
		for _, i := range writers[name] {
			blind := func(k int) bool { return k != i && !saw(i, k) && !saw(k, i) }
			if slices.ContainsFunc(writers[name], blind) {
				sides = append(sides, Side{Source: all[i].ID, Origin: OriginDelegation, Text: "wrote " + name})
			}
		}
		if len(sides) > 0 {
			conflicts = append(conflicts, newConflict(ConflictFile, name, sides))
		}
	}
	return conflicts
}

// sights reports whether a delegation came after another, directly or not. Each is
// followed back once, and only if it is asked about.
func sights(all []Written) func(i, k int) bool {
	at := make(map[string]int, len(all))
	for i, w := range all {
		at[w.ID] = i
	}
	known := map[int]map[int]bool{}
	return func(i, k int) bool {
		if known[i] == nil {
			seen := map[int]bool{}
			for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
				for _, id := range all[queue[0]].After {
					if before, ok := at[id]; ok && !seen[before] {
						seen[before] = true
						queue = append(queue, before)
					}
				}
			}
			known[i] = seen
		}
		return known[i][k]
	}
}
