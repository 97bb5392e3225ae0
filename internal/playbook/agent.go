package playbook

import (
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
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

// agentFields describe an agent.
func agentFields(a *core.Agent) yamlfile.Fields {
	return yamlfile.Fields{
		yamlfile.At("use", "", &a.Use, yamlfile.Word(yamlfile.Schema{"enum": Uses()}, readUse)).Need("known: " + strings.Join(Uses(), ", ")),
		yamlfile.At("run", "Program and arguments of a command agent.", &a.Run, arguments(a)),
		yamlfile.At("model", "", &a.Model, yamlfile.AnyText),
		scenarioField(a),
		optionsField(a),
		yamlfile.At("env", "", &a.Env, yamlfile.MapOf(variableSchema(), readVariable, yamlfile.AnyText)),
		yamlfile.At("secrets", "Names of variables handed on from the engine's environment; their values never appear in logs.",
			&a.Secrets, yamlfile.ListOf(yamlfile.Word(variableSchema(), readSecret))),
	}
}

// agentForm is the form of an agent.
func agentForm() yamlfile.Form[agentDraft] {
	form := yamlfile.ObjectOf(func(d *agentDraft) yamlfile.Fields { return agentFields(&d.Agent) }, func(o yamlfile.Object, d *agentDraft) {
		switch {
		case d.Use == useCommand && !o.Has("run"):
			o.Value().Fail("run is missing", `name the program and its arguments: ["bash", "agent.sh"]`)
		case d.Use == useScripted && !o.Has("scenario") && d.Options[agent.OptionScenario] == "":
			o.Value().Fail("scenario is missing", "name the scenario file")
		}
	})
	read := form.Read
	form.Read = func(v yamlfile.Value) (agentDraft, bool) {
		d, ok := read(v)
		d.key = v.Key()
		return d, ok
	}
	form.Schema["allOf"] = []yamlfile.Schema{
		{"if": has("use", useCommand), "then": yamlfile.Schema{"required": []string{"run"}}, "else": without("run")},
		{"if": has("use", useScripted), "else": without("scenario")},
	}
	return form
}

func readAgentName(v yamlfile.Value) (string, bool) {
	name, ok := v.Scalar()
	if ok && !validID(name) {
		v.Fail("is not a valid name for an agent", idHint)
	}
	return name, ok
}

func readUse(v yamlfile.Value) (string, bool) {
	use, ok := v.Text()
	switch {
	case !ok || slices.Contains(Uses(), use):
	case slices.Contains([]string{"codex", "gemini", "opencode", "acp"}, use):
		v.Fail("the agent "+use+" is not supported in this version", "known: "+strings.Join(Uses(), ", "))
	default:
		v.Fail("unknown agent program "+yamlfile.Quote(use), yamlfile.Known(use, Uses()))
	}
	return use, ok
}

// arguments is the form of a command agent's program: always a list, because splitting a text would be guesswork.
func arguments(a *core.Agent) yamlfile.Form[[]string] {
	form := yamlfile.AnyList
	form.Schema = yamlfile.Schema{"type": "array", "minItems": 1, "items": yamlfile.AnyText.Schema}
	form.Read = func(v yamlfile.Value) ([]string, bool) {
		switch {
		case a.Use != useCommand:
			v.Key().Fail("only an agent with use: command has run", "")
		case !v.IsList():
			v.Fail("expected a list", `write the program and its arguments as a list: ["bash", "agent.sh"]`)
		default:
			return yamlfile.AnyList.Read(v)
		}
		return nil, false
	}
	return form
}

// scenarioField is kept among the options.
func scenarioField(a *core.Agent) yamlfile.Field {
	scenario, form := a.Options[agent.OptionScenario], inside()
	read := form.Read
	form.Read = func(v yamlfile.Value) (string, bool) {
		if a.Use != useScripted {
			v.Key().Fail("only an agent with use: scripted has a scenario", "")
			return "", false
		}
		return read(v)
	}
	return yamlfile.At("scenario", "Scenario file of a scripted agent.", &scenario, form).If(ownScenario(*a)).
		Then(func(yamlfile.Value) bool {
			a.Options = map[string]string{agent.OptionScenario: scenario}
			return true
		})
}

// ownScenario reports a scenario that has a field of its own.
func ownScenario(a core.Agent) bool {
	return a.Use == useScripted && escapes(a.Options[agent.OptionScenario]) == ""
}

func optionsField(a *core.Agent) yamlfile.Field {
	options := maps.Clone(a.Options)
	if ownScenario(*a) {
		delete(options, agent.OptionScenario)
	}
	return yamlfile.At("options", "", &options, yamlfile.MapOf(yamlfile.Schema{}, readOption, yamlfile.AnyText)).Then(func(yamlfile.Value) bool {
		maps.Copy(options, a.Options) // the scenario
		a.Options = options
		return true
	})
}

// readOption refuses options that decide where a person's credential goes and what an agent may do with it.
func readOption(v yamlfile.Value) (string, bool) {
	name, ok := v.Scalar()
	if ok && slices.Contains([]string{agent.OptionBaseURL, agent.OptionBinary, "permission_mode"}, name) {
		v.Fail(name+" can be set only by you, on your machine, not by a playbook", "remove it")
	}
	return name, ok
}

var variable = regex.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

func variableSchema() yamlfile.Schema {
	return yamlfile.Schema{"type": "string", "pattern": variable().String(), "not": yamlfile.Schema{"pattern": "^STELLWERK_"}}
}

func readVariable(v yamlfile.Value) (string, bool) {
	name, ok := v.Scalar()
	switch {
	case !ok:
	case !variable().MatchString(name):
		v.Fail(yamlfile.Quote(name)+" is not the name of an environment variable", "")
	case strings.HasPrefix(name, "STELLWERK_"):
		v.Fail(yamlfile.Quote(name)+" belongs to Stellwerk and cannot be set", "")
	case strings.HasSuffix(name, "_BASE_URL"):
		v.Fail(yamlfile.Quote(name)+" would send a credential to another address", "set it in your own environment")
	}
	return name, ok
}

// forgeCredentials never reach an agent: only the engine talks to the remote.
func forgeCredentials() []string {
	return []string{"GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITLAB_TOKEN", "GITEA_TOKEN",
		"SSH_AUTH_SOCK", "GIT_ASKPASS"}
}

func readSecret(v yamlfile.Value) (string, bool) {
	if _, ok := v.Text(); !ok {
		return "", false
	}
	name, _ := readVariable(v)
	if slices.Contains(forgeCredentials(), strings.ToUpper(name)) {
		v.Fail(name+" gives access to the remote and is never passed to an agent", "Stellwerk itself publishes, with a person's approval")
	}
	return name, true
}
