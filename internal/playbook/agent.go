package playbook

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The programs an agent can be.
const (
	useClaude   = "claude"
	useCommand  = agent.Command
	useScripted = "scripted"
)

// Uses lists the programs an agent can be in this version.
func Uses() []string { return []string{useClaude, useCommand, useScripted} }

// agentDraft is an agent of the file, read and with the place of its name.
type agentDraft struct {
	core.Agent
	key yamlfile.Value
}

func agentKeys() []string {
	return []string{"use", "run", "model", "scenario", "options", "env", "secrets"}
}

func (p *parser) readAgents(o yamlfile.Object) {
	p.agents = map[string]agentDraft{}
	v, ok := o.Get("agents")
	if !ok {
		return
	}
	pairs, _ := v.Pairs()
	for _, pair := range pairs {
		if !validID(pair.Name) {
			pair.Key.Fail("is not a valid name for an agent", idHint)
		}
		p.agents[pair.Name] = agentDraft{Agent: p.readAgent(pair.Value), key: pair.Key}
	}
}

func (p *parser) readAgent(v yamlfile.Value) core.Agent {
	o, ok := v.Object(agentKeys()...)
	if !ok {
		return core.Agent{}
	}
	a := core.Agent{Model: o.Text("model")}
	if use, ok := o.Need("use", "known: "+strings.Join(Uses(), ", ")); ok {
		a.Use = readUse(use)
	}
	a.Options = textMap(o, "options", checkOption)
	a.Env = textMap(o, "env", checkVariable)
	if secrets, ok := o.Get("secrets"); ok {
		for _, item := range secrets.Each() {
			if name, ok := item.Text(); ok {
				checkSecret(item, name)
				a.Secrets = append(a.Secrets, name)
			}
		}
	}
	readRun(o, &a)
	readScenario(o, &a)
	return a
}

func readUse(v yamlfile.Value) string {
	use, ok := v.Text()
	if !ok || slices.Contains(Uses(), use) {
		return use
	}
	if slices.Contains([]string{"codex", "gemini", "opencode", "acp"}, use) {
		v.Fail("the agent "+use+" is not supported in this version", "known: "+strings.Join(Uses(), ", "))
		return use
	}
	v.Fail("unknown agent program "+quote(use), yamlfile.Known(use, Uses()))
	return use
}

// readRun reads the argument list of a command agent. It is never one string: quoting would be guesswork.
func readRun(o yamlfile.Object, a *core.Agent) {
	v, given := o.Get("run")
	switch {
	case given && a.Use != useCommand:
		o.Key("run").Fail("only an agent with use: command has run", "")
	case given && !v.IsList():
		v.Fail("expected a list", `write the program and its arguments as a list: ["bash", "agent.sh"]`)
	case given:
		a.Run = v.Texts()
	case a.Use == useCommand:
		o.Value().Fail("run is missing", `name the program and its arguments: ["bash", "agent.sh"]`)
	}
}

func readScenario(o yamlfile.Object, a *core.Agent) {
	v, given := o.Get("scenario")
	switch {
	case given && a.Use != useScripted:
		o.Key("scenario").Fail("only an agent with use: scripted has a scenario", "")
	case given:
		if a.Options == nil {
			a.Options = map[string]string{}
		}
		a.Options[agent.OptionScenario] = inside(v)
	case a.Use == useScripted && a.Options[agent.OptionScenario] == "":
		o.Value().Fail("scenario is missing", "name the scenario file")
	}
}

func textMap(o yamlfile.Object, key string, check func(yamlfile.Value, string)) map[string]string {
	v, ok := o.Get(key)
	if !ok {
		return nil
	}
	pairs, _ := v.Pairs()
	texts := map[string]string{}
	for _, pair := range pairs {
		check(pair.Key, pair.Name)
		texts[pair.Name], _ = pair.Value.Text()
	}
	return texts
}

// checkOption refuses what decides where a person's credential goes and what an agent may do with it.
func checkOption(v yamlfile.Value, name string) {
	if slices.Contains([]string{agent.OptionBaseURL, agent.OptionBinary, "permission_mode"}, name) {
		v.Fail(name+" is yours to set on your machine, not a playbook's", "remove it")
	}
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func checkVariable(v yamlfile.Value, name string) {
	switch {
	case !variable.MatchString(name):
		v.Fail(quote(name)+" is not the name of an environment variable", "")
	case strings.HasPrefix(name, "STELLWERK_"):
		v.Fail(quote(name)+" belongs to Stellwerk and cannot be set", "")
	case strings.HasSuffix(name, "_BASE_URL"):
		v.Fail(quote(name)+" would send a credential to another address", "set it in your own environment")
	}
}

// forgeCredentials never reach an agent: only the engine talks to the remote.
func forgeCredentials() []string {
	return []string{"GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITLAB_TOKEN", "GITEA_TOKEN",
		"SSH_AUTH_SOCK", "GIT_ASKPASS"}
}

func checkSecret(v yamlfile.Value, name string) {
	checkVariable(v, name)
	if slices.Contains(forgeCredentials(), strings.ToUpper(name)) {
		v.Fail(name+" opens the remote and is never given to an agent", "Stellwerk itself publishes, with a person's approval")
	}
}
