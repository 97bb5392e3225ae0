package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Forges: where pull requests are opened.
const (
	ForgeLocal  = "local"
	ForgeGitHub = "github"
	ForgeGitea  = "gitea"
)

// DefaultRemote is the remote of a forge if none is named.
const DefaultRemote = "origin"

// cloudURL is GitHub's own address.
const cloudURL = "https://github.com"

// ForgeSettings say where pull requests are opened, and with which token. Only a person sets them: a repository that could
// name a forge could send the person's token there, and one that could name a repository could write to another of theirs.
type ForgeSettings struct {
	Kind       Value[string] // local, github, gitea
	URL        Value[string] // address of the forge; none for github.com
	Repository Value[string] // owner/name, if the remote does not tell
	Remote     Value[string] // name of the git remote; empty for the usual one of the forge
	TokenEnv   Value[string] // variable that holds the token
	TokenFile  Value[string] // file of mode 0600 that holds it
	Poll       Value[time.Duration]
	SecretEnv  Value[string] // of webhooks
	SecretFile Value[string]
}

func (f *ForgeSettings) table() []setting {
	const where, token = "it would choose where your token is sent", "it would choose which of your secrets to use"
	return []setting{
		word("forge", &f.Kind, oneOf(ForgeLocal, ForgeGitHub, ForgeGitea)).byDefault(ForgeLocal).onlyPersonal(where),
		word("forge_url", &f.URL, forgeURL).onlyPersonal(where),
		word("repository", &f.Repository, ownerName).onlyPersonal(where),
		word("remote", &f.Remote, name).shown(f.RemoteName).onlyPersonal(where),
		word("forge_token_env", &f.TokenEnv, variable).shown(f.TokenVariable).onlyPersonal(token),
		word("forge_token_file", &f.TokenFile, absolute).onlyPersonal(token),
		duration("forge_poll", &f.Poll, pollEvery).
			byDefault(30 * time.Second).onlyPersonal("it would choose how often your token is used"),
		word("webhook_secret_env", &f.SecretEnv, variable).onlyPersonal(token),
		word("webhook_secret_file", &f.SecretFile, absolute).onlyPersonal(token),
	}
}

// Local reports that pull requests are records on this machine.
func (f ForgeSettings) Local() bool { return f.Kind.V == ForgeLocal }

// RemoteName is the remote that runs are fetched from and published to; "" for the person's own repository.
func (f ForgeSettings) RemoteName() string {
	if f.Local() {
		return f.Remote.V
	}
	return cmp.Or(f.Remote.V, DefaultRemote)
}

// TokenVariable is the variable that holds the token; unless set, the one that the forge's own tools use.
func (f ForgeSettings) TokenVariable() string {
	switch {
	case f.TokenEnv.V != "" || f.Local() || f.TokenFile.V != "":
		return f.TokenEnv.V
	case f.Kind.V == ForgeGitHub:
		return "GITHUB_TOKEN"
	}
	return "GITEA_TOKEN"
}

// Check says what is missing for the forge that was chosen.
func (f ForgeSettings) Check() error {
	if f.Kind.V == ForgeGitea && f.URL.V == "" {
		return core.Errorf(core.CodeInvalid, "the forge is gitea, but its address is not set").
			WithHint("forge_url: https://gitea.example.org in your settings, or %s", Variable("forge_url"))
	}
	return nil
}

// Server is the address at which git reaches the forge over HTTP. Only a remote whose address begins with it is given the
// token. Nil for the local forge.
func (f ForgeSettings) Server() *url.URL {
	if f.Local() {
		return nil
	}
	u, err := url.Parse(cmp.Or(f.URL.V, cloudURL))
	if err != nil || f.URL.V == "" && f.Kind.V != ForgeGitHub {
		return nil
	}
	host := strings.ToLower(u.Host)
	if f.Kind.V == ForgeGitHub {
		host = strings.TrimPrefix(host, "api.") // the API may have a host of its own
	}
	return &url.URL{Scheme: u.Scheme, Host: host}
}

func forgeURL(text string) error {
	u, err := address(text, "name the token with forge_token_env or forge_token_file")
	if err == nil && (u.RawQuery != "" || u.Fragment != "") {
		return fmt.Errorf("%q must not have a query or a fragment", text)
	}
	return err
}

// address parses a URL without credentials. It keeps the text out of its errors, because it may contain some.
func address(text, instead string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("it must be an address with https:// and a host")
	case u.User != nil:
		return nil, errors.New("it contains credentials; " + instead)
	}
	return u, nil
}

func ownerName(text string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`).MatchString(text) {
		return fmt.Errorf("%q is not of the form owner/name", text)
	}
	return nil
}

// variable does not repeat the text: a person may have written the token in place of its name.
func variable(text string) error {
	if !regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`).MatchString(text) {
		return errors.New("it must be a variable's name in capitals; give the name, not the value")
	}
	return nil
}

func pollEvery(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second || d > time.Hour {
		return 0, fmt.Errorf("%q is not a duration between 1s and 1h", text)
	}
	return d, nil
}
