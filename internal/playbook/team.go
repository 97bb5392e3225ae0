package playbook

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func teamKeys() []string { return []string{"spokes", "optional", "hub", "fallback"} }

func (p *parser) readTeam(v yamlfile.Value, d *draft) {
	o, ok := v.Object(teamKeys()...)
	if !ok {
		return
	}
	d.Team = &core.Team{}
	if hub, ok := o.Need("hub", "name the role that consolidates"); ok {
		if r, ok := p.useRole(hub); ok {
			d.Team.Hub = r.Name
			d.roles = append(d.roles, r)
		}
	}
	if spokes, ok := o.Need("spokes", "list the roles that work in parallel"); ok {
		for _, spoke := range spokes.Each() {
			if name, ok := p.readSpoke(spoke, d); ok {
				d.Team.Spokes = append(d.Team.Spokes, name)
			}
		}
	}
	p.readOptional(o, d)
	p.readFallback(o, d)
}

func (p *parser) readSpoke(v yamlfile.Value, d *draft) (string, bool) {
	r, ok := p.useRole(v)
	switch {
	case !ok:
		return "", false
	case r.Name == core.HubTask || r.Name == core.SoloTask:
		v.Fail("a spoke cannot have the name "+quote(r.Name), "that is the name of a task that every team can have")
	case r.Name == d.Team.Hub:
		v.Fail("the hub "+quote(r.Name)+" cannot be one of its own spokes", "")
	case slices.Contains(spokes(d.Team), r.Name):
		v.Fail("the spoke "+quote(r.Name)+" is listed twice", "")
	}
	d.roles = append(d.roles, r)
	return r.Name, true
}

// readOptional reads the spokes that take part only where the run's start chose them.
func (p *parser) readOptional(o yamlfile.Object, d *draft) {
	v, ok := o.Get("optional")
	if !ok {
		return
	}
	pairs, _ := v.Pairs()
	for _, pair := range pairs {
		name, ok := p.readSpoke(pair.Key, d)
		if !ok {
			continue
		}
		choice, _ := pair.Value.Choice(words(core.KnownOptions())...)
		if d.Team.Optional == nil {
			d.Team.Optional = map[string]core.Option{}
		}
		d.Team.Optional[name] = core.Option(choice)
	}
}

// noFallback has a run pause where a spoke cannot deliver.
const noFallback = "none"

// readFallback reads who does the work alone where a spoke cannot deliver: the hub, unless the file says otherwise.
func (p *parser) readFallback(o yamlfile.Object, d *draft) {
	d.Team.Fallback = d.Team.Hub
	v, ok := o.Get("fallback")
	if !ok {
		return
	}
	if text, ok := v.Text(); ok && text == noFallback {
		d.Team.Fallback = ""
		return
	}
	if r, ok := p.useRole(v); ok {
		d.Team.Fallback = r.Name
		d.roles = append(d.roles, r)
	}
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

// uncertain says why a document of a team may not be there when the phase has passed; empty where it is.
func (d *draft) uncertain(document string) string {
	if d.Team == nil || slices.Contains(d.Outputs, document) {
		return ""
	}
	for spoke, choice := range d.Team.Optional {
		if document == spokeDocument(d.ID, spoke) {
			return "whose spoke " + quote(spoke) + " takes part only where " + string(choice) + " was chosen"
		}
	}
	if d.Team.Fallback != "" {
		return "whose work one role does alone where a spoke cannot deliver"
	}
	return ""
}

// words are the values of a choice as texts.
func words[S ~string](values []S) []string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, string(v))
	}
	return texts
}
