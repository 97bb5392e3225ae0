package core

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Delivery is what an attempt handed in. It is immutable; checks, approvals
// and retries speak of a delivery.
type Delivery struct {
	Commit     string          `json:"commit,omitempty"` // empty if only artifacts were handed in, or the code could not be taken over
	Tree       string          `json:"tree,omitempty"`
	Ref        string          `json:"ref,omitempty"`       // where the yard holds it
	Pack       string          `json:"pack,omitempty"`      // of Commit and Left, with all that the attempt's base does not have
	Left       []string        `json:"left,omitempty"`      // commits on other branches and in the stash
	Workspace  string          `json:"workspace,omitempty"` // digest of an archive of the workspace, if that could not be handed in
	Empty      bool            `json:"empty,omitempty"`
	Rewritten  bool            `json:"rewritten,omitempty"`  // does not descend from the attempt's base
	Checkpoint bool            `json:"checkpoint,omitempty"` // uncommitted work was committed by Stellwerk
	Mark       bool            `json:"mark,omitempty"`       // its last commit is a checkpoint that changes nothing
	Artifacts  []Artifact      `json:"artifacts,omitempty"`
	Context    json.RawMessage `json:"context,omitempty"`  // report.json's context
	Notes      []string        `json:"notes,omitempty"`    // what was unusual about it
	Rejected   []string        `json:"rejected,omitempty"` // what was handed in and not accepted, with the reason
}

// Sound reports a delivery that can pass the checks of a task that writes w. Code that
// could not be taken over, or that rewrites what was there before, cannot: its checks
// might hold on the base.
func (d *Delivery) Sound(w Writes) bool {
	return d != nil && !d.Rewritten && (w != WritesCode || d.Commit != "")
}

// Artifact is a named document of a run.
type Artifact struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Digest identifies a delivery by its content.
func (d *Delivery) Digest() string {
	if d == nil {
		return ""
	}
	h := sha256.New()
	h.Write([]byte(d.Commit + "\x00" + d.Tree + "\x00"))
	sorted := slices.Clone(d.Artifacts)
	slices.SortFunc(sorted, func(a, b Artifact) int { return cmp.Compare(a.Name, b.Name) })
	for _, a := range sorted {
		h.Write([]byte(a.Name + "\x00" + a.Digest + "\x00"))
	}
	h.Write(d.Context)
	return hex.EncodeToString(h.Sum(nil))
}

// Artifact finds an artifact of the delivery by name; nil if there is none.
func (d *Delivery) Artifact(name string) *Artifact {
	if d == nil {
		return nil
	}
	return find(d.Artifacts, func(a *Artifact) bool { return a.Name == name })
}
