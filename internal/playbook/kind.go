package playbook

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
)

// The kinds of playbook that this version drives.
const (
	KindPhases = "phases" // phases, one after the other
	KindRules  = "rules"  // the steps of a project's plan, by a table of rules
)

// Kinds lists the kinds of playbook that this version drives.
func Kinds() []string { return []string{KindPhases, KindRules} }

func knownKinds() string { return "this version knows: " + strings.Join(Kinds(), ", ") }

// kindKeys are the keys that only playbooks of a kind have.
func kindKeys(kind string) []string {
	switch kind {
	case KindPhases:
		return []string{"phases"}
	case KindRules:
		return []string{"plan", "steps", "publish"}
	}
	return nil
}

// readKind reads the playbook's kind; false where it is none that this version drives. Keys of other kinds are reported.
func (p *parser) readKind(v yamlfile.Value, o yamlfile.Object) bool {
	kind, ok := v.Text()
	switch {
	case !ok:
		return false
	case slices.Contains(Kinds(), kind):
	case slices.Contains([]string{"manager", "waves"}, kind):
		v.Fail("the kind "+kind+" is not supported in this version", knownKinds())
		return false
	default:
		v.Fail("unknown kind "+quote(kind), knownKinds())
		return false
	}
	p.out.Kind = kind
	for _, other := range Kinds() {
		for _, key := range kindKeys(other) {
			if other != kind && o.Has(key) {
				o.Key(key).Fail("a playbook of kind "+kind+" has no "+key, "that is for kind: "+other)
			}
		}
	}
	return true
}
