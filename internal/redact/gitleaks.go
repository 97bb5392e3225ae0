package redact

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// gitleaksJSON is the rule table of gitleaks 8.30.1 (MIT licence, gitleaks/LICENSE) as data. The library itself is not
// used: see docs/decisions/redaction.md.
//
//go:generate sh -c "go run gitleaks/generate.go \"$GITLEAKS_TOML\" > gitleaks/rules.json"
//go:embed gitleaks/rules.json
var gitleaksJSON string

// gitleaksRules reads the table. It is part of the program, so a broken table is a programming error.
func gitleaksRules() []Rule {
	var table []struct {
		ID       string   `json:"id"`
		Regex    string   `json:"regex"`
		Group    int      `json:"group"`
		Entropy  float64  `json:"entropy"`
		Keywords []string `json:"keywords"`
	}
	if err := json.Unmarshal([]byte(gitleaksJSON), &table); err != nil {
		panic(fmt.Sprintf("redact: embedded rules: %v", err))
	}
	out := make([]Rule, 0, len(table))
	for _, t := range table {
		out = append(out, Rule{
			Name: t.ID, Keywords: t.Keywords, Pattern: t.Regex, Group: t.Group,
			Check: func(m Match) bool {
				return entropy(m.Secret) >= t.Entropy && !isPlaceholder(m.Secret) && !isWithinBase64(m.before)
			},
		})
	}
	return out
}
