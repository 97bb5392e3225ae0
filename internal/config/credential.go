package config

import (
	"errors"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
)

// CredentialSettings say where the credential of the model is, if not in the environment: at most one of a file, what a
// command prints, and an entry of the system's keyring.
type CredentialSettings struct {
	File    Value[string]
	Command Value[[]string]
	Keyring Value[string] // account of the service stellwerk
	Kind    Value[string]
}

func (c *CredentialSettings) table() []setting {
	const yours = "it would choose which of your secrets to use"
	return []setting{
		word("credential.file", &c.File, absolute).onlyPersonal(yours),
		list("credential.command", " ", &c.Command, name).onlyPersonal(yours),
		word("credential.keyring", &c.Keyring, name).onlyPersonal(yours),
		word("credential.kind", &c.Kind, oneOf(string(broker.APIKey), string(broker.OAuth), string(broker.Bearer))).
			byDefault(string(broker.APIKey)).onlyPersonal(yours),
	}
}

// Set reports whether the credential is somewhere else than in the environment.
func (c CredentialSettings) Set() bool {
	return c.File.V != "" || len(c.Command.V) > 0 || c.Keyring.V != ""
}

// check refuses a credential in two places.
func (c CredentialSettings) check() error {
	places := 0
	for _, set := range []bool{c.File.V != "", len(c.Command.V) > 0, c.Keyring.V != ""} {
		if set {
			places++
		}
	}
	if places > 1 {
		return errors.New("set only one of credential.file, credential.command and credential.keyring")
	}
	return nil
}

// PricesFile is the person's own list of what models cost, beside their settings.
func PricesFile(env func(string) string) (string, error) {
	file, err := UserFile(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(file), "prices.yaml"), nil
}
