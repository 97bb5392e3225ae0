package playbook

import (
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// DefaultTiers are the models of a tier where a playbook names none.
func DefaultTiers() core.Tiers {
	return core.Tiers{core.TierFast: "haiku", core.TierBalanced: "sonnet", core.TierStrong: "opus"}
}

func tierKeys() []string { return words(core.KnownTiers()) }

// readTiers reads models by tier.
func readTiers(o yamlfile.Object) core.Tiers {
	v, ok := o.Get("tiers")
	if !ok {
		return nil
	}
	fields, ok := v.Object(tierKeys()...)
	if !ok {
		return nil
	}
	tiers := core.Tiers{}
	for _, tier := range core.KnownTiers() {
		if model := fields.Text(string(tier)); model != "" {
			tiers[tier] = model
		}
	}
	if len(tiers) == 0 {
		v.Fail("names no model", yamlfile.Known("", tierKeys()))
	}
	return tiers
}
