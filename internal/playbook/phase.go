package playbook

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// draft is a phase and the places that later checks speak of.
type draft struct {
	core.Phase
	fields yamlfile.Object
	inputs []yamlfile.Value // of Inputs, in order
	roles  []core.Role      // of role, or of hub and spokes
	about  subject          // of its checks
}

func phaseKeys() []string {
	return []string{"id", "title", "role", "prompt", "team", "act", "skip", "skippable", "verify_first", "when", "needs", "writes", "inputs", "outputs",
		"done", "gate", "findings", "findings_rounds", "rollback", "attempts", "timeout", "base", "network"}
}

func (p *parser) readPhases(o yamlfile.Object) {
	v, ok := o.Need("phases", "list at least one phase")
	if !ok {
		return
	}
	items, ok := v.List()
	if ok && len(items) == 0 {
		v.Fail("the list is empty", "list at least one phase")
	}
	for _, item := range items {
		if fields, ok := item.Object(phaseKeys()...); ok {
			p.phases = append(p.phases, p.readPhase(fields))
		}
	}
}

func (p *parser) readPhase(o yamlfile.Object) *draft {
	d := &draft{fields: o}
	if v, ok := o.Need("id", ""); ok {
		p.readID(v, d)
	}
	d.Title, d.Prompt, d.Base = o.Text("title"), o.Text("prompt"), branch(o, "base")
	d.Attempts, d.Timeout = attempts(o, p.defaults.attempts), timeout(o, p.defaults.timeout, maxTimeout)
	if v, ok := o.Get("skip"); ok {
		d.Skip, _ = v.Bool()
	}
	if v, ok := o.Get("skippable"); ok {
		d.readSkippable(v)
	}
	if v, ok := o.Get("when"); ok {
		d.When, _ = expression(v)
	}
	d.Network = readReach(o, "network")
	p.readWorker(o, d)
	p.readNeeds(o, d)
	d.readArtifacts(o)
	d.Done = core.Check{Kind: core.CheckAll}
	d.about.outputs = d.Outputs
	if v, ok := o.Get("done"); ok {
		d.Done = p.done(v, &d.about)
	}
	d.requireOutputs()
	d.readWrites(o)
	d.readGate(o)
	d.readFindings(o)
	if v, ok := o.Get("verify_first"); ok {
		d.readVerifyFirst(v)
	}
	return d
}

func (p *parser) readID(v yamlfile.Value, d *draft) {
	id, ok := v.Text()
	if !ok {
		return
	}
	if !validID(id) {
		v.Fail(quote(id)+" is not a valid id", idHint)
	}
	for _, other := range p.phases {
		if other.ID == id {
			v.Fail("the phase id "+quote(id)+" is used twice", "give each phase an id of its own")
		}
	}
	d.ID = id
}

// readWorker reads who does the phase: a role, a team, or the engine itself.
func (p *parser) readWorker(o yamlfile.Object, d *draft) {
	var given []string
	for _, key := range []string{"role", "team", "act"} {
		if o.Has(key) {
			given = append(given, key)
		}
	}
	switch len(given) {
	case 0:
		o.Value().Fail("nobody does this phase", "give it a role, a team or an act")
	case 1:
	default:
		o.Key(given[1]).Fail("a phase has one of role, team and act, not "+strings.Join(given, " and "), "")
		return
	}
	if v, ok := o.Get("role"); ok {
		if r, ok := p.useRole(v); ok {
			d.Role, d.roles = r.Name, []core.Role{r}
		}
	}
	if v, ok := o.Get("team"); ok {
		p.readTeam(v, d)
	}
	if v, ok := o.Get("act"); ok {
		act, _ := v.Choice(string(core.ActPullRequest))
		d.Act = core.Act(act)
		for _, key := range []string{"prompt", "needs", "writes", "outputs", "findings", "rollback", "network"} {
			if o.Has(key) {
				o.Key(key).Fail("a phase with an act has no "+key, "the engine does it, no agent")
			}
		}
	} else if o.Has("base") {
		o.Key("base").Fail("only a phase with act: pull-request has a base", "")
	}
}

func (p *parser) readNeeds(o yamlfile.Object, d *draft) {
	v, ok := o.Get("needs")
	if !ok {
		return
	}
	for _, item := range v.Each() {
		capability, ok := item.Text()
		if !ok {
			continue
		}
		for _, r := range d.roles {
			if !slices.Contains(r.Capabilities, capability) {
				item.Fail("the role "+quote(r.Name)+" does not have the capability "+quote(capability), yamlfile.Known(capability, r.Capabilities))
			}
		}
		d.Needs = append(d.Needs, capability)
	}
}

func inputKeys() []string { return []string{"name", "optional", "files"} }

