package app

import (
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/equipment"
	"github.com/stellwerk-dev/stellwerk/internal/forges"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// credentialOf is where the settings keep the model's credential; nil for the environment.
func credentialOf(s config.CredentialSettings) *dispatch.Credential {
	if !s.Set() {
		return nil
	}
	return &dispatch.Credential{
		Kind:   broker.Kind(s.Kind.V),
		Source: shim.Source{File: s.File.V, Command: s.Command.V, Keyring: s.Keyring.V},
	}
}

// secrets are the credentials in the engine's environment, to be removed from everything it keeps or shows.
func (a *App) secrets() []redact.Secret {
	secrets := a.place.Secrets(os.Getenv)
	for name := range worker.Agents() {
		secrets = append(secrets, present(equipment.SecretNames(name))...)
	}
	return append(secrets, forges.Secrets()...)
}

// lookupEnv finds a variable that an attempt may be handed.
func (a *App) lookupEnv(name string) (string, bool) {
	if a.backed.Reserved(name) {
		return "", false
	}
	return os.LookupEnv(name)
}

// redactors implements dispatch.Options.Redactors.
func (a *App) redactors(names []string) dispatch.Redactor { return a.redactorOf(names) }

// redactorOf is a redactor that also knows the named variables, and more.
func (a *App) redactorOf(names []string, more ...redact.Secret) *redact.Redactor {
	extra := append(present(names), more...)
	if len(extra) == 0 {
		return a.redactor
	}
	return redact.New(redact.Options{Secrets: append(a.secrets(), extra...), Rules: a.rules})
}

// present are those of the named variables that the environment has.
func present(names []string) []redact.Secret {
	var secrets []redact.Secret
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && value != "" {
			secrets = append(secrets, redact.Secret{Name: name, Value: value})
		}
	}
	return secrets
}
