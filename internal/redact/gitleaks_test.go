package redact

import (
	"regexp"
	"testing"
)

// TestEveryRuleCompiles guards what is otherwise found out only when a keyword turns up.
func TestEveryRuleCompiles(t *testing.T) {
	t.Parallel()
	rules := append(ownRules(), gitleaksRules()...)
	if len(rules) < 200 {
		t.Errorf("only %d rules", len(rules))
	}
	for _, r := range rules {
		re, err := regexp.Compile(r.Pattern)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		if r.Group > re.NumSubexp() || len(r.Keywords) == 0 || cleanName(r.Name, nil) != r.Name {
			t.Errorf("%s: group %d of %d, %d keywords", r.Name, r.Group, re.NumSubexp(), len(r.Keywords))
		}
	}
}