func (d *draft) readArtifacts(o yamlfile.Object) {
	if v, ok := o.Get("inputs"); ok {
		for _, item := range v.Each() {
			d.readInput(item)
		}
	}
	v, ok := o.Get("outputs")
	if !ok {
		return
	}
	for _, item := range v.Each() {
		name, ok := artifactName(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(d.Outputs, func(other string) bool { return strings.EqualFold(name, other) }) {
			item.Fail("the output "+quote(name)+" is listed twice", "names that differ only in case are the same file on some machines")
			continue
		}
		d.Outputs = append(d.Outputs, name)
	}
}

func (d *draft) readInput(item yamlfile.Value) {
	input, name := core.Input{}, item
	if item.IsMap() {
		o, _ := item.Object(inputKeys()...)
		if v, ok := o.Get("optional"); ok {
			input.Optional, _ = v.Bool()
		}
		if v, ok := o.Get("files"); ok {
			d.readFiles(o, v)
			return
		}
		var ok bool
		if name, ok = o.Need("name", ""); !ok {
			return
		}
	}
	var ok bool
	if input.Name, ok = artifactName(name); !ok {
		return
	}
	if slices.ContainsFunc(d.Inputs, func(other core.Input) bool { return other.Files == "" && other.Name == input.Name }) {
		name.Fail("the input "+quote(input.Name)+" is listed twice", "")
		return
	}
	d.Inputs = append(d.Inputs, input)
	d.inputs = append(d.inputs, name)
}

// readFiles reads an input that is what an earlier phase changed in the project.
func (d *draft) readFiles(o yamlfile.Object, v yamlfile.Value) {
	for _, key := range []string{"name", "optional"} {
		if o.Has(key) {
			o.Key(key).Fail("files names a phase whose changes are named to this one; they are never required", "remove "+key)
		}
	}
	phase, ok := v.Text()
	if !ok {
		return
	}
	d.Inputs = append(d.Inputs, core.Input{Files: phase, Optional: true})
	d.inputs = append(d.inputs, v)
}

// requireOutputs adds a check for every output that has none of its own: a phase is done only when its outputs are
// handed in. A review is always held to its schema.
func (d *draft) requireOutputs() {
	for _, name := range d.Outputs {
		at := slices.IndexFunc(d.Done.Of, func(c core.Check) bool { return c.Kind == core.CheckArtifact && c.Name == name })
		if at < 0 {
			at = len(d.Done.Of)
			d.Done.Of = append(d.Done.Of, core.Check{Kind: core.CheckArtifact, Name: name})
		}
		if name == role.ReviewArtifact && d.Done.Of[at].Schema == nil {
			d.Done.Of[at].Schema = canonicalJSON(role.ReviewSchema())
		}
	}
	if !d.fields.Has("act") && len(d.Done.Of) == 0 && (d.about.left || !d.fields.Has("done")) {
		d.fields.Value().Fail("nothing shows that this phase is done", "give it outputs, or checks under done")
	}
}

// readWrites decides what the phase may write. Where it is not said, a phase that hands in artifacts and whose checks
// look at nothing but artifacts and reported state writes artifacts; any other writes code.
func (d *draft) readWrites(o yamlfile.Object) {
	onlyArtifacts := len(d.Outputs) > 0 && !mentions(d.Done, core.CheckChanged, core.CheckFiles, core.CheckCommand, core.CheckGit)
	v, given := o.Get("writes")
	switch {
	case given && d.Act == "":
		writes, ok := v.Choice(string(core.WritesCode), string(core.WritesArtifacts))
		d.Writes = core.Writes(writes)
		if ok && d.Team != nil && d.Writes != core.WritesArtifacts {
			v.Fail("a team writes artifacts only", "let a later phase write the code")
		}
	case d.Team != nil, d.Act == "" && onlyArtifacts:
		d.Writes = core.WritesArtifacts
	default:
		d.Writes = core.WritesCode
	}
	if d.Writes == core.WritesArtifacts && mentions(d.Done, core.CheckChanged, core.CheckGit) {
		o.Key("done").Fail("the phase writes artifacts and changes no code, so the checks changed and git could never pass",
			"let it write code, or leave them out")
	}
}

func (d *draft) readGate(o yamlfile.Object) {
	d.Gate = core.GateAuto
	if d.Act == core.ActPullRequest {
		d.Gate = core.GateApproval
	}
	v, ok := o.Get("gate")
	if !ok {
		return
	}
	gate, ok := v.Choice(string(core.GateAuto), string(core.GateApproval))
	if !ok {
		return
	}
	if d.Gate = core.GateKind(gate); d.Act == core.ActPullRequest && d.Gate != core.GateApproval {
		v.Fail("publishing needs a person's explicit word, so a pull request always has gate: approval",
			"remove gate, or start the run with --yes, which is recorded as policy and not as a person")
	}
}

// mentions reports that a check of one of the kinds is somewhere in c.
func mentions(c core.Check, kinds ...core.CheckKind) bool {
	if slices.Contains(kinds, c.Kind) {
		return true
	}
	return slices.ContainsFunc(c.Of, func(of core.Check) bool { return mentions(of, kinds...) })
}
