package manager_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestTheStateStaysBounded: a project of a thousand delegations is held in about
// as much as one of a hundred. The events have the rest.
func TestTheStateStaysBounded(t *testing.T) {
	prompt := strings.Repeat("Do this with care. ", 100)
	for name, next := range map[string]func(n int) []core.Proposal{
		"lines of their own": func(n int) []core.Proposal {
			return []core.Proposal{{Prompt: fmt.Sprint(prompt, n)}, {Prompt: fmt.Sprint(prompt, n), Outputs: []string{"notes.md"}}}
		},
		"named lines": func(n int) []core.Proposal {
			line := fmt.Sprint("line-", n)
			return []core.Proposal{{Prompt: fmt.Sprint(prompt, n), Line: line}, {Kind: core.KindReview, Line: line, Prompt: "look"}, {Kind: core.KindMerge, Line: line}}
		},
		"one line for all": func(n int) []core.Proposal {
			return []core.Proposal{{Prompt: fmt.Sprint(prompt, n), Line: "all"}}
		},
		"what is given up": func(n int) []core.Proposal {
			line := fmt.Sprint("line-", n)
			return []core.Proposal{{Prompt: fmt.Sprint(prompt, n), Line: line}, {Kind: core.KindDiscard, Line: line}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := steady(t)
			w.quick = true
			w.planned()
			w.play = delegates(next)
			sizes := map[int]int{}
			for w.run.Managing.Delegated < 1000 {
				effects := core.Effects(w.run)
				if len(effects) == 0 {
					w.must(core.Person("me"), say("go on")) // what it did itself does not wake it
					continue
				}
				before := w.run.Managing.Delegated
				w.answer(effects[0])
				if n := w.run.Managing.Delegated; n != before && (n == 100 || n == 1000) {
					raw, err := json.Marshal(w.run)
					if err != nil {
						t.Fatal(err)
					}
					sizes[n] = len(raw)
				}
			}
			if sizes[1000] > sizes[100]*3/2 {
				t.Errorf("%d bytes after 100 delegations, %d after 1000", sizes[100], sizes[1000])
			}
			t.Logf("%d bytes after 100 delegations, %d after 1000", sizes[100], sizes[1000])
		})
	}
}

// delegates is a manager that delegates one thing in each turn.
func delegates(next func(n int) []core.Proposal) func(w *world, attempt string) {
	n, queue := 0, []core.Proposal{}
	return func(w *world, _ string) {
		if w.run.UnderWay() {
			return
		}
		if len(queue) == 0 {
			n++
			queue = next(n)
		}
		if d := w.propose(queue[0]); d.Status == core.DelegationRefused {
			w.t.Fatalf("%s\n%s", d.Reason, w.account())
		}
		queue = queue[1:]
	}
}
