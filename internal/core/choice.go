package core

import (
	"slices"
	"strings"
)

// Choices are made once, when a run starts.
type Choices struct {
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

// Choice names something that a run has or has not.
type Choice string

// ChoiceUIDesigner calls a designer into a team.
const ChoiceUIDesigner Choice = "ui_designer"

// KnownChoices lists what a spoke of a team can depend on.
func KnownChoices() []Choice { return []Choice{ChoiceUIDesigner} }

// Has reports that the choice was made.
func (c Choices) Has(choice Choice) bool { return choice == ChoiceUIDesigner && c.UIDesigner }

// Check says what is wrong with the choices.
func (c Choices) Check() error {
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
