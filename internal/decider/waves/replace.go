package waves

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// replacing are the planner's briefs with what they take over: every unmet criterion of a delegation that they replace. A
// criterion goes to the briefs that have it in the same words; if none has, to the first brief. Criteria of dropped
// delegations are not taken over.
func (f *following) replacing() []core.Brief {
	briefs := slices.Clone(f.decision.Delegations)
	for _, old := range f.run.Waves.Works {
		if len(old.Unmet) == 0 || slices.Contains(f.dropped, old.Brief.ID) {
			continue
		}
		var heirs []*core.Brief
		for i := range briefs {
			if slices.Contains(briefs[i].Replaces, old.Brief.ID) {
				heirs = append(heirs, &briefs[i])
			}
		}
		if len(heirs) == 0 {
			continue
		}
		for _, text := range old.Unmet {
			criterion := core.Criterion{Text: text}
			if asked := old.Brief.Criterion(text); asked != nil {
				criterion = *asked
			}
			takeOver(heirs, criterion)
		}
	}
	return briefs
}

// takeOver gives a criterion to the briefs. Its check goes with it, unless the planner gave it another.
func takeOver(heirs []*core.Brief, criterion core.Criterion) {
	taken := false
	for _, b := range heirs {
		if b.Criterion(criterion.Text) == nil {
			continue
		}
		taken = true
		b.Criteria = slices.Clone(b.Criteria)
		if own := b.Criterion(criterion.Text); own.Check == "" {
			own.Check = criterion.Check
		}
	}
	if !taken {
		b := heirs[0]
		b.Criteria = append(slices.Clip(b.Criteria), criterion)
	}
}
