package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestWhatAProjectAllows tries both sides of each limit.
func TestWhatAProjectAllows(t *testing.T) {
	t.Parallel()
	limits := core.ProjectLimits{CostUSD: 10, Tokens: 100, WallTime: time.Hour, Attempts: 3}
	below := core.Spent{CostUSD: 9.99, Tokens: 99, Worked: time.Hour - 1, Attempts: 3}
	works, starts := core.Intent{Works: true}, core.Intent{Works: true, Starts: true, Reserves: true}
	for name, test := range map[string]struct {
		limits core.ProjectLimits
		change func(*core.Spent)
		step   core.Intent
		want   bool
	}{
		"below each":               {limits, func(*core.Spent) {}, starts, true},
		"money":                    {limits, func(s *core.Spent) { s.CostUSD = 10 }, works, false},
		"tokens":                   {limits, func(s *core.Spent) { s.Tokens = 100 }, works, false},
		"time":                     {limits, func(s *core.Spent) { s.Worked = time.Hour }, works, false},
		"an attempt too many":      {limits, func(s *core.Spent) { s.Attempts = 4 }, starts, false},
		"what is under way":        {limits, func(s *core.Spent) { s.Attempts = 4 }, works, true},
		"no limit":                 {core.ProjectLimits{}, func(s *core.Spent) { s.Attempts, s.HeldUSD, s.HeldTokens = 1e6, 1e6, 1e6 }, starts, true},
		"started, money is all up": {limits, func(s *core.Spent) { s.CostUSD = 10 }, starts, false},
		"at rest, all is up":       {limits, func(s *core.Spent) { *s = core.Spent{CostUSD: 10, Tokens: 100, Worked: time.Hour, Attempts: 9} }, core.Intent{}, true},
		"all money held":           {limits, func(s *core.Spent) { s.HeldUSD = 0.01 }, starts, true},
		"too much money held":      {limits, func(s *core.Spent) { s.HeldUSD = 0.010000001 }, core.Intent{Reserves: true}, false},
		"of which none now":        {limits, func(s *core.Spent) { s.HeldUSD = 5 }, works, true},
		"all tokens held":          {limits, func(s *core.Spent) { s.HeldTokens = 1 }, starts, true},
		"too many tokens held":     {limits, func(s *core.Spent) { s.HeldTokens = 2 }, core.Intent{Reserves: true}, false},
	} {
		total := below
		test.change(&total)
		if got := test.limits.Allows(total, test.step); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for want, l := range map[int]core.Limits{
		4: {Parallel: 4}, 2: {Parallel: 4, Project: core.ProjectLimits{Parallel: 2}}, 3: {Parallel: 3, Project: core.ProjectLimits{Parallel: 9}}, 1: {Parallel: 4, Project: core.ProjectLimits{Parallel: 1}},
	} {
		if got := l.AtOnce(); got != want {
			t.Errorf("%+v: %d at once, want %d", l, got, want)
		}
	}
	for what, got := range map[string]core.Cost{
		"a part": (core.Spent{CostUSD: 2, Unpriced: 1}).Cost(), "a run": (&core.Run{Usage: core.Usage{CostUSD: 2}, Unpriced: 1}).Cost(),
	} {
		if diff := cmp.Diff(core.CostOf(2, 1), got); diff != "" {
			t.Errorf("%s of the project cost something else: %s", what, diff)
		}
	}
}

// TestWhatAProjectKnows: whom it trusts, and where it is.
func TestWhatAProjectKnows(t *testing.T) {
	t.Parallel()
	p := &core.Project{Path: "/shop", Trusted: []string{"h1", "h2"}}
	for hash, want := range map[string]bool{"h1": true, "h2": true, "h": false, "": false} {
		if got := p.Trusts(hash); got != want {
			t.Errorf("content %q is trusted: %v", hash, got)
		}
	}
	for want, b := range map[string]core.RunStarted{"/home": {Home: "/home", Remote: "r"}, "r": {Remote: "r"}, "": {}} {
		r := &core.Run{Home: b.Home, Remote: b.Remote}
		if got := [2]string{b.Folder(), r.Folder()}; got != [2]string{want, want} {
			t.Errorf("%+v: the person's repository is %q, want %q", b, got, want)
		}
	}
	want := core.Claim{Kind: core.ClaimName, Key: "shop", Holder: "project/p", Limit: 1}
	if got := core.NameClaim("p", "shop"); got != want || got.String() != "name shop" {
		t.Errorf("the claim %s is %+v, want %+v", got, got, want)
	}
}

// TestIdentities are derived: to change one is to lose what has it.
func TestIdentities(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][2]string{"run/r/x": {"run", "r/x"}, "project/p": {"project", "p"}, "run": {"run", ""}, "": {}} {
		if kind, id := core.StreamKind(stream); [2]string{kind, id} != want {
			t.Errorf("stream %s is of kind %q, id %q", stream, kind, id)
		}
	}
	for want, got := range map[string]string{
		"build.r2": core.TaskID("build", 2, ""), "build.r2.hub": core.TaskID("build", 2, core.HubTask), "build.r2.a3": core.AttemptID("build.r2", 3),
		"run/r": core.RunStream("r"), "project/p": core.ProjectStream("p"), "run/r#7": core.EventID("run/r", 7), "p-c2": core.ConversationID("p", 2),
		"#42 fix it": core.IssueTitle("https://forge/o/r/issues/42", "fix it"), "#7": core.IssueTitle("#7", ""), "fix it": core.IssueTitle("", "fix it"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := (&core.Run{Project: "p"}).QuestionID("Why?"), core.QuestionID("p", "why"); got != want {
		t.Errorf("the question is %s, want %s", got, want)
	}
}

// TestALineIsKnown: by its name or branch, and by its rounds when the state holds it
// no more.
func TestALineIsKnown(t *testing.T) {
	t.Parallel()
	r := &core.Run{Stages: []*core.Stage{{ID: "plan"}, {ID: "api", Branch: "feature/x-api-1"}}, Managing: core.Managing{Rounds: core.Rounds{"old": 1, "none": 0}}}
	for name, want := range map[string]bool{"api": true, "feature/x-api-1": true, "old": true, "none": false, "plan": false, "": false, "ap": false} {
		if got := r.KnowsLine(name); got != want {
			t.Errorf("line %q is known: %v", name, got)
		}
	}
}

// TestHowAnAnswerIsTakenBack: only what would be done is suggested.
func TestHowAnAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	waves := &core.Playbook{Project: &core.Management{Waves: &core.WaveRules{}}}
	for want, r := range map[string]*core.Run{
		"say what is different now: `stellwerk say \"…\"`":                                             {Playbook: &core.Playbook{}, Status: core.StatusCompleted},
		"say it in the goal of a new run":                                                              {Playbook: waves, Status: core.StatusCompleted},
		"let it stand, or cancel the run and say it in the goal of a new one: `stellwerk cancel shop`": {Playbook: waves, Status: core.StatusActive, Alias: "shop"},
	} {
		if got := wording.Advice("", r.Differently()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestABriefInALine: its first words.
func TestABriefInALine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ task, want string }{
		{" \n look \nat it", "look "}, {strings.Repeat("x", 80), strings.Repeat("x", 80)}, {strings.Repeat("x", 81), strings.Repeat("x", 80) + " …"},
	} {
		if got := (core.Brief{Task: test.task}).Title(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	w := &core.Waves{Documents: []core.Document{{Name: "other", Detail: core.Detail{ID: "d2"}}, {Name: "answer", Detail: core.Detail{ID: "d1"}}}}
	if got := w.Whole(&core.Delegated{}); got != nil {
		t.Errorf("without an answer: %+v", got)
	}
	if got := w.Whole(&core.Delegated{Detail: "d1"}); got == nil || got.Name != "answer" {
		t.Errorf("the answer: %+v", got)
	}
}
