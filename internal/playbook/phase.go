package playbook

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"go.yaml.in/yaml/v3"
)

// draft is a phase while its file is read, with places for later problems.
type draft struct {
	core.Phase
	fields yamlfile.Object
	inputs []yamlfile.Value // of Inputs, in order
	roles  []core.Role      // of role, or of hub and spokes
	about  subject          // of its checks
}

// phaseFields describe a phase. Its rollback names other phases, so it is read when all of them are known.
func (p *parser) phaseFields(d *draft) yamlfile.Fields {
	return yamlfile.Fields{
		yamlfile.At("id", "", &d.ID, yamlfile.Word(idSchema(), p.readID)).Need(""),
		yamlfile.At("title", "", &d.Title, yamlfile.AnyText),
		p.roleField("role", "", &d.Role, d),
		p.teamField(d),
		yamlfile.At("act", "", &d.Act, yamlfile.OneOf(core.ActPullRequest)),
		yamlfile.At("base", "Target branch of the pull request.", &d.Base, branch()),
		yamlfile.At("prompt", "What the phase is to do, added to the goal.", &d.Prompt, yamlfile.AnyText),
		yamlfile.At("skip", "", &d.Skip, yamlfile.Flag),
		yamlfile.At("skippable", "A plan.json that a person approved may leave the phase out.", &d.Skippable, yamlfile.Flag),
		yamlfile.At("verify_first", "If the checks hold already, no agent is started. Not with changed, git, state, artifact or outputs.", &d.VerifyFirst, yamlfile.Flag),
		yamlfile.At("when", "jq on the run's context; the phase is left out unless it is true.", &d.When, expression()),
		yamlfile.At("needs", "Capabilities the role must have.", &d.Needs, yamlfile.ListOf(yamlfile.Word(yamlfile.AnyText.Schema, d.readNeed))),
		yamlfile.At("network", "", &d.Network, role.Reach()),
		yamlfile.At("writes", "", &d.Writes, yamlfile.OneOf(core.WritesCode, core.WritesArtifacts)).If(d.Act == ""),
		d.inputsField(),
		yamlfile.At("outputs", "", &d.about.outputs, d.outputs()),
		p.doneField("", &d.Done, &d.about),
		yamlfile.At("gate", "", &d.Gate, gates()),
		yamlfile.At("findings", "", &d.Findings, yamlfile.OneOf(core.FindingsAsk, core.FindingsAuto)),
		yamlfile.At("findings_rounds", "", &d.FindingsRounds, tries()),
		rollbackField(d),
		yamlfile.At("attempts", "", &d.Attempts, tries()),
		yamlfile.At("timeout", "", &d.Timeout, span(maxTimeout)),
	}
}

// notOfAct are the fields that a phase with an act cannot have.
func notOfAct() []string {
	return []string{"prompt", "needs", "writes", "outputs", "findings", "rollback", "network"}
}

// phaseRules are the rules of the schema about several fields of a phase.
func phaseRules() yamlfile.Schema {
	of := without(notOfAct()...)
	properties := of["properties"].(yamlfile.Schema)
	properties["gate"] = yamlfile.Schema{"const": core.GateApproval}
	properties["skippable"], properties["verify_first"] = yamlfile.Schema{"const": false}, yamlfile.Schema{"const": false}
	others := without("base")
	others["anyOf"] = anyRequired("outputs", "done")
	return yamlfile.Schema{"oneOf": anyRequired("role", "team", "act"), "if": yamlfile.Schema{"required": []string{"act"}}, "then": of, "else": others}
}

// phasesField holds the phases.
func (p *parser) phasesField() yamlfile.Field {
	return yamlfile.Field{
		Key:    "phases",
		Schema: yamlfile.Schema{"type": "array", "minItems": 1, "items": p.phaseFields(&draft{}).Schema(phaseRules())},
		Read: func(v yamlfile.Value) bool {
			items, ok := v.List()
			if ok && len(items) == 0 {
				v.Fail("the list is empty", "list at least one phase")
			}
			for _, item := range items {
				p.readPhase(item)
			}
			return ok
		},
		Node: func() *yaml.Node {
			phases := &yaml.Node{Kind: yaml.SequenceNode}
			for _, phase := range p.out.Phases {
				d := &draft{Phase: phase, about: subject{outputs: phase.Outputs}}
				phases.Content = append(phases.Content, p.phaseFields(d).Node())
			}
			return phases
		},
	}.Need("list at least one phase")
}

