package core

import "slices"

// MaxCriteria is how many criteria a brief has at most, those that it takes over
// included.
const MaxCriteria = 50

// Criterion finds a criterion of a brief by its words; nil if it has none such.
func (b Brief) Criterion(text string) *Criterion {
	same := Plain(text)
	return find(b.Criteria, func(c *Criterion) bool { return Plain(c.Text) == same })
}

// recount says anew which criteria of a delegation nobody has met, and so of those
// that it replaces: what it has done counts for them, and does not any more if it
// turns out to have failed.
func (w *Waves) recount(d *Delegated) {
	heirs := w.heirs()
	seen := map[string]bool{d.Brief.ID: true}
	for queue := []*Delegated{d}; len(queue) > 0; queue = queue[1:] {
		old := queue[0]
		old.Unmet = old.lacks(heirs)
		for _, id := range old.Brief.Replaces {
			if older := w.Work(id); older != nil && !seen[id] {
				seen[id] = true
				queue = append(queue, older)
			}
		}
	}
}

// heirs are the delegations that replace each, by its id.
func (w *Waves) heirs() map[string][]*Delegated {
	heirs := map[string][]*Delegated{}
	for _, d := range w.Works {
		for _, id := range d.Brief.Replaces {
			heirs[id] = append(heirs[id], d)
		}
	}
	return heirs
}

// lacks are the criteria that neither the delegation has met nor one that was
// asked for them in its place, at any remove, and is done.
func (d *Delegated) lacks(heirs map[string][]*Delegated) []string {
	unmet := d.left()
	seen := map[string]bool{d.Brief.ID: true}
	for queue := []*Delegated{d}; len(queue) > 0 && len(unmet) > 0; queue = queue[1:] {
		for _, heir := range heirs[queue[0].Brief.ID] {
			if seen[heir.Brief.ID] {
				continue
			}
			seen[heir.Brief.ID] = true
			queue = append(queue, heir)
			if heir.Status == DelegationDone {
				unmet = slices.DeleteFunc(unmet, func(text string) bool { return heir.Brief.Criterion(text) != nil })
			}
		}
	}
	return unmet
}

// left are the criteria that a delegation itself has not met. Of one that failed
// nothing is met; what was dropped is not wanted any more.
func (d *Delegated) left() []string {
	switch {
	case d.Status == DelegationDropped:
		return nil
	case d.Status == DelegationFailed:
		return d.Brief.criteria()
	case d.Answer == nil:
		return nil
	}
	return slices.Clone(d.Answer.Coverage.Unmet)
}

func (b Brief) criteria() []string {
	var texts []string
	for _, c := range b.Criteria {
		texts = append(texts, c.Text)
	}
	return texts
}

// shortfalls are the criteria of a delegation that nobody has met, each with what
// the delegation says about it.
func (d *Delegated) shortfalls() []Conflict {
	var all []Conflict
	for _, text := range d.Unmet {
		all = append(all, newConflict(ConflictCriterion, text, []Side{
			{Source: PlannerStage, Origin: OriginPlanner, Text: d.Brief.ID + " is to see that it holds"},
			{Source: d.Brief.ID, Origin: OriginDelegation, Text: d.word(text)},
		}))
	}
	return all
}

// word is why a criterion counts as unmet.
func (d *Delegated) word(criterion string) string {
	if d.Answer == nil {
		return "handed in no answer"
	}
	among := func(texts []string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return Plain(t) == Plain(criterion) })
	}
	met, unmet := among(d.Answer.Coverage.Met), among(d.Answer.Coverage.Unmet)
	switch {
	case d.Status == DelegationFailed && d.Answer.Status != OutputFailed:
		return "failed: " + d.Reason
	case met && unmet:
		return "says both that it is met and that it is not"
	case met:
		return "says that it is met, and that the work failed"
	case unmet:
		return "says that it is not met"
	}
	return "does not say whether it is met"
}
