package playbook

import (
	"embed"
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// OriginBuiltin marks playbooks that come with the program.
const OriginBuiltin = "builtin"

// Feature is the built-in playbook for any stack, used unless another is named.
const Feature = "feature"

// Project is the built-in playbook in which a manager drives a project.
const Project = "project"

//go:embed builtin/*.yaml
var builtin embed.FS

// Builtins lists the playbooks that come with the program.
func Builtins() []string {
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic("playbook: the built-in playbooks are missing: " + err.Error())
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

// BuiltinSource is the text of a built-in playbook.
func BuiltinSource(name string) ([]byte, bool) {
	data, err := builtin.ReadFile(path.Join("builtin", path.Base(name)+".yaml"))
	return data, err == nil
}

// Builtin is a built-in playbook, made for a project by the roles, agents and commands in the options.
func Builtin(name string, o Options) (*core.Playbook, []Warning, error) {
	data, ok := BuiltinSource(name)
	if !ok {
		return nil, nil, core.Errorf(core.CodeNotFound, "there is no built-in playbook %q", name).
			WithHint("built in: %s", strings.Join(Builtins(), ", "))
	}
	o.Origin = OriginBuiltin
	p, warnings, err := Parse(name+".yaml", data, o)
	for i := range warnings { // the person does not have the file, so no place in it helps
		w := &warnings[i]
		w.File, w.Line, w.Column, w.Path = "the built-in playbook "+name, 0, 0, ""
		w.Hint = "`stellwerk init --playbook " + name + "` puts it into your repository to be changed"
	}
	return p, slices.Compact(warnings), err
}
