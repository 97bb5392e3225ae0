package agent

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A job is stored by one process and read by another, which may be older.
func TestJobSurvivesStorage(t *testing.T) {
	job := Job{
		Dir: "/w", Prompt: "/p", In: "/i", Out: "/o", Home: "/h",
		Role:     Role{Name: "r", SystemPrompt: "/s", Tools: []string{"Read"}, DisallowedTools: []string{"Bash"}, Model: "m"},
		MaxTurns: 3, MaxUSD: 1.5, Command: []string{"sh"}, Options: map[string]string{OptionSelf: "/x"},
	}
	data, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	var got Job
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(job, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	small, err := json.Marshal(Job{Dir: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"dir":"/w","prompt":"","in":"","out":"","home":""}`; string(small) != want {
		t.Errorf("got %s, want %s", small, want)
	}
}

func TestOutcomeLeavesOutWhatIsUnknown(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, outcome := range map[string]Outcome{
		`{"ok":true,"observed":false}`: {OK: true},
		`{"ok":false,"class":"usage_limit","observed":true,"retry_at":"2030-01-02T03:04:05Z"}`: {
			Class: ClassUsageLimit, Observed: true, RetryAt: &at,
		},
	} {
		if data, err := json.Marshal(outcome); err != nil || string(data) != want {
			t.Errorf("got %s (%v), want %s", data, err, want)
		}
	}
}

func TestUsageAdds(t *testing.T) {
	var usage Usage
	usage.Add("a", ModelUsage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 3, CacheWriteTokens: 4, CostUSD: 0.5})
	before := usage.Clone()
	usage.Add("a", ModelUsage{InputTokens: 10})
	usage.Add("b", ModelUsage{OutputTokens: 20, CostUSD: 0.25})
	want := Usage{
		ModelUsage: ModelUsage{InputTokens: 11, OutputTokens: 22, CacheReadTokens: 3, CacheWriteTokens: 4, CostUSD: 0.75},
		Model: map[string]ModelUsage{
			"a": {InputTokens: 11, OutputTokens: 2, CacheReadTokens: 3, CacheWriteTokens: 4, CostUSD: 0.5},
			"b": {OutputTokens: 20, CostUSD: 0.25},
		},
	}
	if diff := cmp.Diff(want, usage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(before.Model) != 1 || before.Model["a"].InputTokens != 1 {
		t.Errorf("the clone changed with the original: %+v", before)
	}
}
