package view

import (
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// RoleSource is whose text a role of a playbook has.
type RoleSource struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	Agent  string `json:"agent"`
	Text   bool   `json:"text"` // it has instructions of its own
	// Shadows is set where a built-in role has the name and does not apply.
	Shadows bool `json:"shadows,omitempty"`
}

// String says whose text it is.
func (r RoleSource) String() string {
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

// Place says where something comes from in a word.
func Place(origin string) string {
	if origin == playbook.OriginBuiltin {
		return "built in"
	}
	return "yours"
}
