package role

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

//go:embed plan.schema.json
var planSchema []byte

// PlanSchema is the JSON Schema (draft 2020-12) of the plan that Stellwerk itself reads.
func PlanSchema() json.RawMessage { return append(json.RawMessage(nil), planSchema...) }

// IsPlanSchema reports whether a schema is PlanSchema, in any layout.
func IsPlanSchema(schema json.RawMessage) bool {
	var doc struct {
		ID string `json:"$id"`
	}
	return json.Unmarshal(schema, &doc) == nil && doc.ID == "urn:stellwerk:plan:1"
}

// Bounds of a plan, which a person reads before they approve it.
const (
	maxPlanBytes  = 1 << 20
	maxSkips      = 50
	maxSkipPhase  = 100
	maxSkipReason = 1000
)

// ParsePlan reads strictly which phases a plan proposes to skip. It does not check whether they exist and can be skipped.
func ParsePlan(data []byte) ([]core.SkipProposal, error) {
	var doc struct {
		Skip *[]struct {
			Phase  string `json:"phase"`
			Reason string `json:"reason"`
		} `json:"skip"`
	}
	if err := (strictjson.Limits{Bytes: maxPlanBytes}).Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", core.PlanArtifact, err)
	}
	if doc.Skip == nil {
		return nil, fmt.Errorf(`%s: skip is missing; write {"skip": []} if every phase is needed`, core.PlanArtifact)
	}
	if len(*doc.Skip) > maxSkips {
		return nil, fmt.Errorf("%s: proposes to skip %d phases; at most %d are read", core.PlanArtifact, len(*doc.Skip), maxSkips)
	}
	var skips []core.SkipProposal
	for i, s := range *doc.Skip {
		skip := core.SkipProposal{Stage: strings.TrimSpace(s.Phase), Reason: strings.TrimSpace(s.Reason)}
		switch {
		case skip.Stage == "" || utf8.RuneCountInString(skip.Stage) > maxSkipPhase:
			return nil, fmt.Errorf("%s: skip[%d]: phase is missing or too long; name the phase by its id", core.PlanArtifact, i)
		case skip.Reason == "":
			return nil, fmt.Errorf("%s: skip[%d]: reason is missing; say why %q is not needed", core.PlanArtifact, i, skip.Stage)
		case utf8.RuneCountInString(skip.Reason) > maxSkipReason:
			return nil, fmt.Errorf("%s: skip[%d]: the reason is longer than %d characters", core.PlanArtifact, i, maxSkipReason)
		}
		skips = append(skips, skip)
	}
	return skips, nil
}
