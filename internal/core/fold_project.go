package core

import "slices"

// FoldProject applies an event to a project and returns the new state. p is
// nil before the first event.
func FoldProject(p *Project, e Event) (*Project, error) {
	body, err := Decode(e)
	if err != nil {
		return p, err
	}
	if p == nil {
		p = &Project{}
	}
	switch b := body.(type) {
	case ProjectRegistered:
		p.ID, p.Name, p.Path, p.URL = b.Project, b.Name, b.Path, b.URL
	case ContentTrusted:
		if !slices.Contains(p.Trusted, b.Hash) {
			p.Trusted = append(p.Trusted, b.Hash)
		}
	default:
		return p, Errorf(CodeInvalid, "event %s: %s does not belong to a project", e.ID, e.Type)
	}
	p.Stream.Seq, p.Stream.At = e.Seq, e.At
	return p, nil
}
