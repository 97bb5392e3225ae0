package dispatch

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhomAHintReaches: pull requests of its repository; of those its numbers, or
// all of them if it names none.
func TestWhomAHintReaches(t *testing.T) {
	for name, test := range map[string]struct {
		kind, repository string
		numbers          []int
		reached          bool
	}{
		"its number":             {"github", "acme/rocket", []int{1}, true},
		"one of several":         {"github", "acme/rocket", []int{7, 1}, true},
		"no number, as a push":   {"github", "acme/rocket", nil, true},
		"in other letters":       {"github", "ACME/Rocket", []int{1}, true},
		"another number":         {"github", "acme/rocket", []int{2}, false},
		"another repository":     {"github", "acme/other", []int{1}, false},
		"another kind of forge":  {"gitea", "acme/rocket", []int{1}, false},
		"no number, but of none": {"gitea", "acme/other", nil, false},
	} {
		d := &Dispatcher{posts: newLookouts()}
		post := d.posts.post(&core.Run{ID: "r", Forge: "github", Repository: "acme/rocket", PullRequest: &core.PullRequest{Number: 1}})
		for range 2 { // the second is asked for already
			if err := d.Hint(t.Context(), test.kind, test.repository, test.numbers); err != nil {
				t.Fatal(err)
			}
		}
		if reached := len(post.now) == 1; reached != test.reached {
			t.Errorf("%s: reached %v", name, reached)
		}
	}
}
