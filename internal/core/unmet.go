package core

import "slices"

// MaxCriteria is how many criteria a brief has at most, those that it takes over
// included.
const MaxCriteria = 50

// Criterion finds a criterion of a brief by its words; nil where it has none such.
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
			if heir.Status == DelegatedDone {
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
	case d.Status == DelegatedDropped:
		return nil
	case d.Status == DelegatedFailed:
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

// concluded is what speaks against the criteria of a delegation that are unmet.
func (d *Delegated) concluded() Concluded {
	c := Concluded{Brief: d.Brief, Output: d.Answer}
	c.Brief.Criteria = nil
	for _, text := range d.Unmet {
		c.Brief.Criteria = append(c.Brief.Criteria, Criterion{Text: text})
	}
	if d.Status == DelegatedFailed && d.Answer != nil && d.Answer.Status != OutputFailed {
		c.Void = "failed: " + d.Reason
	}
	return c
}
