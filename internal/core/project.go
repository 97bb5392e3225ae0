package core

// Project is the state of one repository under Stellwerk.
type Project struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Path    string   `json:"path,omitempty"`
	URL     string   `json:"url,omitempty"`
	Trusted []string `json:"trusted,omitempty"` // hashes of content a person trusts
	Stream  Head     `json:"stream"`
}

// Trusts reports that a person trusted content of this hash.
func (p *Project) Trusts(hash string) bool {
	for _, h := range p.Trusted {
		if h == hash {
			return true
		}
	}
	return false
}
