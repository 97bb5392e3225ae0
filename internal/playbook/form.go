package playbook

import (
	"time"

	"github.com/itchyny/gojq"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"go.yaml.in/yaml/v3"
)

// Bounds of times and numbers that a playbook may set.
const (
	minTimeout   = time.Second
	maxTimeout   = 7 * 24 * time.Hour
	shortTimeout = 10 * time.Second
	maxAttempts  = 20
)

// tries is the form of numbers of attempts before a person is asked.
func tries() yamlfile.Form[int] { return yamlfile.Number(1, maxAttempts) }

func gates() yamlfile.Form[core.GateKind] { return yamlfile.OneOf(core.GateAuto, core.GateApproval) }

// span is the form of durations. It warns if the unit may be a slip.
func span(longest time.Duration) yamlfile.Form[time.Duration] {
	return yamlfile.Form[time.Duration]{
		Schema: yamlfile.Schema{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`},
		Read: func(v yamlfile.Value) (time.Duration, bool) {
			d, ok := v.Duration(minTimeout, longest)
			switch {
			case ok && d < shortTimeout:
				v.Warn(yamlfile.FormatDuration(d)+" is very short", "s is seconds, m is minutes")
			case ok && d > 24*time.Hour:
				v.Warn(yamlfile.FormatDuration(d)+" is very long", "h is hours, m is minutes")
			}
			return d, ok
		},
		Write: func(d time.Duration) *yaml.Node {
			if d == 0 {
				return nil
			}
			return yamlfile.Text(yamlfile.FormatDuration(d))
		},
	}
}

// expression is the form of jq expressions. It compiles them, so that a mistake is found now and not in a run.
func expression() yamlfile.Form[string] {
	return yamlfile.Word(yamlfile.AnyText.Schema, func(v yamlfile.Value) (string, bool) {
		text, ok := v.Text()
		if !ok {
			return "", false
		}
		query, err := gojq.Parse(text)
		if err == nil {
			_, err = gojq.Compile(query)
		}
		if err != nil {
			v.Fail("the jq expression "+yamlfile.Quote(text)+" is not valid: "+err.Error(), "a value is named with a leading dot: .tests.passed == true")
			return "", false
		}
		return text, true
	})
}

// networkField holds the hosts that a playbook needs. A single list is that of the attempts.
func networkField(r *core.Reaches) yamlfile.Field {
	one := yamlfile.At("", "", &r.Attempts, role.Reach())
	const doc = "What can be reached apart from the model: one list for the attempts, or one for each of attempts, setup and checks."
	return yamlfile.Group("network", doc, yamlfile.Fields{
		yamlfile.At("attempts", "", &r.Attempts, role.Reach()),
		yamlfile.At("setup", "", &r.Setup, role.Reach()),
		yamlfile.At("checks", "", &r.Checks, role.Reach()),
	}, nil).Or(one, false)
}

// DefaultTiers are the models of a tier if a playbook names none.
func DefaultTiers() core.Tiers {
	return core.Tiers{core.TierFast: "haiku", core.TierBalanced: "sonnet", core.TierStrong: "opus"}
}

// tiersField holds models by tier.
func tiersField(doc string, at *core.Tiers) yamlfile.Field {
	models := make([]string, len(core.KnownTiers()))
	var fields yamlfile.Fields
	for i, tier := range core.KnownTiers() {
		models[i] = (*at)[tier]
		fields = append(fields, yamlfile.At(string(tier), "", &models[i], yamlfile.AnyText))
	}
	group := yamlfile.Group("tiers", doc, fields, func(o yamlfile.Object) {
		tiers := core.Tiers{}
		for i, tier := range core.KnownTiers() {
			if models[i] != "" {
				tiers[tier] = models[i]
			}
		}
		if *at = tiers; len(tiers) == 0 {
			o.Value().Fail("names no model", yamlfile.Known("", fields.Keys()))
		}
	}).InOneLine()
	group.Schema["minProperties"] = 1
	return group
}
