package preflight

import (
	"errors"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Place is where programs are looked for: in the person's shell, and inside the isolation.
type Place struct {
	Path     string // of the engine, which has it from the person's shell
	Isolated bool
	ReadOnly []string // folders that the person shows to agents
	Private  []string // files and folders of the system that the isolation hides
	Settings string   // the file in which they say so
	Getenv   func(name string) string
}

// inside is the PATH that a process in the isolation has.
func (p Place) inside() string {
	if !p.Isolated {
		return p.Path
	}
	visible, err := sandbox.VisiblePath(p.Path, sandbox.Spec{Dir: "/", ReadOnly: p.ReadOnly, Private: p.Private})
	if err != nil {
		return p.Path // what is wrong with the paths is said where they are used
	}
	return visible
}

// find is the program that a name stands for inside. If the person has it and the isolation does not show it, elsewhere
// is its path.
func (p Place) find(name string) (elsewhere string, err error) {
	_, err = program.Look(p.inside(), name)
	if err == nil {
		return "", nil
	}
	full, outside := program.Look(p.Path, name)
	if errors.Is(outside, program.ErrNotExecutable) {
		return "", outside
	}
	return full, err
}

// show says how a program outside is made visible inside.
func (p Place) show(file string) string {
	folder := filepath.Dir(file)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		folder = filepath.Dir(real)
	}
	if filepath.Base(folder) == "bin" {
		folder = filepath.Dir(folder)
	}
	return "show it to agents: `read_only: [" + folder + "]` in " + p.Settings
}
