package cli

import (
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// roleSource is whose text a role of a playbook has.
type roleSource struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	Agent  string `json:"agent"`
	Text   bool   `json:"text"` // it has instructions of its own
	// Shadows is set where a built-in role has the name and does not apply.
	Shadows bool `json:"shadows,omitempty"`
}

// String says whose text it is.
func (r roleSource) String() string {
	whose := "built in"
	switch {
	case r.Origin == role.OriginBuiltin:
	case r.Text:
		whose = "its text is from " + r.Origin
	default:
		whose = "from " + r.Origin + ", without instructions of its own"
	}
	if r.Shadows {
		whose += "; the built-in role of this name is not used: drop `description` and `prompt` here to use it"
	}
	return whose
}

// place says where something comes from in a word.
func place(origin string) string {
	if origin == playbook.OriginBuiltin {
		return "built in"
	}
	return "yours"
}
