package role

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestParsePlan(t *testing.T) {
	skips, err := ParsePlan([]byte(`{"skip": [{"phase": " frontend ", "reason": "no screen changes"}], "size": "small"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]core.SkipProposal{{Stage: "frontend", Reason: "no screen changes"}}, skips); diff != "" {
		t.Error(diff)
	}
	if skips, err := ParsePlan([]byte(`{"skip": []}`)); err != nil || len(skips) != 0 {
		t.Errorf("nothing to skip: %v, %v", skips, err)
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	many := `{"skip": [` + strings.TrimSuffix(strings.Repeat(`{"phase":"a","reason":"b"},`, maxSkips+1), ",") + `]}`
	for text, want := range map[string]string{
		`{}`:              "skip is missing",
		`{"skip": null}`:  "skip is missing",
		`{"skip": "all"}`: "wrong type",
		`{"skip": [], "Skip": [{"phase":"a","reason":"b"}]}`:                        "differs only in case",
		`{"skip": [{"reason": "no"}]}`:                                              "phase is missing",
		`{"skip": [{"phase": "frontend"}]}`:                                         "reason is missing",
		`{"skip": [{"phase": "frontend", "reason": " "}]}`:                          "reason is missing",
		`{"skip": [{"phase": "a", "reason": "` + strings.Repeat("x", 1001) + `"}]}`: "longer than 1000",
		many: "at most 50",
	} {
		if _, err := ParsePlan([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
	}
}
