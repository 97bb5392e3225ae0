package playbook

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// Render writes a playbook as YAML, with its defaults, roles, agents and implied checks written out. Parsing the result
// gives the same playbook, except for its hash and origin.
func Render(book core.Playbook) ([]byte, error) {
	p, kind := &parser{out: book, agents: map[string]agentDraft{}, roles: map[string]roleDraft{}}, KindPhases
	for name, a := range book.Agents {
		p.agents[name] = agentDraft{Agent: a}
	}
	for name, r := range book.Roles {
		p.roles[name] = roleDraft{Role: r}
	}
	if m := book.Project; m != nil {
		if kind = book.Kind; m.Waves == nil { // whose waves say it themselves
			p.defaults.attempts, p.defaults.timeout = m.Attempts, m.Timeout
		}
	}
	return p.render(kind)
}

// render writes the playbook of the parser as one of a kind.
func (p *parser) render(kind string) ([]byte, error) {
	var err error
	for _, phase := range p.out.Phases {
		err = errors.Join(err, writable(phase.Done))
	}
	if p.out.Project != nil {
		err = errors.Join(err, writable(p.out.Project.Done))
	}
	var b bytes.Buffer
	if err == nil {
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(2)
		err = errors.Join(encoder.Encode(append(p.commonFields(), p.kindFields(kind)...).Node()), encoder.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("write the playbook as YAML: %w", err)
	}
	return b.Bytes(), nil
}
