package playbook

import (
	"bytes"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"go.yaml.in/yaml/v3"
)

// renderDone writes the checks that must hold, all of them; nothing where there are none.
func renderDone(m mapping, done core.Check) error {
	if len(done.Of) == 0 {
		return nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, c := range done.Of {
		node, err := renderCheck(c)
		if err != nil {
			return err
		}
		list.Content = append(list.Content, node)
	}
	m.put("done", list)
	return nil
}

func renderCheck(c core.Check) (*yaml.Node, error) {
	m := newMap()
	switch c.Kind {
	case core.CheckAll, core.CheckAny:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, of := range c.Of {
			node, err := renderCheck(of)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, node)
		}
		m.put(string(c.Kind), list)
	case core.CheckNot:
		if len(c.Of) != 1 {
			return nil, fmt.Errorf("a check of kind not has %d parts", len(c.Of))
		}
		node, err := renderCheck(c.Of[0])
		if err != nil {
			return nil, err
		}
		m.put("not", node)
	case core.CheckChanged, core.CheckFiles:
		if len(c.Globs) == 1 {
			m.text(string(c.Kind), c.Globs[0])
		} else {
			m.texts(string(c.Kind), c.Globs)
		}
	case core.CheckCommand:
		m.put("command", renderCommand(c))
	case core.CheckArtifact:
		node, err := renderArtifact(c)
		if err != nil {
			return nil, err
		}
		m.put("artifact", node)
	case core.CheckState:
		m.text("state", c.Expr)
	case core.CheckGit:
		m.put("git", renderGit(c.Git))
	default:
		return nil, fmt.Errorf("the check kind %q is not known", c.Kind)
	}
	return m.node, nil
}

func renderCommand(c core.Check) *yaml.Node {
	if c.Timeout == DefaultCommandTimeout || c.Timeout == 0 {
		return scalar(c.Run)
	}
	m := newMap()
	m.text("run", c.Run)
	m.duration("timeout", c.Timeout)
	return m.node
}

func renderArtifact(c core.Check) (*yaml.Node, error) {
	implied := c.Name == role.ReviewArtifact && bytes.Equal(c.Schema, canonicalJSON(role.ReviewSchema()))
	if c.Schema == nil || implied {
		return scalar(c.Name), nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal(c.Schema, &document); err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", c.Name, err)
	}
	m := newMap()
	m.text("name", c.Name)
	m.put("schema", document.Content[0])
	return m.node, nil
}

func renderGit(g *core.GitCheck) *yaml.Node {
	switch *g {
	case core.GitCheck{Commits: 1}:
		return scalar(gitCommitted)
	case core.GitCheck{Linear: true}:
		return scalar(gitLinear)
	}
	m := newMap().flow()
	m.number("commits", g.Commits)
	m.flag("linear", g.Linear)
	m.text("message", g.Message)
	m.number("max_files", g.MaxFiles)
	m.number("max_lines", g.MaxLines)
	return m.node
}
