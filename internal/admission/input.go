package admission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// library holds everything that can be an input.
type library struct {
	documents, facts, answers map[string]bool
}

func (j *judge) library() library {
	l := library{documents: map[string]bool{}, facts: map[string]bool{}, answers: map[string]bool{}}
	for _, d := range j.Known.Documents {
		for _, form := range j.forms(d.Name) {
			l.documents[form] = true
		}
		if d.ID != "" {
			l.documents[d.ID] = true
		}
	}
	for _, key := range j.Known.Facts {
		l.facts[core.FactKey(key)] = true
	}
	for _, id := range j.Known.Answers {
		l.answers[id] = true
	}
	return l
}

func (j *judge) forms(name string) []string {
	if j.Versions {
		return core.NameForms(name)
	}
	return []string{name}
}

// has reports whether an input is there. document is the name under which a piece may still hand it in; "" if none can.
func (l library) has(reference string) (there bool, document string) {
	if key, ok := strings.CutPrefix(reference, core.RefersFact); ok {
		return l.facts[core.FactKey(key)], ""
	}
	if id, ok := strings.CutPrefix(reference, core.RefersAnswer); ok {
		return l.answers[id], ""
	}
	if name, ok := strings.CutPrefix(reference, core.RefersDetail); ok {
		return l.documents[name], name
	}
	return l.documents[reference] || l.answers[reference] || len(l.facts) > 0 && l.facts[core.FactKey(reference)], reference
}

// wants are the references of a piece that must be met.
func (p Piece) wants() []string {
	wants := slices.Clip(p.Requires) // so that appending does not change the piece
	for _, ref := range p.Provided {
		for _, prefix := range []string{core.RefersDetail, core.RefersFact, core.RefersAnswer} {
			if strings.HasPrefix(ref, prefix) && !slices.Contains(wants, ref) {
				wants = append(wants, ref)
			}
		}
	}
	return wants
}

// lacking returns, for each piece, the inputs that are not there and that none of its dependencies hands in.
func (j *judge) lacking(order []int) [][]string {
	l := j.library()
	lacks := make([][]string, len(j.Pieces))
	j.makers = j.findMakers()
	coming := map[string][]bool{}
	for i, p := range j.Pieces {
		if !j.verdicts[i].Admitted() {
			continue
		}
		for _, ref := range p.wants() {
			there, name := l.has(ref)
			makers := j.makers[name]
			if there || j.direct(i, makers) {
				continue
			}
			if coming[name] == nil {
				coming[name] = j.coming(order, makers)
			}
			if !coming[name][i] {
				lacks[i] = append(lacks[i], ref)
			}
		}
	}
	return lacks
}

// findMakers finds who hands in a document, by each name it can be found under: pieces of the set by their number, and
// open earlier work by its number counted down from -1.
func (j *judge) findMakers() map[string][]int {
	makers := make(map[string][]int, 4*len(j.Pieces))
	note := func(who int, outputs []string) {
		for _, out := range outputs {
			for _, form := range j.forms(out) {
				makers[form] = append(makers[form], who)
			}
		}
	}
	for i, p := range j.Pieces {
		if at, ok := j.at[p.ID]; ok && at == i {
			note(i, p.Outputs)
		}
	}
	for i, e := range j.Known.Earlier {
		if e.State == Open {
			note(-1-i, e.Outputs)
		}
	}
	return makers
}

// direct reports whether a dependency of a piece is one of the makers of a document.
func (j *judge) direct(i int, makers []int) bool {
	return slices.ContainsFunc(makers, func(who int) bool {
		if who < 0 {
			return slices.Contains(j.Pieces[i].After, j.Known.Earlier[-1-who].ID)
		}
		return slices.Contains(j.edges[i], who)
	})
}

// coming reports, for each piece, whether a direct or indirect dependency is one of the makers of a document.
func (j *judge) coming(order, makers []int) []bool {
	coming := make([]bool, len(j.Pieces))
	for _, i := range order {
		coming[i] = j.direct(i, makers) || slices.ContainsFunc(j.edges[i], func(d int) bool { return coming[d] })
	}
	return coming
}

// inputs refuses a piece that lacks inputs.
func (j *judge) inputs(i int, lacks []string) {
	if len(lacks) == 0 {
		return
	}
	hint := "what there is: " + Listed(j.named())
	if maker := j.maker(i, lacks[0]); maker != "" {
		hint = fmt.Sprintf("%s will hand it in: make this depend on it", maker)
	}
	j.refuse(i, MissingInput, lacks, "nothing provides %s; %s", quoted(lacks), hint)
}

// maker is who would hand a document in if the piece depended on it.
func (j *judge) maker(i int, reference string) string {
	for _, who := range j.makers[strings.TrimPrefix(reference, core.RefersDetail)] {
		switch {
		case who < 0:
			return j.Known.Earlier[-1-who].ID
		case who != i:
			return j.Pieces[who].ID
		}
	}
	return ""
}

// named lists documents, facts and answers that can be required, the newest documents first, each once: as many as a
// sentence holds.
func (j *judge) named() []string {
	var all, names []string
	for _, d := range slices.Backward(j.Known.Documents) {
		all = append(all, d.Name)
	}
	for _, name := range slices.Concat(all, j.Known.Facts, j.Known.Answers) {
		if len(names) <= mostListed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func quoted(words []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(all, ", ")
}
