package playbook

import (
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The kinds of playbook that this version drives.
const (
	KindPhases  = "phases"  // phases, one after the other
	KindRules   = "rules"   // the steps of a project's plan, by a table of rules
	KindManager = "manager" // a project's work, as an agent delegates it
	KindWaves   = "waves"   // a goal, as a planner delegates it wave by wave
)

// Kinds lists the kinds of playbook that this version drives.
func Kinds() []string { return []string{KindPhases, KindRules, KindManager, KindWaves} }

func knownKinds() string { return "this version knows: " + strings.Join(Kinds(), ", ") }

// kindFields describe the fields of one kind of playbook.
func (p *parser) kindFields(kind string) yamlfile.Fields {
	m := p.out.Project
	if m == nil {
		m = newManagement(kind, p.defaults)
	}
	switch kind {
	case KindPhases:
		return yamlfile.Fields{p.phasesField()}
	case KindRules:
		return yamlfile.Fields{p.planField(m), p.stepsField(kind, m), publishField(m)}
	case KindManager:
		return yamlfile.Fields{p.managerField(m), p.stepsField(kind, m), publishField(m)}
	case KindWaves:
		return yamlfile.Fields{p.plannerField(m), p.wavesField(m), publishField(m).If(m.Waves.Writes == core.WritesCode)}
	}
	return nil
}

// keysByKind are the keys of kindFields.
func keysByKind() map[string][]string {
	keys := map[string][]string{}
	for _, kind := range Kinds() {
		keys[kind] = new(parser).kindFields(kind).Keys()
	}
	return keys
}

// readKind reads the playbook's kind, and reports keys of other kinds. A file of an unknown kind is read as the kind it
// seems to be, so that all its problems are found at once.
func (p *parser) readKind(o yamlfile.Object, keys map[string][]string) {
	lacks := func(kind, key string) bool { return !slices.Contains(keys[kind], key) }
	given := slices.DeleteFunc(slices.Concat(slices.Collect(maps.Values(keys))...), func(key string) bool { return !o.Has(key) })
	var kind string
	v, ok := o.Need("kind", knownKinds())
	if ok {
		kind, ok = v.Text()
	}
	if fits := slices.DeleteFunc(Kinds(), func(kind string) bool {
		return slices.ContainsFunc(given, func(key string) bool { return lacks(kind, key) })
	}); !ok || !slices.Contains(Kinds(), kind) {
		meant := ""
		if ok {
			meant = unknownKind(v, kind)
		}
		if kind = meant; len(fits) == 1 { // it has all keys of the file
			kind = fits[0]
		}
	}
	if p.out.Kind = kind; kind == "" {
		return
	}
	for _, key := range given {
		if lacks(kind, key) {
			others := slices.DeleteFunc(Kinds(), func(other string) bool { return lacks(other, key) })
			o.Key(key).Fail("a playbook of kind "+kind+" has no "+key, "that is for kind: "+strings.Join(others, " or "))
		}
	}
}

// unknownKind reports a kind that this version does not drive, and returns the one that was probably meant; "" for none.
func unknownKind(v yamlfile.Value, kind string) string {
	hint, meant := knownKinds(), yamlfile.Nearest(kind, Kinds())
	if meant != "" {
		hint = yamlfile.Known(kind, Kinds())
	}
	v.Fail("unknown kind "+yamlfile.Quote(kind), hint)
	return meant
}
