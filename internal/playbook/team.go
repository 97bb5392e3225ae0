package playbook

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// teamField says who works in parallel, and who consolidates their work.
func (p *parser) teamField(d *draft) yamlfile.Field {
	team := d.Team
	if team == nil {
		team = &core.Team{}
	}
	places := map[string]yamlfile.Value{}
	spoke := func(v yamlfile.Value) (string, bool) { return p.readSpoke(v, d, places) }
	return yamlfile.Group("team", "", yamlfile.Fields{
		yamlfile.At("spokes", "", &team.Spokes, yamlfile.ListOf(yamlfile.Word(yamlfile.AnyText.Schema, spoke))).Need("list the roles that work in parallel"),
		yamlfile.At("optional", "Further spokes, each with the choice of the start that calls it in.", &team.Optional,
			yamlfile.MapOf(roleName(), spoke, yamlfile.OneOf(core.KnownOptions()...))),
		p.roleField("hub", "", &team.Hub, d).Need("name the role that consolidates"),
		p.fallbackField(d, team),
	}, func(o yamlfile.Object) {
		d.Team = team
		if place, spokes := places[team.Hub]; spokes && team.Hub != "" {
			place.Fail("the hub "+yamlfile.Quote(team.Hub)+" cannot be one of its own spokes", "")
		}
		if !o.Has("fallback") {
			team.Fallback = team.Hub
		}
	}).InOneLine().If(d.Team != nil)
}

func (p *parser) readSpoke(v yamlfile.Value, d *draft, places map[string]yamlfile.Value) (string, bool) {
	r, ok := p.useRole(v)
	if !ok {
		return "", false
	}
	if r.Name == core.HubTask || r.Name == core.SoloTask {
		v.Fail("a spoke cannot have the name "+yamlfile.Quote(r.Name), "that is the name of a task that every team can have")
	} else if _, twice := places[r.Name]; twice {
		v.Fail("the spoke "+yamlfile.Quote(r.Name)+" is listed twice", "")
	}
	places[r.Name] = v
	d.roles = append(d.roles, r)
	return r.Name, true
}

// noFallback lets a run pause if a spoke cannot deliver.
const noFallback = "none"

// fallbackField says who does the work alone if a spoke cannot deliver: the hub, unless the file says otherwise.
func (p *parser) fallbackField(d *draft, team *core.Team) yamlfile.Field {
	field := p.roleField("fallback", "Role that does the work alone if a spoke cannot deliver; none pauses the run.", &team.Fallback, d)
	role := field.Read
	field.Read = func(v yamlfile.Value) bool {
		if text, _ := v.Scalar(); text == noFallback {
			return true
		}
		return role(v)
	}
	if team.Fallback == "" {
		field.Node = func() *yaml.Node { return yamlfile.Text(noFallback) }
	}
	return field.If(team.Fallback != team.Hub)
}

// spokes are all roles that can be a spoke of the team.
func spokes(t *core.Team) []string {
	return append(slices.Clone(t.Spokes), slices.Sorted(maps.Keys(t.Optional))...)
}

// documents are the artifacts that later phases can read: the outputs, and what each spoke of a team hands to its hub.
func (d *draft) documents() []string {
	documents := slices.Clone(d.Outputs)
	if d.Team != nil {
		for _, spoke := range spokes(d.Team) {
			documents = append(documents, spokeDocument(d.ID, spoke))
		}
	}
	return documents
}

// spokeDocument is what a spoke hands to its hub.
func spokeDocument(phase, spoke string) string { return phase + "-" + spoke + ".md" }

// uncertain says why a document of a team may be missing after the phase; "" if it cannot.
func (d *draft) uncertain(document string) string {
	if d.Team == nil || slices.Contains(d.Outputs, document) {
		return ""
	}
	for spoke, choice := range d.Team.Optional {
		if document == spokeDocument(d.ID, spoke) {
			return "whose spoke " + yamlfile.Quote(spoke) + " takes part only if " + string(choice) + " was chosen"
		}
	}
	if d.Team.Fallback != "" {
		return "whose work one role does alone if a spoke cannot deliver"
	}
	return ""
}
