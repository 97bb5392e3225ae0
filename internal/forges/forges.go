// Package forges makes the client of the forge that a run was started for, and says whom
// the person's token is for. It is the only package that knows every form of a forge. It
// must not open or look at a pull request: dispatch does.
package forges

import (
	"context"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Forges makes the forge of each run. A run says which one it was started for;
// the person's settings, as they are now, say which may be given their token.
// One client serves all runs of a repository, because it opens one pull request
// at a time.
type Forges struct {
	local forge.Forge
	// Called is told of every call to a forge; nil if nobody counts.
	Called func(kind, operation string, took time.Duration, err error)

	mu   sync.Mutex
	made map[repositoryOn]connection
}

// repositoryOn is a repository on a forge.
type repositoryOn struct{ kind, url, repository string }

type connection struct {
	forge forge.Forge
	token forge.Secret
}

// New makes the forges of an engine; local is for repositories without one.
func New(local forge.Forge) *Forges {
	return &Forges{local: local, made: map[repositoryOn]connection{}}
}

// Forge implements dispatch.Forges.
func (f *Forges) Forge(run *core.Run) (forge.Forge, error) {
	made, err := f.forge(run)
	if err != nil || f.Called == nil {
		return made, err
	}
	return &counted{made, func(operation string, began time.Time, err error) {
		f.Called(run.Forge, operation, time.Since(began), err)
	}}, nil
}

func (f *Forges) forge(run *core.Run) (forge.Forge, error) {
	if run.ForgeURL == "" {
		return f.local, nil
	}
	settings, err := config.OfPerson(nil)
	if err != nil {
		return nil, err
	}
	if s := settings.Forge; s.Kind.V != run.Forge || Address(s) != run.ForgeURL {
		return nil, core.Errorf(core.CodeConflict, "the run was started for the forge %s at %s, and your settings name %s, which alone is given the token",
			run.Forge, run.ForgeURL, strings.TrimSpace(s.Kind.V+" "+Address(s)))
	}
	token, err := Token(settings.Forge)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := repositoryOn{run.Forge, run.ForgeURL, run.Repository}
	if made, ok := f.made[key]; ok && made.token == token {
		return made.forge, nil
	}
	made, err := Connect(run.Forge, settings.Forge.URL.V, run.Repository, token)
	if err != nil {
		return nil, err
	}
	f.made[key] = connection{made, token}
	return made, nil
}

// Connect makes the client of a repository on a forge.
func Connect(kind, address, repository string, token forge.Secret) (forge.Forge, error) {
	switch kind {
	case config.ForgeGitHub:
		return github.New(github.Options{BaseURL: address, Token: token, Repository: repository})
	case config.ForgeGitea:
		return gitea.New(gitea.Options{BaseURL: address, Token: token, Repository: repository})
	}
	return nil, core.Errorf(core.CodeUnsupported, "the forge %q is not known to this version", kind)
}

// Address names a forge in events and messages.
func Address(s config.ForgeSettings) string {
	if s.URL.V == "" && s.Server() != nil {
		return s.Server().String()
	}
	return strings.TrimSuffix(s.URL.V, "/")
}

// Token reads the token of a forge.
func Token(s config.ForgeSettings) (forge.Secret, error) {
	return forge.Token(s.TokenVariable(), s.TokenFile.V)
}

// Whose names the forge of the settings, and where its token comes from here; "" if there is no forge.
func Whose(s config.ForgeSettings) string {
	if s.Local() {
		return ""
	}
	token, err := Token(s)
	from := "without a token"
	if variable := s.TokenVariable(); variable != "" && strings.TrimSpace(os.Getenv(variable)) != "" {
		from = "with " + variable
	} else if err == nil && token.Reveal() != "" {
		from = "with the token of forge_token_file"
	}
	return s.Kind.V + " at " + Address(s) + " " + from
}

// GitCredential implements yard.Credentials: the token is for git only where a
// remote is on the very server that the person's settings name.
func GitCredential(_ context.Context, address string) (yard.Credential, error) {
	settings, err := config.OfPerson(nil)
	if err != nil {
		return yard.Credential{}, err
	}
	server := settings.Forge.Server()
	if server == nil || !sameServer(address, server) {
		return yard.Credential{}, nil
	}
	token, err := Token(settings.Forge)
	return yard.Credential{Secret: token.Reveal()}, err
}

// sameServer reports an address on a server, reached in the same way.
func sameServer(address string, server *url.URL) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == server.Scheme && strings.EqualFold(withPort(u), withPort(server))
}

func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Hostname() + ":" + port
}

// Secrets are the token of the forge, the secret of its webhooks and those
// by which a person is told, as far as they can be read now: what cannot be read is not used either.
func Secrets() []redact.Secret {
	settings, err := config.OfPerson(nil)
	if err != nil {
		return nil
	}
	f, n := settings.Forge, settings.Telling
	var secrets []redact.Secret
	for _, from := range []struct{ name, variable, file string }{
		{"forge token", f.TokenVariable(), f.TokenFile.V}, {"webhook secret", f.SecretEnv.V, f.SecretFile.V},
		{"notice secret", n.SecretEnv.V, n.SecretFile.V}, {"slack address", n.SlackEnv.V, n.SlackFile.V},
	} {
		if from.variable+from.file == "" {
			continue
		}
		if secret, err := forge.Token(from.variable, from.file); err == nil {
			secrets = append(secrets, redact.Secret{Name: from.name, Value: secret.Reveal()})
		}
	}
	return secrets
}
