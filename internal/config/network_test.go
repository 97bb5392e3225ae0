package config

import (
	"slices"
	"strings"
	"testing"
)

func load(t *testing.T, user, project string, flags map[string]string) (*Settings, string, error) {
	t.Helper()
	s, warnings, err := Load(Input{Flags: flags, User: File{Name: "user.yaml", Data: []byte(user)}, Project: File{Name: "project.yaml", Data: []byte(project)}})
	var text strings.Builder
	for _, w := range warnings {
		text.WriteString(w.String() + "\n")
	}
	return s, text.String(), err
}

func TestARepositoryCanCloseTheNetwork(t *testing.T) {
	for _, c := range []struct {
		name, user, project string
		flags               map[string]string
		mode                string
		deny, allow         []string
		warns               string
	}{
		{name: "nothing is said", mode: NetworkListed},
		{name: "it closes it", project: "network: {mode: none}", mode: NetworkNone},
		{name: "it would open it", project: "network: {mode: open}", mode: NetworkListed, warns: "can tighten network.mode"},
		{name: "it would open what the person closed", user: "network: {mode: none}", project: "network: {mode: listed}", mode: NetworkNone, warns: "can tighten"},
		{name: "it would allow a host", project: "network: {allow: [a.example.com]}", mode: NetworkListed, warns: "cannot set network.allow"},
		{name: "it would name a private address", project: "network: {private: [a.example.com=10.0.0.1]}", mode: NetworkListed, warns: "cannot set network.private"},
		{name: "it denies beside the person", user: "network: {deny: [b.example.com], allow: [c.example.com]}", project: "network: {deny: [a.example.com]}",
			mode: NetworkListed, deny: []string{"b.example.com", "a.example.com"}, allow: []string{"c.example.com"}},
		{name: "the person's flag wins", user: "network: {mode: none}", flags: map[string]string{"network.mode": "open"}, mode: NetworkOpen},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, warnings, err := load(t, c.user, c.project, c.flags)
			if err != nil {
				t.Fatal(err)
			}
			n := s.Network
			if n.Mode.V != c.mode || !slices.Equal(n.Deny.V, c.deny) || !slices.Equal(n.Allow.V, c.allow) || len(n.Private.V) > 0 {
				t.Errorf("got %+v", n)
			}
			if c.warns == "" && warnings != "" || !strings.Contains(warnings, c.warns) {
				t.Errorf("warnings: %s", warnings)
			}
		})
	}
}

func TestBadNetworkSettings(t *testing.T) {
	for text, want := range map[string]string{
		"network: {mode: ajar}":                     "network.mode",
		"network: {allow: ['*']}":                   "network.allow",
		"network: {private: [a.example.com]}":       "registry.example.com=10.2.0.0/16",
		"network: {private: [a.example.com=there]}": "network.private",
		"credential: {kind: password}":              "credential.kind",
		"credential: {file: key}":                   "credential.file",
		"credential: {file: /key, keyring: work}":   "set only one of credential.file",
	} {
		if _, _, err := load(t, text, "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestACredentialIsThePersons(t *testing.T) {
	s, warnings, err := load(t, "credential: {command: [pass, show, key], kind: oauth}", "credential: {file: /etc/passwd}", nil)
	if err != nil || !strings.Contains(warnings, "cannot set credential.file") {
		t.Fatalf("%s, %v", warnings, err)
	}
	if c := s.Credential; !c.Set() || c.Kind.V != "oauth" || c.File.V != "" || strings.Join(c.Command.V, " ") != "pass show key" {
		t.Errorf("got %+v", c)
	}
	if Defaults().Credential.Set() {
		t.Error("by default, the credential is in the environment")
	}
}
