package gate

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Forms are what a document can be called by who requires it: its whole name,
// and that without its version, its extension or both. So db_schema_v2.md is
// also db_schema_v2, db_schema.md and db_schema. Of several that can be called
// so, the newest is meant.
func Forms(name string) []string {
	stem, extension := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && dot < len(name)-1 {
		stem, extension = name[:dot], name[dot:]
	}
	base := unversioned(stem)
	forms := []string{name}
	for _, form := range []string{stem, base + extension, base} {
		if form != forms[len(forms)-1] && form != name {
			forms = append(forms, form)
		}
	}
	return forms
}

// unversioned is a name without _v2 or -v2 at its end.
func unversioned(stem string) string {
	base := strings.TrimRight(stem, "0123456789")
	if base == stem || len(base) < 3 || base[len(base)-1] != 'v' {
		return stem
	}
	if mark := base[len(base)-2]; mark != '_' && mark != '-' {
		return stem
	}
	return base[:len(base)-2]
}

// Find is the document that a reference means: one with that id, or the newest
// that can be called so. The reference may begin with detail:.
func Find(documents []Document, reference string) (Document, bool) {
	reference = strings.TrimPrefix(reference, core.RefersDetail)
	for _, d := range documents {
		if d.ID != "" && d.ID == reference {
			return d, true
		}
	}
	for i := len(documents) - 1; i >= 0; i-- {
		for _, form := range Forms(documents[i].Name) {
			if form == reference {
				return documents[i], true
			}
		}
	}
	return Document{}, false
}
