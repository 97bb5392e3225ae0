package start

import (
	"context"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// trust sees that a person has trusted the content a run will obey. It is
// asked once per content: the same files need no second word, changed ones do.
func (a *Starter) trust(ctx context.Context, g *ground, p *loaded, confirm bool) error {
	if len(p.files) == 0 {
		return nil
	}
	project, err := a.Engine.Project(ctx, g.project)
	if err != nil {
		return err
	}
	if project != nil && project.Trusts(p.playbook.Hash) {
		return nil
	}
	if !confirm {
		return core.Errorf(core.CodeUntrusted, "nobody has trusted %s as it is now", strings.Join(p.names(), ", ")).
			WithHint("read it, then trust it").Offer(core.Choice{Verb: core.VerbTrust}, core.Choice{Verb: core.VerbWithTrust})
	}
	if err := g.register(ctx); err != nil {
		return err
	}
	return a.Engine.Record(ctx, g.project, api.CallerFrom(ctx).Actor, core.ContentTrusted{Hash: p.playbook.Hash, What: strings.Join(p.names(), ", ")})
}

func (p *loaded) names() []string {
	names := make([]string, 0, len(p.files))
	for _, f := range p.files {
		names = append(names, f.Name)
	}
	return names
}

// Trust implements api.Service.
func (a *Starter) Trust(ctx context.Context, req api.Trust) (api.Trusted, error) {
	g, err := a.ground(ctx, site{req.Dir, req.Project}, req.Base, map[string]string{"forge": req.Forge, "remote": req.Remote})
	if err != nil {
		return api.Trusted{}, err
	}
	if req.Playbook, err = g.chosen(ctx, req.Playbook); err != nil {
		return api.Trusted{}, err
	}
	p, err := g.load(ctx, req.Playbook, nil)
	if err != nil {
		return api.Trusted{}, err
	}
	if req.Confirm != "" && req.Confirm != p.playbook.Hash {
		return api.Trusted{}, core.Errorf(core.CodeConflict, "the content changed since you looked at it").WithHint("look again").Offer(core.Choice{Verb: core.VerbTrust})
	}
	err = a.trust(ctx, g, p, req.Confirm != "")
	if err != nil && core.CodeOf(err) != core.CodeUntrusted {
		return api.Trusted{}, err
	}
	return api.Trusted{Hash: p.playbook.Hash, Files: p.names(), Content: p.content(), Trusted: err == nil}, nil
}

// content is what a person should read before they agree.
func (p *loaded) content() string {
	var b strings.Builder
	for _, f := range p.files {
		fmt.Fprintf(&b, "--- %s\n%s\n", f.Name, strings.TrimRight(string(f.Data), "\n"))
	}
	return b.String()
}
