package scripted

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// callTool calls one of the programs that PATH begins with. It must succeed, or
// be refused with the words that the scenario expects.
type callTool struct {
	words   []string
	refused string
}

func (c *callTool) play(ctx context.Context, s *session) error {
	var output string
	failure, err := s.try("Bash", map[string]any{"command": strings.Join(c.words, " ")}, func() (string, error) {
		text, err := s.execute(ctx, c.words[0], c.words[1:]...)
		output = text
		return text, err
	})
	switch {
	case c.refused == "" || ctx.Err() != nil:
		return errors.Join(failure, err)
	case failure == nil:
		return errors.Join(&unexpectedError{fmt.Sprintf("%s was not refused", c.words[0])}, err)
	case !strings.Contains(output, c.refused):
		return errors.Join(&unexpectedError{fmt.Sprintf("%s was refused with %q, which lacks %q", c.words[0], output, c.refused)}, err)
	}
	return err
}

// decode takes the words of the call, or a mapping that expects a refusal.
func (c *callTool) decode(node *yaml.Node) error {
	call := scenario.List(func(node *yaml.Node) error {
		var word string
		if err := scenario.String(&word)(node); err != nil {
			return err
		}
		c.words = append(c.words, word)
		return nil
	})
	if node.Kind == yaml.MappingNode {
		if err := (scenario.Fields{"call": call, "refused": scenario.String(&c.refused)}).Decode(node); err != nil {
			return err
		}
	} else if err := call(node); err != nil {
		return err
	}
	if len(c.words) == 0 || c.words[0] == "" {
		return scenario.Errorf(node, "the call names no tool, such as [send-message, Hello]")
	}
	return nil
}
