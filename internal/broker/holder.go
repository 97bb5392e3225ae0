package broker

// Holder is a variable in which agents find a credential, and the credential's kind.
type Holder struct {
	Variable string
	Kind     Kind
}

// Holder is the variable of a kind of credential.
func (p Provider) Holder(kind Kind) (Holder, bool) {
	for _, h := range p.Holders {
		if h.Kind == kind {
			return h, true
		}
	}
	return Holder{}, false
}
