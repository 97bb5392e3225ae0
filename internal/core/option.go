package core

import (
	"slices"
	"strings"
)

// Options are chosen once, when a run starts.
type Options struct {
	Coverage   int  `json:"coverage,omitempty"` // target, percent
	ModelTier  Tier `json:"model_tier,omitempty"`
	UIDesigner bool `json:"ui_designer,omitempty"`
}

// Tier is how capable the models are that a run is done with.
type Tier string

const (
	TierFast     Tier = "fast"
	TierBalanced Tier = "balanced"
	TierStrong   Tier = "strong"
)

// KnownTiers lists the tiers, the fastest first.
func KnownTiers() []Tier { return []Tier{TierFast, TierBalanced, TierStrong} }

// Option names something that a run has or has not.
type Option string

// OptionUIDesigner calls a designer into a team.
const OptionUIDesigner Option = "ui_designer"

// KnownOptions lists what a spoke of a team can depend on.
func KnownOptions() []Option { return []Option{OptionUIDesigner} }

// Has reports that the option was chosen.
func (c Options) Has(o Option) bool { return o == OptionUIDesigner && c.UIDesigner }

// Check says what is wrong with the options.
func (c Options) Check() error {
	if c.Coverage < 0 || c.Coverage > 100 {
		return Errorf(CodeInvalid, "a test coverage of %d %% cannot be aimed at", c.Coverage).WithHint("name a percentage from 1 to 100")
	}
	if c.ModelTier != "" && !slices.Contains(KnownTiers(), c.ModelTier) {
		return Errorf(CodeInvalid, "there is no model tier %q", c.ModelTier).WithHint("the tiers are: %s", tierNames())
	}
	return nil
}

func tierNames() string {
	names := make([]string, 0, len(KnownTiers()))
	for _, t := range KnownTiers() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}