func (p *parser) readPhase(v yamlfile.Value) {
	d := &draft{}
	d.Attempts, d.Timeout, d.Done = p.defaults.attempts, p.defaults.timeout, core.Check{Kind: core.CheckAll}
	yamlfile.Group("", "", p.phaseFields(d), func(o yamlfile.Object) {
		d.fields, d.Outputs = o, d.about.outputs
		d.checkWorker(o)
		d.requireOutputs()
		d.settleWrites(o)
		d.settleGate(o)
		d.settleFindings(o)
		d.checkSkippable(o)
		d.checkVerifyFirst(o)
		p.phases = append(p.phases, d)
	}).Read(v)
}

func (p *parser) readID(v yamlfile.Value) (string, bool) {
	id, ok := v.Text()
	if ok && !validID(id) {
		v.Fail(yamlfile.Quote(id)+" is not a valid id", idHint)
	}
	for _, other := range p.phases {
		if ok && other.ID == id {
			v.Fail("the phase id "+yamlfile.Quote(id)+" is used twice", "give each phase an id of its own")
		}
	}
	return id, ok
}

// checkWorker requires exactly one of a role, a team and an act.
func (d *draft) checkWorker(o yamlfile.Object) {
	given := slices.DeleteFunc([]string{"role", "team", "act"}, func(key string) bool { return !o.Has(key) })
	switch {
	case len(given) == 0:
		o.Value().Fail("nobody does this phase", "give it a role, a team or an act")
	case len(given) > 1:
		o.Key(given[1]).Fail("a phase has one of role, team and act, not "+strings.Join(given, " and "), "")
	case o.Has("act"):
		for _, key := range notOfAct() {
			if o.Has(key) {
				o.Key(key).Fail("a phase with an act has no "+key, "Stellwerk does it itself, without an agent")
			}
		}
	}
	if o.Has("base") && !o.Has("act") {
		o.Key("base").Fail("only a phase with act: pull-request has a base", "")
	}
}

func (d *draft) readNeed(v yamlfile.Value) (string, bool) {
	capability, ok := v.Text()
	for _, r := range d.roles {
		if ok && !slices.Contains(r.Capabilities, capability) {
			v.Fail("the role "+yamlfile.Quote(r.Name)+" does not have the capability "+yamlfile.Quote(capability), yamlfile.Known(capability, r.Capabilities))
		}
	}
	return capability, ok
}

// outputs is the form of the documents that the phase hands in. Names with a problem are left out.
func (d *draft) outputs() yamlfile.Form[[]string] {
	form := yamlfile.ListOf(yamlfile.Word(artifactSchema(), readArtifact))
	form.Schema["oneOf"].([]yamlfile.Schema)[1]["uniqueItems"] = true
	form.Read = func(v yamlfile.Value) ([]string, bool) {
		var outputs []string
		for _, item := range v.Each() {
			name, ok := readArtifact(item)
			switch {
			case !ok:
			case slices.ContainsFunc(outputs, func(other string) bool { return strings.EqualFold(name, other) }):
				item.Fail("the output "+yamlfile.Quote(name)+" is listed twice", "names that differ only in case are the same file on some machines")
			default:
				outputs = append(outputs, name)
			}
		}
		return outputs, true
	}
	return form
}

// requireOutputs adds a check for every output that has none: a phase is done only when its outputs are handed in. A
// review must always match its schema.
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

// settleWrites decides what the phase may write. Unless the file says so, a phase writes artifacts if it hands some in and
// its checks look only at artifacts and reported state; any other phase writes code.
func (d *draft) settleWrites(o yamlfile.Object) {
	onlyArtifacts := len(d.Outputs) > 0 && !mentions(d.Done, core.CheckChanged, core.CheckFiles, core.CheckCommand, core.CheckGit)
	switch {
	case o.Has("writes") && d.Act == "":
		if v, _ := o.Get("writes"); d.Team != nil && d.Writes == core.WritesCode {
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

func (d *draft) settleGate(o yamlfile.Object) {
	publishes := d.Act == core.ActPullRequest
	switch v, given := o.Get("gate"); {
	case given && publishes && d.Gate == core.GateAuto:
		v.Fail("publishing needs a person's approval, so a pull request always has gate: approval",
			"remove gate, or start the run with --yes, which is recorded as policy and not as a person")
	case !given && publishes:
		d.Gate = core.GateApproval
	case !given:
		d.Gate = core.GateAuto
	}
}

// mentions reports whether c is or contains a check of one of the kinds.
func mentions(c core.Check, kinds ...core.CheckKind) bool {
	if slices.Contains(kinds, c.Kind) {
		return true
	}
	return slices.ContainsFunc(c.Of, func(of core.Check) bool { return mentions(of, kinds...) })
}
