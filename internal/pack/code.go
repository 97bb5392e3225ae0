package pack

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// code is what the events of a project say about its commits.
type code struct {
	packs []named           // each after those that it rests on
	known map[string]bool   // digests among packs
	bases map[string][]base // by the repository that has them
	refs  map[string]string // commits by name
	gone  map[string]bool   // branches that were removed
	said  map[string]bool   // every commit that an event names
	whole map[string]bool   // commits that packs hold
}

// named is a pack with the commits that it was made for.
type named struct {
	digest  string
	commits []string
}

// base is a commit that a run began at.
type base struct {
	commit string
	packed bool // but for what its repository has
}

func newCode() *code {
	return &code{
		known: map[string]bool{}, bases: map[string][]base{}, refs: map[string]string{}, gone: map[string]bool{},
		said: map[string]bool{}, whole: map[string]bool{},
	}
}

// Named are the packs that an event names.
func Named(e core.Event, read func(core.Event) (core.Body, error)) ([]string, error) {
	switch e.Type {
	case core.TypeRunStarted, core.TypeAttemptExited, core.TypeMergeConcluded, core.TypePlanUpdated, core.TypeMergeGranted:
	default:
		return nil, nil
	}
	body, err := read(e)
	if err != nil {
		return nil, err
	}
	code := newCode()
	code.add("", body)
	var digests []string
	for _, p := range code.packs {
		digests = append(digests, p.digest)
	}
	return digests, nil
}

// add takes in what one event of a run says.
func (c *code) add(run string, body core.Body) {
	switch b := body.(type) {
	case core.RunStarted:
		c.began(b)
	case core.AttemptExited:
		c.delivered(run, b)
	case core.MergeConcluded:
		if b.Commit != "" {
			c.pack(b.Pack, b.Commit)
			c.refs[yard.MergeRef(run, b.Commit)] = b.Commit
		}
	case core.PlanUpdated:
		c.pack(b.Pack, b.Plan.Commit)
		c.refs[yard.PlanRef(run, b.Plan.Commit)] = b.Plan.Commit
	case core.MergeGranted:
		c.pack(b.Pack, b.Merge)
	case core.BranchMoved:
		c.moved(b)
	case core.RefKept:
		c.pack("", b.Commit)
		c.refs[b.Ref] = b.Commit
	default: // the others name no commit that was not named before
	}
}

func (c *code) began(b core.RunStarted) {
	for _, digest := range b.BaseRests {
		c.pack(digest)
	}
	at := b.BaseAt
	if at == "" && b.BasePack == "" { // as runs began before there were packs
		at = b.Folder()
	}
	if at == "" {
		c.pack(b.BasePack, b.BaseCommit)
		return
	}
	c.said[b.BaseCommit] = true
	c.bases[at] = append(c.bases[at], base{b.BaseCommit, b.BasePack != ""})
	if b.BasePack != "" && !c.known[b.BasePack] {
		c.known[b.BasePack] = true
		c.packs = append(c.packs, named{b.BasePack, []string{b.BaseCommit}})
	}
}

func (c *code) delivered(run string, b core.AttemptExited) {
	d := b.Delivery
	if d == nil {
		return
	}
	commits := slices.Clone(d.Left)
	if d.Ref != "" && !d.Empty {
		commits = append(commits, d.Commit)
		c.refs[d.Ref] = d.Commit
	}
	c.pack(d.Pack, commits...)
	for i, commit := range d.Left {
		c.refs[yard.LeftRef(yard.LeftPrefix(run, b.Attempt), i)] = commit
	}
}

func (c *code) moved(b core.BranchMoved) {
	if b.New == "" {
		delete(c.refs, b.Ref)
		c.gone[b.Ref] = true
		return
	}
	c.pack("", b.New)
	c.refs[b.Ref] = b.New
	delete(c.gone, b.Ref)
}

// pack notes commits and, if an event names one, the pack that holds them.
func (c *code) pack(digest string, commits ...string) {
	for _, commit := range commits {
		c.said[commit] = true
		c.whole[commit] = c.whole[commit] || digest != ""
	}
	if digest != "" && !c.known[digest] {
		c.known[digest] = true
		c.packs = append(c.packs, named{digest, commits})
	}
}

// loose are the commits that no pack holds: those that an earlier version named, and all that a repository elsewhere stands
// for. With here, also those that a repository on this machine stands for.
func (c *code) loose(here bool) []string {
	stands := map[string]bool{}
	for at, bases := range c.bases {
		for _, b := range bases {
			stands[b.commit] = stands[b.commit] || !here && filepath.IsAbs(at)
		}
	}
	var loose []string
	for _, commit := range slices.Sorted(maps.Keys(c.said)) {
		if !c.whole[commit] && !stands[commit] {
			loose = append(loose, commit)
		}
	}
	return loose
}
