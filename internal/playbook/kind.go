package playbook

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
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

// kindKeys are the keys of a kind of playbook that not every kind has.
func kindKeys(kind string) []string {
	switch kind {
	case KindPhases:
		return []string{"phases"}
	case KindRules:
		return []string{"plan", "steps", "publish"}
	case KindManager:
		return []string{"manager", "steps", "publish"}
	case KindWaves:
		return []string{"planner", "waves", "publish"}
	}
	return nil
}

// allKindKeys are the keys that not every kind of playbook has.
func allKindKeys() []string {
	var keys []string
	for _, kind := range Kinds() {
		for _, key := range kindKeys(kind) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// kindsWith are the kinds of playbook that have a key.
func kindsWith(key string) []string {
	return slices.DeleteFunc(Kinds(), func(kind string) bool { return !slices.Contains(kindKeys(kind), key) })
}

// readKind reads the playbook's kind. Where it is none that this version drives, the file is read on as the kind it seems
// to be, so that everything wrong with it is found at once. Keys of other kinds are reported.
func (p *parser) readKind(o yamlfile.Object) {
	var kind string
	v, ok := o.Need("kind", knownKinds())
	if ok {
		kind, ok = v.Text()
	}
	switch {
	case !ok:
		kind = kindByKeys(o)
	case !slices.Contains(Kinds(), kind):
		kind = cmp.Or(kindByKeys(o), unknownKind(v, kind))
	}
	if p.out.Kind = kind; kind == "" {
		return
	}
	for _, key := range allKindKeys() {
		if o.Has(key) && !slices.Contains(kindKeys(kind), key) {
			o.Key(key).Fail("a playbook of kind "+kind+" has no "+key, "that is for kind: "+strings.Join(kindsWith(key), " or "))
		}
	}
}

// unknownKind reports a kind that this version does not drive, and returns the one that was probably meant; "" for none.
func unknownKind(v yamlfile.Value, kind string) string {
	hint, meant := knownKinds(), yamlfile.Nearest(kind, Kinds())
	if meant != "" {
		hint = yamlfile.Known(kind, Kinds())
	}
	v.Fail("unknown kind "+quote(kind), hint)
	return meant
}

// kindByKeys is the only kind of playbook that has all keys of the file; "" where it could be several.
func kindByKeys(o yamlfile.Object) string {
	fits := slices.DeleteFunc(Kinds(), func(kind string) bool {
		return slices.ContainsFunc(allKindKeys(), func(key string) bool { return o.Has(key) && !slices.Contains(kindKeys(kind), key) })
	})
	if len(fits) != 1 {
		return ""
	}
	return fits[0]
}
