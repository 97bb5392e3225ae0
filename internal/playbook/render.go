package playbook

import (
	"bytes"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// Render writes a playbook as YAML with everything in it that is in force: defaults, roles, agents and implied checks.
// Parsing the result gives the same playbook, but for its hash and origin.
func Render(book core.Playbook) ([]byte, error) {
	p, kind := &parser{out: book, agents: map[string]agentDraft{}, roles: map[string]roleDraft{}}, KindPhases
	for name, a := range book.Agents {
		p.agents[name] = agentDraft{Agent: a}
	}
	for name, r := range book.Roles {
		p.roles[name] = roleDraft{Role: r}
	}
	var checks []core.Check
	for _, phase := range book.Phases {
		checks = append(checks, phase.Done)
	}
	if m := book.Project; m != nil {
		if kind = book.Kind; m.Waves == nil { // whose waves say it themselves
			p.defaults.attempts, p.defaults.timeout = m.Attempts, m.Timeout
		}
		checks = append(checks, m.Done)
	}
	for _, done := range checks {
		if err := writable(done); err != nil {
			return nil, fmt.Errorf("write the playbook as YAML: %w", err)
		}
	}
	return encode(append(p.commonFields(), p.kindFields(kind)...).Node())
}

func encode(node *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return nil, fmt.Errorf("write the playbook as YAML: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write the playbook as YAML: %w", err)
	}
	return b.Bytes(), nil
}
