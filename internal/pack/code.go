package pack

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// code is what the events of a project say about its commits.
type code struct {
	packs []string            // digests, each after those that it rests on
	known map[string]bool     // which are among packs
	bases map[string][]string // commits by the repository that has them
	refs  map[string]string   // commits by name
	gone  map[string]bool     // names that are not any more
	began []string            // commits that runs began at
}

func newCode() *code {
	return &code{known: map[string]bool{}, bases: map[string][]string{}, refs: map[string]string{}, gone: map[string]bool{}}
}

// Named are the packs that an event names.
func Named(e core.Event) ([]string, error) {
	switch e.Type {
	case core.TypeRunStarted, core.TypeAttemptExited, core.TypeMergeConcluded, core.TypePlanUpdated, core.TypeMergeGranted:
	default:
		return nil, nil
	}
	body, err := core.Decode(e)
	if err != nil {
		return nil, err
	}
	code := newCode()
	code.add("", body)
	return code.packs, nil
}

// add takes in what one event of a run says.
func (c *code) add(run string, body core.Body) {
	switch b := body.(type) {
	case core.RunStarted:
		c.begins(b)
	case core.AttemptExited:
		c.delivered(run, b)
	case core.MergeConcluded:
		c.pack(b.Pack)
		if b.Commit != "" {
			c.refs[yard.MergeRef(run, b.Commit)] = b.Commit
		}
	case core.PlanUpdated:
		c.pack(b.Pack)
		c.refs[yard.PlanRef(run, b.Plan.Commit)] = b.Plan.Commit
	case core.MergeGranted:
		c.pack(b.Pack)
	case core.BranchMoved:
		if b.New == "" {
			delete(c.refs, b.Ref)
			c.gone[b.Ref] = true
		} else {
			c.refs[b.Ref] = b.New
			delete(c.gone, b.Ref)
		}
	case core.RefKept:
		c.refs[b.Ref] = b.Commit
	default: // the others name no commit that was not named before
	}
}

func (c *code) begins(b core.RunStarted) {
	c.pack(b.BasePack)
	c.began = append(c.began, b.BaseCommit)
	switch {
	case b.BasePack == "" && b.BaseAt == "": // as runs began before there were packs
		c.bases[b.Folder()] = append(c.bases[b.Folder()], b.BaseCommit)
	case b.BasePack == "":
		c.bases[b.BaseAt] = append(c.bases[b.BaseAt], b.BaseCommit)
	case b.BaseAt != "":
		c.bases[b.BaseAt] = slices.Clip(c.bases[b.BaseAt]) // its branches are what the pack rests on
	}
}

func (c *code) delivered(run string, b core.AttemptExited) {
	d := b.Delivery
	if d == nil {
		return
	}
	c.pack(d.Pack)
	if d.Ref != "" && !d.Empty {
		c.refs[d.Ref] = d.Commit
	}
	for i, commit := range d.Left {
		c.refs[yard.LeftRef(yard.LeftPrefix(run, b.Attempt), i)] = commit
	}
}

func (c *code) pack(digest string) {
	if digest != "" && !c.known[digest] {
		c.known[digest] = true
		c.packs = append(c.packs, digest)
	}
}
