package core

import "fmt"

// ClaimKind names what is claimed.
type ClaimKind string

const (
	ClaimBranch  ClaimKind = "branch"  // one writer per branch
	ClaimProject ClaimKind = "project" // one run that drives it
	ClaimSlot    ClaimKind = "slot"    // one of a pool; queued for, see Slots
	ClaimName    ClaimKind = "name"    // one project of a name
)

// Claim is a hold on something that others want too. Claims are taken and
// released in the transaction of the decision that needs them. A claim of kind
// slot only says in an event what an attempt waited for.
type Claim struct {
	Kind   ClaimKind `json:"kind"`
	Key    string    `json:"key"`    // branch: project and ref; slot: the pool
	Holder string    `json:"holder"` // stream and attempt, unique per claim
	Limit  int       `json:"limit"`  // how many may hold the key at once
}

func (c Claim) String() string { return fmt.Sprintf("%s %s", c.Kind, c.Key) }

// Claims are the claims a run must hold in this state.
func Claims(r *Run) []Claim {
	var claims []Claim
	if !r.Status.Terminal() {
		claims = append(claims, BranchClaim(r.Project, r.Branch, r.ID))
	}
	if r.Drives() && !r.Status.Terminal() {
		claims = append(claims, ProjectClaim(r.Project, r.ID))
	}
	return claims
}

// BranchClaim is the claim of a run on its branch.
func BranchClaim(project, branch, run string) Claim {
	return Claim{Kind: ClaimBranch, Key: project + ":" + branch, Holder: RunStream(run), Limit: 1}
}

// ProjectClaim is the claim of a run on the project that it drives.
func ProjectClaim(project, run string) Claim {
	return Claim{Kind: ClaimProject, Key: project, Holder: RunStream(run), Limit: 1}
}

// NameClaim is the claim of a project on its name.
func NameClaim(project, name string) Claim {
	return Claim{Kind: ClaimName, Key: name, Holder: ProjectStream(project), Limit: 1}
}
