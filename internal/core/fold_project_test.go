package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// projectDeed is an event of a project.
type projectDeed struct {
	actor core.Actor
	body  core.Body
}

func projectDeeds() map[string]projectDeed {
	me, engine := core.Person("me"), core.Engine()
	return map[string]projectDeed{
		"registered":             {engine, core.ProjectRegistered{Project: "q", Name: "n", Path: "/p", URL: "u"}},
		"content is trusted":     {me, core.ContentTrusted{Hash: "h2"}},
		"content was trusted":    {me, core.ContentTrusted{Hash: "h1"}},
		"named":                  {me, core.ProjectNamed{Name: "n"}},
		"driven":                 {me, core.PlaybookChosen{Playbook: "b"}},
		"paused":                 {me, core.ProjectPaused{Reason: "why"}},
		"archived":               {me, core.ProjectArchived{Reason: "why"}},
		"erased":                 {me, core.ProjectErased{Reason: "why", Events: 1}},
		"resumed":                {me, core.ProjectResumed{}},
		"an epic is queued":      {me, core.EpicQueued{Epic: core.Epic{ID: "epic-4", Goal: "g"}}},
		"an epic is taken":       {engine, core.EpicTaken{Epic: "epic-2", Run: "r"}},
		"an epic is dropped":     {me, core.EpicDropped{Epic: "epic-2"}},
		"an epic is refused":     {engine, core.EpicRefused{Epic: "epic-2", Reason: "why", Advice: core.Advice{Hint: "what"}}},
		"an epic is postponed":   {engine, core.EpicPostponed{Epic: "epic-2", Reason: "why"}},
		"an epic is queued anew": {me, core.EpicRequeued{Epic: "epic-1"}},
		"a conversation opens":   {me, core.ConversationOpened{ID: "c3", Name: "n"}},
		"a conversation's name":  {me, core.ConversationNamed{ID: "c1", Name: "n"}},
	}
}

func project() *core.Project {
	return &core.Project{
		ID: "p", Name: "shop", Path: "/shop", Playbook: "old", Trusted: []string{"h0", "h1"}, Pause: &core.Standstill{By: "x"}, Archived: &core.Standstill{By: "x"}, Epics: 3,
		Queue: []core.QueuedEpic{
			{Epic: core.Epic{ID: "epic-1", Run: "r1"}, Refused: &core.Refusal{Reason: "no"}}, {Epic: core.Epic{ID: "epic-2", Run: "r2"}}, {Epic: core.Epic{ID: "epic-3", Run: "r3"}},
		},
		Conversations: []core.Conversation{{ID: "c1", Name: "a"}, {ID: "c2", Name: "b"}},
	}
}

// TestWhatEachEventOfAProjectChanges is TestWhatEachEventChanges for a project. A copy
// of the state, as readers hold one, stays as it was.
func TestWhatEachEventOfAProjectChanges(t *testing.T) {
	t.Parallel()
	golden(t, "fold/project", func(told *strings.Builder) {
		for name, d := range sorted(projectDeeds()) {
			e, head, err := core.Seal("project/p", core.Head{Seq: 40}, happened, d.actor, "", d.body)
			if err != nil {
				t.Fatal(err)
			}
			p := project()
			held := *p
			before := tree(t, encoded(t, held))
			after, err := core.FoldProject(p, e)
			if err != nil {
				t.Fatal(err)
			}
			if after == nil { // the project is none any more
				fmt.Fprintf(told, "# %s: %s\nno project\n\n", name, core.TypeOf(d.body))
				continue
			}
			if after.Stream.Seq != head.Seq || !after.Stream.At.Equal(happened) {
				t.Errorf("%s: the project is at %+v", name, after.Stream)
			}
			if left := differences("", before, tree(t, encoded(t, held))); len(left) > 0 {
				t.Errorf("%s: a copy of the state changed: %s", name, left)
			}
			now := tree(t, encoded(t, after))
			delete(now, "stream")
			delete(before, "stream")
			fmt.Fprintf(told, "# %s: %s\n%s\n", name, core.TypeOf(d.body), strings.Join(differences("", before, now), ""))
		}
	})
}

// TestARunsEventIsNoProjects: a history is never half understood.
func TestARunsEventIsNoProjects(t *testing.T) {
	t.Parallel()
	e, _, err := core.Seal("project/p", core.Head{}, happened, core.Person("me"), "", core.RunCancelled{})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := core.FoldProject(project(), e); err == nil || p.Stream.Seq != 0 {
		t.Errorf("it was taken in: %+v, %v", p.Stream, err)
	}
}
