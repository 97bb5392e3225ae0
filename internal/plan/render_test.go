package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

func TestRender(t *testing.T) {
	got := string(plan.Render("\r\nPeople can sign in.\r\n\r\n## Steps\n### [ ] 1. Not yet\n### Why\n\xff\x00\n", []core.Step{
		{ID: "1", Title: " Table\nfor links ", Done: true, Role: "backend-developer", Text: "Store only\nits hash.\n\n"},
		{ID: "2", Title: "Mail", After: []string{"1"}, Text: "After: all\nReview: never\n- Role: dev\nRole: of the mail\n## End\n### [ ] 9. No\n<<<<<<< ours\n```\n### code"},
		{ID: "3", Title: "Page", Review: "always"},
		{ID: "4", Title: "Tests", After: []string{"3", "2"}},
	}))
	want := `# Plan

People can sign in.

#### Steps
#### [ ] 1. Not yet
### Why
��

## Steps

### [x] 1. Table for links

Role: backend-developer

Store only
its hash.

### [ ] 2. Mail

After\: all
Review\: never
- Role\: dev
Role: of the mail
#### End
#### [ ] 9. No
 <<<<<<< ours
~~~
### code
~~~

### [ ] 3. Page

After: nothing
Review: always

### [ ] 4. Tests

After: 3, 2
`
	if diff := cmp.Diff(strings.ReplaceAll(want, "~~~", "```"), got); diff != "" {
		t.Error(diff)
	}
	parse(t, got)
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"1": true, "2a": true, "login-form": true, "a.b_c": true, strings.Repeat("x", 32): true,
		"": false, "nothing": false, "a b": false, ".a": false, "a.": false, "a..b": false, "a.lock": false, "a/b": false, "a\n": false, strings.Repeat("x", 33): false,
	} {
		if plan.ValidID(id) != want {
			t.Errorf("%q: want %v", id, want)
		}
	}
}
