package core

import (
	"cmp"
	"strings"
)

// NameForms are what a document of a run in waves can be called by who requires
// it: its whole name, and that without its version, its extension or both. So
// db_schema_v2.md is also db_schema_v2, db_schema.md and db_schema.
func NameForms(name string) []string {
	n := takeApart(name)
	forms := []string{name}
	for _, form := range []string{n.base + n.mark, n.base + n.extension, n.base} {
		if form != forms[len(forms)-1] && form != name {
			forms = append(forms, form)
		}
	}
	return forms
}

// Document finds the document that is called so; nil if there is none. An id
// goes before a name: delegations may be called d1 and d2, too. Of several that can
// be called by a name, the one with the highest version is meant; of those, the one
// whose whole name it is; of those, the one handed in last.
func (w *Waves) Document(called string) *Document {
	var found *Document
	var best versionedName
	for i := range w.Documents {
		d := &w.Documents[i]
		if d.ID == called {
			return d
		}
		if !mayCall(called, d.Name) {
			continue
		}
		if n := takeApart(d.Name); n.calledSo(called) && (found == nil || n.over(best, called) >= 0) {
			found, best = d, n
		}
	}
	return found
}

// Named finds the newest document with exactly this name; nil if there is none.
func (w *Waves) Named(name string) *Document {
	for i := len(w.Documents) - 1; i >= 0; i-- {
		if d := &w.Documents[i]; d.Name == name {
			return d
		}
	}
	return nil
}

// mayCall is false, at little cost, of nearly all that a document cannot be called.
func mayCall(called, name string) bool {
	return len(called) > 0 && len(called) <= len(name) && called[0] == name[0]
}

// versionedName is a name taken apart: base, _v2 or -v2, and .md.
type versionedName struct{ whole, base, mark, extension string }

func takeApart(whole string) versionedName {
	n := versionedName{whole: whole, base: whole}
	if dot := strings.LastIndexByte(whole, '.'); dot > 0 && dot < len(whole)-1 {
		n.base, n.extension = whole[:dot], whole[dot:]
	}
	digits := strings.TrimRight(n.base, "0123456789")
	marked := len(digits) >= 3 && digits[len(digits)-1] == 'v' && strings.IndexByte("_-", digits[len(digits)-2]) >= 0
	if marked && digits != n.base {
		n.base, n.mark = n.base[:len(digits)-2], n.base[len(digits)-2:]
	}
	return n
}

// calledSo reports that a document with this name has the form, without making
// the forms: there are many documents, and they are looked at often.
func (n versionedName) calledSo(form string) bool {
	rest, ok := strings.CutPrefix(form, n.base)
	return ok && (form == n.whole || rest == "" || rest == n.mark || rest == n.extension)
}

// over compares what two documents are worth to who calls them so.
func (n versionedName) over(other versionedName, called string) int {
	a, b := n.version(), other.version()
	whole := func(n versionedName) int {
		if n.whole == called {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b), cmp.Compare(whole(n), whole(other)))
}

// version is the number of a version, however large; "" if there is none or it
// is 0.
func (n versionedName) version() string { return strings.TrimLeft(n.mark, "_-v0") }
