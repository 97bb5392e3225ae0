package playbook

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// TestRoleOfABuiltInName holds a role that says itself what it is to its own words: nothing of the built-in one is mixed in.
func TestRoleOfABuiltInName(t *testing.T) {
	builtin := role.Builtin()["writer"]
	tests := []struct {
		name, written  string
		prompt, origin string
		tools          int
	}{
		{"described", "{description: Writes the greeting.}", "", "p.yaml", 0},
		{"told", "{prompt: You greet.}", "You greet.", "p.yaml", 0},
		{"adjusted", "{model: haiku}", builtin.Prompt, role.OriginBuiltin, len(builtin.Tools)},
		{"named", "{}", builtin.Prompt, role.OriginBuiltin, len(builtin.Tools)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := "name: p\nkind: phases\nroles: {writer: " + test.written + "}\nphases: [{id: write, role: writer, done: {changed: x}}]\n"
			p, _, err := Parse("p.yaml", []byte(text), Options{Roles: role.Builtin()})
			if err != nil {
				t.Fatal(err)
			}
			r := p.Roles["writer"]
			if r.Prompt != test.prompt || r.Origin != test.origin || len(r.Tools) != test.tools {
				t.Errorf("prompt %.40q, origin %q, tools %v", r.Prompt, r.Origin, r.Tools)
			}
		})
	}
	file := role.Set{"writer": {Role: builtin.Role, Origin: ".stellwerk/roles/writer.md"}}
	p, _, err := Parse("p.yaml", []byte("name: p\nkind: phases\nroles: {writer: {description: d}}\nphases: [{id: write, role: writer, done: {changed: x}}]\n"), Options{Roles: file})
	if err != nil || p.Roles["writer"].Prompt != builtin.Prompt {
		t.Errorf("the repository's own file is not adjusted: %v, %v", p, err)
	}
}
