package config

import (
	"errors"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// OfPerson works out the settings without those of a repository: flags, environment and the person's file as it is now.
func OfPerson(flags map[string]string) (*Settings, error) {
	s, _, err := Read(flags, File{})
	return s, err
}

// Read works out the settings in a repository with the given settings file. The warnings are for the person.
func Read(flags map[string]string, project File) (*Settings, []string, error) {
	name, err := UserFile(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "your settings cannot be read", "check "+name)
	}
	s, warnings, err := Load(Input{Flags: flags, Env: os.LookupEnv, User: File{Name: name, Data: data}, Project: project})
	texts := make([]string, 0, len(warnings))
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return s, texts, err
}
