package view

import (
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// RoleSource is where the text of a role comes from.
type RoleSource struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	Agent  string `json:"agent"`
	Text   bool   `json:"text"` // it has instructions of its own
	// Shadows is set if a built-in role has the same name and is not used.
	Shadows bool `json:"shadows,omitempty"`
}

// String is that in words.
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

// Place is the origin of a playbook or role in a word.
func Place(origin string) string {
	if origin == playbook.OriginBuiltin {
		return "built in"
	}
	return "yours"
}
