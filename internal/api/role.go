package api

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Role is what a person may do who reaches the engine over the network. Each
// role may do what the one before it may.
type Role string

// The roles. RoleOwner, the zero value, is the person who owns the state folder
// and speaks through its socket; nobody on the network has it.
const (
	RoleOwner    Role = ""
	RoleViewer   Role = "viewer"   // reads
	RoleApprover Role = "approver" // steers runs and starts them in projects that are there
	RoleAdmin    Role = "admin"    // decides what is worked on, what is obeyed and who may come in
)

// Roles lists those that can be given, the least first.
func Roles() []Role { return []Role{RoleViewer, RoleApprover, RoleAdmin} }

// ParseRole reads the name of a role that can be given.
func ParseRole(name string) (Role, error) {
	for _, r := range Roles() {
		if string(r) == name {
			return r, nil
		}
	}
	return "", core.Errorf(core.CodeInvalid, "there is no role %.40q", name).WithHint("choose viewer, approver or admin")
}

// rank orders the roles; one that nobody gave ranks below all others.
func (r Role) rank() int {
	switch r {
	case RoleViewer:
		return 1
	case RoleApprover:
		return 2
	case RoleAdmin:
		return 3
	case RoleOwner:
		return 4
	}
	return 0
}

// Includes reports that who has r may do what least may.
func (r Role) Includes(least Role) bool { return r.rank() >= least.rank() }

// May reports that a caller may do what a role may. An attempt has none, and who
// is not known may nothing. It is for pages that leave out what would be
// refused; what is refused is said by Guard.
func (c Caller) May(least Role) bool {
	switch c.Actor.Kind {
	case core.ActorPerson, core.ActorSession:
		return c.Role.Includes(least)
	default:
		return false
	}
}
