package role

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/egress"
	"github.com/stellwerk-dev/stellwerk/internal/registry"
	"go.yaml.in/yaml/v3"
)

// Words that can replace a list of hosts.
const (
	networkNone = "none"
	networkOpen = "open"
)

const networkHint = "write none, or a list of presets and hosts: [npm, api.example.com:8443]"

// Reach is the form of what can be reached.
func Reach() yamlfile.Form[core.Reach] {
	names := yamlfile.Schema{"type": "array", "minItems": 1, "items": yamlfile.AnyText.Schema}
	return yamlfile.Form[core.Reach]{
		Schema: yamlfile.Schema{
			"description": "Presets (npm) and hosts (api.example.com:8443) that can be reached in addition to those named further up, or none.",
			"oneOf":       []yamlfile.Schema{{"const": networkNone}, names},
		},
		Read: func(v yamlfile.Value) (core.Reach, bool) { return network(v), true },
		Write: func(r core.Reach) *yaml.Node {
			if r.None {
				return yamlfile.Text(networkNone)
			}
			return yamlfile.AnyList.Write(r.Names)
		},
	}
}

// network reads the hosts that can be reached: none, or a list of presets and hosts.
func network(v yamlfile.Value) core.Reach {
	if v.IsText() {
		switch word, _ := v.Text(); word {
		case networkNone:
			return core.Reach{None: true}
		case networkOpen:
			v.Fail("only you can open the network, on your machine", "start the run with --network open, or name the hosts that are needed")
			return core.Reach{}
		}
	}
	if !v.IsList() {
		v.Fail("expected a list", networkHint)
		return core.Reach{}
	}
	var reach core.Reach
	for _, item := range v.Each() {
		if name, ok := readHost(item); ok {
			reach.Names = append(reach.Names, name)
		}
	}
	if len(v.Each()) == 0 {
		v.Fail("the list is empty", "write none to reach no host")
	}
	return reach
}

// readHost reads a preset or a host, in its normalised form.
func readHost(v yamlfile.Value) (string, bool) {
	name, ok := v.Text()
	if !ok || slices.Contains(registry.Known(), name) {
		return name, ok
	}
	rule, err := egress.ParseRule(name)
	if err != nil {
		v.Fail(err.Error(), networkHint)
		return "", false
	}
	return rule.String(), true
}
